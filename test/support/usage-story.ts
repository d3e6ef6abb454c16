import { AggregationService } from '../../src/modules/analytics/aggregation/aggregation.service.js';
import { PriceLists } from '../../src/modules/analytics/pricing/price-lists.js';
import { RunningDay } from '../../src/modules/analytics/questions/running-day.js';
import { IntakeCounts } from '../../src/modules/ingest/intake/intake-counts.js';
import { eventually } from './eventually.js';
import type { GivenOrganization, GivenUser } from './given.js';
import { TEAMS } from './given-teams.js';
import { aggregate, report } from './given-usage.js';
import type { ManualClock } from './manual-clock.js';
import { countedEvents } from './naive-events.js';
import { type NaiveModel, type NaiveOwnPrice, NaivePriceBook } from './naive-price-book.js';
import { type NaiveMember, NaiveQuestions } from './naive-questions.js';
import { daysFrom, type ReportedEvent } from './reported-events.js';
import type { TestApp } from './test-app.js';
import { utcDay } from './utc-day.js';

const PRICES = '/api/v0/organization/prices';
const USERS = '/api/v0/organization/users';
/** After this, every late event is counted. */
const LONGEST_PAUSE_MS = 15 * 60_000;
const FACTS_BUDGET_MS = 60_000;

/** An organization that remembers everything that happened to it. */
export class UsageStory {
  readonly arrivals: ReportedEvent[] = [];
  readonly erased = new Set<string>();
  readonly teams = new Map<string, string>();
  private members: NaiveMember[] = [];
  private prices: NaiveOwnPrice[] = [];

  private constructor(
    readonly app: TestApp,
    readonly clock: ManualClock,
    readonly org: GivenOrganization,
    readonly users: GivenUser[],
    private readonly listed: readonly NaiveModel[],
  ) {}

  static async begin(app: TestApp, clock: ManualClock, userCount: number, listed: readonly NaiveModel[]) {
    const org = await app.given.organization();
    const others = await Promise.all(Array.from({ length: userCount - 1 }, () => app.given.user(org)));
    return new UsageStory(app, clock, org, [org.owner, ...others], listed);
  }

  get today(): string {
    return this.clock.now().toISOString().slice(0, 10);
  }

  get owner() {
    return this.app.as(this.org.owner);
  }

  get emails(): ReadonlyMap<string, string | null> {
    return new Map(this.users.map(({ id, email }) => [id, this.erased.has(id) ? null : email]));
  }

  /** What people see instead of ids. */
  get labels(): ReadonlyMap<string, string> {
    const emails = [...this.emails].flatMap(([id, email]): [string, string][] => (email === null ? [] : [[id, email]]));
    return new Map([...emails, ...this.teams]);
  }

  /** What has to be answered now. */
  get naive(): NaiveQuestions {
    return new NaiveQuestions(countedEvents(this.arrivals), this.members, new NaivePriceBook(this.listed, this.prices));
  }

  /** Those that may have happened already, of people who are still there. */
  async send(events: readonly ReportedEvent[]): Promise<void> {
    const now = this.clock.now();
    const sent = events.filter(({ at, userId }) => new Date(at) <= now && !this.erased.has(userId));
    if (sent.length === 0) return;
    await report(this.owner, sent);
    this.arrivals.push(...sent);
  }

  /** From that day on, whatever was before; null: in no team. */
  async move(user: GivenUser, team: string | null, from: string): Promise<void> {
    const kept = this.members.flatMap((member): NaiveMember[] => {
      if (member.userId !== user.id) return [member];
      if (member.from >= from) return [];
      return [{ ...member, to: member.to !== null && member.to < from ? member.to : daysFrom(from, -1) }];
    });
    await this.setMembers(kept);
    if (team === null) return;
    await this.setMembers([...kept, { userId: user.id, teamId: await this.teamNamed(team), from, to: null }]);
  }

  async setPrices(prices: NaiveOwnPrice[]): Promise<void> {
    const lists = this.app.nest.get(PriceLists);
    const before = (await lists.of(this.org.id)).revision;
    const isChange = JSON.stringify(prices) !== JSON.stringify(this.prices);
    const { status, body } = await this.owner.put(PRICES, { prices });
    expect([status, body.detail]).toEqual([200, undefined]);
    this.prices = prices;
    if (isChange) await eventually('the prices hold', async () => (await lists.of(this.org.id)).revision !== before);
  }

  async erase(user: GivenUser): Promise<void> {
    if (user.id === this.org.owner.id || this.erased.has(user.id)) return;
    expect((await this.owner.delete(`${USERS}/${user.id}`)).status).toBe(204);
    expect((await this.owner.post(`${USERS}/${user.id}/erase`)).status).toBe(204);
    this.erased.add(user.id);
  }

  rebuild(day: string): Promise<boolean> {
    return this.app.nest.get(AggregationService).rebuild([this.org.id], utcDay(day));
  }

  /** Everything that is due in the background is done. */
  async settle(): Promise<void> {
    this.clock.advance(LONGEST_PAUSE_MS);
    await aggregate(this.app);
    await this.app.nest.get(AggregationService).addMissingFacts(FACTS_BUDGET_MS);
    await this.app.nest.get(AggregationService).tidy();
    await this.app.nest.get(IntakeCounts).flush();
    // Today is read at most once a second, which a test does not wait for.
    for (const reads of ['facts', 'tools'])
      Reflect.get(Reflect.get(this.app.nest.get(RunningDay), reads), 'lines').clear();
  }

  private async teamNamed(name: string): Promise<string> {
    const known = [...this.teams].find(([, other]) => other === name)?.[0];
    if (known !== undefined) return known;
    const { body } = await this.owner.post(TEAMS, { name });
    this.teams.set(body.id, name);
    return body.id as string;
  }

  private async setMembers(members: NaiveMember[]): Promise<void> {
    for (const teamId of this.teams.keys()) {
      const own = members.filter((member) => member.teamId === teamId);
      const body = { members: own.map(({ userId, from, to }) => ({ userId, from, ...(to === null ? {} : { to }) })) };
      const { status, body: answer } = await this.owner.put(`${TEAMS}/${teamId}/members`, body);
      expect([status, answer.detail]).toEqual([200, undefined]);
    }
    this.members = members;
  }
}
