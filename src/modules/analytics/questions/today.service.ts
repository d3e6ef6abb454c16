import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import type { StreamedAnswer } from '../../../http/streams/streamed-answer.js';
import type { TodayModel } from '../aggregation/facts/today-rows.js';
import type { AnswerFormat } from '../answer-format.js';
import { PriceLists } from '../pricing/price-lists.js';
import { type ShownFigures, shownFigures, SUMMARY_METRICS } from './figures.js';
import type { ActivityMetric } from './metrics.js';
import { MODEL_FIGURES, modelFigures } from './model-figures.js';
import { descending, PERSON_METRICS } from './person.js';
import { type Answer, QuestionAnswers } from './question-answers.js';
import { eachActivity } from './questions.repository.js';
import { RateTable } from './rate-table.js';
import { RunningDay, type RunningDayFacts } from './running-day.js';
import { activityOf, classSumsOf } from './running-day-facts.js';

const TOP_PEOPLE = 10;
const EXAMPLE = { hour: 0, ...Object.fromEntries(SUMMARY_METRICS.map((metric) => [metric, 0])) };

@Injectable()
export class TodayService {
  constructor(
    private readonly runningDay: RunningDay,
    private readonly answers: QuestionAnswers,
    private readonly prices: PriceLists,
  ) {}

  async today({ orgId }: Principal, format: AnswerFormat): Promise<StreamedAnswer> {
    const facts = await this.runningDay.of(orgId);
    const prices = await this.prices.of(orgId);
    const identity = ['today', facts.asOf.toISOString(), prices.revision];
    return this.answers.of({ orgId, identity, format, lastModified: facts.asOf }, EXAMPLE, () => {
      const all = facts.models.flatMap(({ calls }) => calls).map(classSumsOf);
      const rates = RateTable.of(prices, all, { start: facts.day, end: facts.day });
      const revision = createHash('sha256').update(JSON.stringify(identity)).digest('base64url').slice(0, 16);
      return Promise.resolve(toAnswer(orgId, facts, rates, revision));
    });
  }
}

function toAnswer(orgId: string, facts: RunningDayFacts, rates: RateTable, revision: string): Answer {
  const figuresOf = (calls: readonly TodayModel[]) => modelFigures(calls.map(classSumsOf), rates);
  const all = figuresOf(facts.models.flatMap(({ calls }) => calls));
  const users = [...facts.users.values()];
  const totals = {
    ...all.figures,
    ...sum(users.map(activityOf)),
    active_people: BigInt(users.length),
  };
  const hours = facts.hours.map(({ hour, calls }) => ({
    hour: hour.hour,
    ...shownFigures(SUMMARY_METRICS, {
      ...figuresOf(calls).figures,
      ...activityOf(hour),
      active_people: BigInt(hour.people),
    }),
  }));
  const models = facts.models
    .map(({ model, people, calls }) => ({
      model,
      figures: { ...figuresOf(calls).figures, active_people: BigInt(people) },
    }))
    .sort((a, b) => descending(a.figures.billable_tokens, b.figures.billable_tokens) || (a.model < b.model ? -1 : 1));
  const people = users
    .map((user) => ({
      ...user,
      figures: { ...figuresOf(facts.calls.get(user.userId) ?? []).figures, ...activityOf(user) },
    }))
    .sort((a, b) => descending(a.figures.billable_tokens, b.figures.billable_tokens) || (a.userId < b.userId ? -1 : 1));
  const data = {
    date: facts.day.toString(),
    ...shownFigures(SUMMARY_METRICS, totals),
    by_hour: hours,
    by_model: models.map(({ model, figures }) => ({
      model_id: model,
      ...shownFigures([...MODEL_FIGURES, 'active_people'], figures),
    })),
    top_people: people.slice(0, TOP_PEOPLE).map(({ userId, email, figures }): TopPerson => ({
      user_id: userId,
      user_email: email,
      ...shownFigures(PERSON_METRICS, figures),
    })),
  };
  const meta = { org_id: orgId, as_of: facts.asOf.toISOString(), final: false, revision, ...all.money.meta };
  return { json: { data, meta }, rows: hours };
}

type TopPerson = { user_id: string; user_email: string | null } & ShownFigures<(typeof PERSON_METRICS)[number]>;

function sum(rows: readonly Record<ActivityMetric, bigint>[]): Record<ActivityMetric, bigint> {
  return eachActivity((metric) => rows.reduce((total, row) => total + row[metric], 0n));
}
