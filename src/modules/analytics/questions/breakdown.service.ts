import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { Clock } from '../../../common/time/clock.js';
import type { StreamedAnswer } from '../../../http/streams/streamed-answer.js';
import { type PageRequest, toPagination } from '../../../http/paging/paging.js';
import type { AnalyticsRange } from '../analytics-range.js';
import type { AnswerFormat } from '../answer-format.js';
import { type Breakdown, BreakdownLists } from './breakdown-lists.js';
import { RowWriter } from './breakdown-rows.js';
import { type Beginning, figuresAreGone, FactDays, newestOf } from './fact-days.js';
import { labelOf } from './labels.js';
import { checkSlice, type Slice } from './metrics.js';
import { modelFigures } from './model-figures.js';
import { PriceTables } from './price-tables.js';
import { type Answer, QuestionAnswers } from './question-answers.js';
import { comparedMetaOf, metaOf, QuestionStates, type QuestionState } from './question-states.js';
import { QuestionsRepository } from './questions.repository.js';
import { valueOf } from './sums.js';

export interface BreakdownQuestion {
  readonly slice: Slice;
  readonly range: AnalyticsRange;
  readonly compared: AnalyticsRange | null;
  readonly search: string | null;
  readonly page: PageRequest;
}

/** Where a page begins, and the figures to which the pages belong. */
interface Position {
  readonly beginning: Beginning;
  readonly prices: string;
  readonly teams: string;
  readonly value: string | null;
  readonly key: string;
}

const EXAMPLE = { key: '', label: '', value: 0, share: 0, previous_value: 0, change: 0 };

@Injectable()
export class BreakdownService {
  constructor(
    private readonly states: QuestionStates,
    private readonly answers: QuestionAnswers,
    private readonly days: FactDays,
    private readonly prices: PriceTables,
    private readonly lists: BreakdownLists,
    private readonly facts: QuestionsRepository,
    private readonly clock: Clock,
  ) {}

  async breakdown({ orgId }: Principal, question: BreakdownQuestion, format: AnswerFormat): Promise<StreamedAnswer> {
    const { slice, range, compared, search, page } = question;
    checkSlice(slice);
    const hasTeams = slice.dimension === 'team' || slice.filters.team_id !== undefined;
    const state = await this.states.find(orgId, range, compared, { hasPrices: slice.metric === 'cost', hasTeams });
    const position = positionOf(page);
    if (position && (position.prices !== state.prices || position.teams !== state.teams)) throw figuresAreGone();
    const asked = [slice, search, page.limit, page.after];
    const identity = ['breakdown', asked, ...state.identity];
    return this.answers.of({ orgId, identity, format, lastModified: state.dataAsOf }, EXAMPLE, () =>
      this.compute(orgId, question, position, state),
    );
  }

  private async compute(
    orgId: string,
    question: BreakdownQuestion,
    position: Position | null,
    state: QuestionState,
  ): Promise<Answer> {
    const { slice, range, compared, search, page } = question;
    const begunAt = this.clock.now();
    const current = await this.slicedDays(orgId, slice, range, position);
    const previous = compared ? await this.slicedDays(orgId, slice, compared, position) : null;
    const list = await this.lists.read(orgId, {
      current,
      previous,
      page: { search, after: position, rows: page.limit + 1 },
      hasSeries: position === null,
    });
    const beginning = position?.beginning ?? {
      version: newestOf(current.days, ...(previous ? [previous.days] : [])),
      at: begunAt,
    };
    const cost = current.rates
      ? modelFigures(await this.facts.listModelCalls(orgId, current.days, slice), current.rates).money.meta
      : {};
    const labels = await this.facts.listLabels(
      orgId,
      slice,
      current.days,
      list.rows.map(({ key }) => key),
    );
    const writer = new RowWriter(slice.metric, range, list.total);
    const data = list.rows.map((row) => ({
      key: row.key,
      label: labelOf(slice.dimension, row.key, labels),
      ...writer.write(row),
    }));
    const meta = {
      ...metaOf(orgId, range, state),
      ...comparedMetaOf(compared),
      dimension: slice.dimension,
      metric: slice.metric,
      ...nextOf(list, page, { beginning, prices: state.prices, teams: state.teams }),
      ...cost,
    };
    const rest = {
      other: { label: 'Other', ...writer.write(list.other) },
      total: { label: 'Total', ...writer.write(list.total) },
    };
    return { json: { data, ...rest, meta }, rows: data };
  }

  private async slicedDays(orgId: string, slice: Slice, range: AnalyticsRange, position: Position | null) {
    const days = await this.days.pin(orgId, range, position?.beginning ?? null);
    if (slice.metric !== 'cost') return { slice, days, rates: null };
    return { slice, ...(await this.prices.of(orgId, range, days)) };
  }
}

/** Positions of cursors: see `nextOf`. */
function positionOf({ after }: PageRequest): Position | null {
  if (after === null) return null;
  const [version = '', at = '', prices = '', teams = '', value = '', key = ''] = after;
  return { beginning: { version, at: new Date(at) }, prices, teams, value: value === '' ? null : value, key };
}

function nextOf(
  { rows, hasMore }: Breakdown,
  page: PageRequest,
  { beginning, prices, teams }: Pick<Position, 'beginning' | 'prices' | 'teams'>,
): { has_more: boolean; next_cursor?: string } {
  const last = rows.at(-1);
  const next =
    hasMore && last
      ? [beginning.version, beginning.at.toISOString(), prices, teams, valueOf(last.value)?.toString() ?? '', last.key]
      : null;
  const { hasMore: has_more, nextCursor } = toPagination({ items: [...rows], next }, page);
  return nextCursor === undefined ? { has_more } : { has_more, next_cursor: nextCursor };
}
