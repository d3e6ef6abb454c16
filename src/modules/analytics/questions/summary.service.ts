import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import type { StreamedAnswer } from '../../../http/streams/streamed-answer.js';
import type { AnalyticsRange } from '../analytics-range.js';
import type { AnswerFormat } from '../answer-format.js';
import { changeOf } from './comparison.js';
import { FactDays } from './fact-days.js';
import { type Figures, type ShownFigures, shownFigures, SUMMARY_METRICS } from './figures.js';
import type { SummaryMetric } from './metrics.js';
import { modelFigures } from './model-figures.js';
import type { CostMeta } from './money.js';
import { PriceTables } from './price-tables.js';
import { type Answer, QuestionAnswers } from './question-answers.js';
import { comparedMetaOf, metaOf, QuestionStates, type QuestionState } from './question-states.js';
import { QuestionsRepository } from './questions.repository.js';

interface Totals {
  readonly figures: Figures<SummaryMetric>;
  readonly cost: CostMeta;
}

type Shown = Partial<ShownFigures<SummaryMetric>>;

/** The fields of a row of CSV. */
const EXAMPLE = { period: '', start_date: '', end_date: '', ...zeros() };

@Injectable()
export class SummaryService {
  constructor(
    private readonly states: QuestionStates,
    private readonly answers: QuestionAnswers,
    private readonly days: FactDays,
    private readonly prices: PriceTables,
    private readonly facts: QuestionsRepository,
  ) {}

  async summary(
    { orgId }: Principal,
    range: AnalyticsRange,
    compared: AnalyticsRange | null,
    format: AnswerFormat,
  ): Promise<StreamedAnswer> {
    const state = await this.states.find(orgId, range, compared, { hasPrices: true, hasTeams: false });
    const question = { orgId, identity: ['summary', ...state.identity], format, lastModified: state.dataAsOf };
    return this.answers.of(question, EXAMPLE, () => this.compute(orgId, range, compared, state));
  }

  private async compute(
    orgId: string,
    range: AnalyticsRange,
    compared: AnalyticsRange | null,
    state: QuestionState,
  ): Promise<Answer> {
    const current = await this.totalsOf(orgId, range);
    const previous = compared ? await this.totalsOf(orgId, compared) : null;
    const data = {
      current: shownFigures(SUMMARY_METRICS, current.figures),
      previous: previous ? shownFigures(SUMMARY_METRICS, previous.figures) : null,
      change: previous ? changes(current.figures, previous.figures) : null,
    };
    const period = (name: string, { start, end }: AnalyticsRange, figures: Shown) => [
      { period: name, start_date: `${start}`, end_date: `${end}`, ...figures },
    ];
    const rows = [
      ...period('current', range, data.current),
      ...(compared && data.previous ? period('previous', compared, data.previous) : []),
      ...(data.change ? period('change', range, data.change) : []),
    ];
    return {
      json: { data, meta: { ...metaOf(orgId, range, state), ...comparedMetaOf(compared), ...current.cost } },
      rows,
    };
  }

  private async totalsOf(orgId: string, range: AnalyticsRange): Promise<Totals> {
    const { rates, days } = await this.prices.of(orgId, range, await this.days.pin(orgId, range));
    const isEmpty = days.days.length === 0;
    const calls = isEmpty ? [] : await this.facts.listModelCalls(orgId, days, { filters: {} });
    const { figures, money } = modelFigures(calls, rates);
    const activity = await this.facts.sumActivity(orgId, days);
    const people = isEmpty ? 0n : await this.facts.countPeople(orgId, days);
    return { figures: { ...figures, ...activity, active_people: people }, cost: money.meta };
  }
}

function changes(current: Figures<SummaryMetric>, previous: Figures<SummaryMetric>) {
  const entries = SUMMARY_METRICS.map((metric) => [metric, changeOf(current[metric], previous[metric])]);
  return Object.fromEntries(entries) as Record<SummaryMetric, number | null>;
}

function zeros(): Record<string, number> {
  return Object.fromEntries(SUMMARY_METRICS.map((metric) => [metric, 0]));
}
