import { BulkDatabase } from '../../src/database/bulk-database.js';
import { AggregationService } from '../../src/modules/analytics/aggregation/aggregation.service.js';
import { expectRecount } from './expect-recount.js';
import type { GivenOrganization, GivenUser } from './given.js';
import { aggregate, ANALYTICS, report, startUsageApp } from './given-usage.js';
import { ManualClock } from './manual-clock.js';
import { NaiveRecount } from './naive-recount.js';
import type { ReportedEvent } from './reported-events.js';
import type { TestApp } from './test-app.js';
import { query } from './test-database.js';
import { utcDay } from './utc-day.js';

const START = '2026-06-01T08:00:00.000Z';

/** An application for the tests of one file, and for each of them an organization that remembers what it has sent. */
export class AggregationHistory {
  readonly clock = new ManualClock(START);
  readonly log: string[] = [];
  readonly sent: ReportedEvent[] = [];
  app!: TestApp;
  org!: GivenOrganization;
  private readonly users: GivenUser[] = [];

  /** To be called at the top of a file. */
  static use(): AggregationHistory {
    const history = new AggregationHistory();
    beforeAll(async () => {
      history.app = await startUsageApp({ clock: history.clock, onLog: (line) => history.log.push(line) });
    });
    beforeEach(() => history.begin());
    afterAll(() => history.app.stop());
    return history;
  }

  get owner(): GivenUser {
    return this.org.owner;
  }

  sql = <Row extends object>(statement: string, parameters: unknown[] = [this.org.id]) =>
    query<Row>(this.app.database.url, statement, parameters);

  send = async (...events: ReportedEvent[]): Promise<void> => {
    await report(this.app.as(this.owner), events);
    this.sent.push(...events);
  };

  givenUser = async (): Promise<GivenUser> => {
    const user = await this.app.given.user(this.org);
    this.users.push(user);
    return user;
  };

  isRecounted = (start: string, end: string): Promise<void> => {
    const recount = new NaiveRecount(this.sent, new Map(this.users.map(({ id, email }) => [id, email])));
    return expectRecount(this.app.as(this.owner), recount, { start, end });
  };

  activeUsersOn = async (day: string): Promise<[daily: number, weekly: number, monthly: number]> => {
    const { body } = await this.get('activity', day);
    const [row] = body.data;
    return [row.daily_active_users, row.weekly_active_users, row.monthly_active_users];
  };

  get = (path: string, day: string) =>
    this.app.as(this.owner).get(`${ANALYTICS}/${path}?startDate=${day}&endDate=${day}`);

  rebuild = (day: string) => this.app.nest.get(AggregationService).rebuild([this.org.id], utcDay(day));

  tidy = () => this.app.nest.get(AggregationService).tidy();

  count = async (table: string): Promise<number | undefined> => {
    const [row] = await this.sql<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE org_id = $1`);
    return row?.n;
  };

  /** A fingerprint of each day of the organization as it is served. */
  storedDays = () =>
    this.sql(`SELECT d.day::text, d.version, md5(d::text || coalesce((
                     SELECT string_agg(x::text, ',' ORDER BY x.kind) FROM day_documents x
                      WHERE x.org_id = d.org_id AND x.day = d.day AND x.version = d.version), '')) AS fingerprint
                FROM analytics_days d WHERE d.org_id = $1 ORDER BY d.day`);

  /** Does `work`, whose transaction waits for `meanwhile` once it has read the events for the first time. */
  afterFirstScan = async (meanwhile: () => Promise<unknown>, work: () => Promise<unknown>): Promise<void> => {
    const bulk = this.app.nest.get(BulkDatabase);
    const transaction = bulk.transaction.bind(bulk);
    let scans = 0;
    bulk.transaction = (begin, inside, signal) =>
      transaction(
        begin,
        (client) => {
          bulk.transaction = transaction;
          const query = async (statement: string, parameters: unknown[]) => {
            const result = await client.query(statement, parameters);
            if (statement.includes('INSERT INTO user_model_facts') && ++scans === 1) await meanwhile();
            return result;
          };
          return inside({ query } as never);
        },
        signal,
      );
    await work();
    expect(scans).toBe(1);
  };

  private async begin(): Promise<void> {
    this.log.length = 0;
    this.sent.length = 0;
    this.clock.set(START);
    await aggregate(this.app);
    this.org = await this.app.given.organization();
    this.users.splice(0, Infinity, this.owner);
  }
}
