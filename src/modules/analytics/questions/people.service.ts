import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { NotFoundError } from '../../../common/errors/domain-error.js';
import { Clock } from '../../../common/time/clock.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import type { StreamedAnswer } from '../../../http/streams/streamed-answer.js';
import type { AnalyticsRange } from '../analytics-range.js';
import type { AnswerFormat } from '../answer-format.js';
import { PriceLists } from '../pricing/price-lists.js';
import { FactDays } from './fact-days.js';
import { shownFigures } from './figures.js';
import { PeopleRepository } from './people.repository.js';
import { joined, type Person, PERSON_METRICS, personOf } from './person.js';
import { NO_FACTS, type PersonFacts } from './person-facts.js';
import { type Answer, QuestionAnswers } from './question-answers.js';
import { metaOf, QuestionStates, type QuestionState } from './question-states.js';
import { RunningDay } from './running-day.js';
import { MODEL_FIGURES } from './model-figures.js';

export interface OwnUsage {
  readonly person: Person;
  readonly range: AnalyticsRange;
  /** The day that is not over, if it is among the days. */
  readonly today: string | null;
  readonly dataAsOf: Date | null;
}

const EXAMPLE = { date: '', ...Object.fromEntries(PERSON_METRICS.map((metric) => [metric, 0])) };

@Injectable()
export class PeopleService {
  constructor(
    private readonly states: QuestionStates,
    private readonly answers: QuestionAnswers,
    private readonly days: FactDays,
    private readonly people: PeopleRepository,
    private readonly prices: PriceLists,
    private readonly runningDay: RunningDay,
    private readonly clock: Clock,
  ) {}

  async person(
    { orgId }: Principal,
    userId: string,
    range: AnalyticsRange,
    format: AnswerFormat,
  ): Promise<StreamedAnswer> {
    const found = await this.people.findPerson(orgId, userId);
    if (!found) throw new NotFoundError('user', userId);
    const state = await this.states.find(orgId, range, null, { hasPrices: true, hasTeams: false });
    const identity = ['person', userId, found.email, ...state.identity];
    return this.answers.of({ orgId, identity, format, lastModified: state.dataAsOf }, EXAMPLE, async () => {
      const person = await this.compute(orgId, await this.closedFacts(orgId, userId, range), range, datesOf(range));
      return toAnswer({ orgId, userId, email: found.email, range }, state, person);
    });
  }

  /** One's own; `range` may end today. */
  async own({ orgId, userId }: Principal, range: AnalyticsRange): Promise<OwnUsage> {
    const today = UtcDay.of(this.clock.now());
    const closed = range.closed(today);
    const state = await this.states.find(orgId, closed, null, { hasPrices: false, hasTeams: false });
    const facts = await this.closedFacts(orgId, userId, closed);
    const running = range.end.isBefore(today) ? null : await this.runningDay.ofUser(orgId, userId);
    const dates = [...datesOf(closed), ...(running ? [today.toString()] : [])];
    const person = await this.compute(orgId, running ? joined(facts, running) : facts, range, dates);
    return { person, range, today: running ? today.toString() : null, dataAsOf: running?.asOf ?? state.dataAsOf };
  }

  private async closedFacts(orgId: string, userId: string, range: AnalyticsRange): Promise<PersonFacts> {
    const days = await this.days.pin(orgId, range);
    return days.days.length === 0 ? NO_FACTS : this.people.findFacts(orgId, userId, days);
  }

  private async compute(orgId: string, facts: PersonFacts, range: AnalyticsRange, dates: string[]): Promise<Person> {
    return personOf(facts, dates, await this.prices.of(orgId), range);
  }
}

const datesOf = (range: AnalyticsRange) => [...range.days()].map(String);

function toAnswer(
  { orgId, userId, email, range }: { orgId: string; userId: string; email: string | null; range: AnalyticsRange },
  state: QuestionState,
  { totals, days, models, tools, money }: Person,
): Answer {
  const rows = days.map(({ date, figures }) => ({ date, ...shownFigures(PERSON_METRICS, figures) }));
  const data = {
    user_id: userId,
    user_email: email,
    totals: shownFigures([...PERSON_METRICS, 'active_days'], totals),
    days: rows,
    models: models.map(({ model, figures }) => ({ model_id: model, ...shownFigures(MODEL_FIGURES, figures) })),
    tools: tools.map(({ tool, count }) => ({ tool, ...shownFigures(['count'], { count }) })),
  };
  return { json: { data, meta: { ...metaOf(orgId, range, state), ...money.meta } }, rows };
}
