import { SchedulerRegistry } from '@nestjs/schedule';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { expectRecount } from '../support/expect-recount.js';
import type { GivenOrganization } from '../support/given.js';
import { aggregate, ANALYTICS, event, modelCall, report, startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import { NaiveRecount } from '../support/naive-recount.js';
import { daysBetween, type ReportedEvent } from '../support/reported-events.js';
import type { TestApp } from '../support/test-app.js';
import { createTestDatabase, query, type TestDatabase } from '../support/test-database.js';

const NOW = '2026-06-01T00:05:00.000Z';
const RANGE = { start: '2026-05-20', end: '2026-05-31' };
const DAYS = ['2026-05-20', '2026-05-21', '2026-05-22', '2026-05-30', '2026-05-31'];
/** After this, every late event is counted. */
const LONGEST_PAUSE_MS = 15 * 60_000;
const clock = new ManualClock(NOW);
let database: TestDatabase;
const replicas: TestApp[] = [];
let log: string[];

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  clock.set(NOW);
  log = [];
  while (replicas.length < 3) replicas.push(await startReplica());
});
afterAll(async () => {
  for (const each of replicas) await each.stop();
  await database.drop();
});

function startReplica(): Promise<TestApp> {
  return startUsageApp({ clock, database, onLog: (line) => log.push(line) });
}

const sql = <Row extends object>(statement: string, parameters: unknown[] = []) =>
  query<Row>(database.url, statement, parameters);

/** What was logged as a warning or worse. */
const complaints = () => log.filter((line) => (JSON.parse(line) as { level: number }).level >= 40);

function replica(place: number): TestApp {
  const found = replicas[place];
  if (!found) throw new Error('There is no such replica');
  return found;
}

class Usage {
  readonly events: ReportedEvent[] = [];

  private constructor(readonly org: GivenOrganization) {}

  static async begin(): Promise<Usage> {
    return new Usage(await replica(0).given.organization());
  }

  async add(days: string[], through = replica(0)): Promise<void> {
    const { owner } = this.org;
    const events = days.flatMap((day) => [
      modelCall(owner, day, { sessionId: 's' }),
      event(owner, 'tool_call', day, { tool: 'Read', sessionId: 's' }),
      event(owner, 'user_message', day, { sessionId: 's' }),
    ]);
    await report(through.as(owner), events);
    this.events.push(...events);
  }

  isRecounted(through = replica(0)): Promise<void> {
    const { owner } = this.org;
    return expectRecount(through.as(owner), new NaiveRecount(this.events, new Map([[owner.id, owner.email]])), RANGE);
  }
}

describe('replicas', () => {
  it.each([2, 3])('compute each day once when %d of them run at the same time', async (count) => {
    const usages = await Promise.all(Array.from({ length: 8 }, () => Usage.begin()));
    for (const usage of usages) await usage.add(DAYS);
    const computed = await Promise.all(replicas.slice(0, count).map(aggregate));
    expect(computed.reduce((sum, next) => sum + next)).toBe(usages.length * DAYS.length);
    expect(await sql(`SELECT * FROM superseded_days`)).toEqual([]);
    expect(await sql(`SELECT * FROM dirty_days`)).toEqual([]);
    expect(await sql(`SELECT * FROM aggregation_claims`)).toEqual([]);
    expect(complaints()).toEqual([]);
    for (const usage of usages) await usage.isRecounted();
  });

  it('compute what arrives while they are at it', async () => {
    const usages = await Promise.all(Array.from({ length: 4 }, () => Usage.begin()));
    for (const usage of usages) await usage.add(DAYS);
    const arriving = usages.map(async (usage, i) => {
      for (const day of DAYS) await usage.add([day], replica(i % 3));
    });
    const reading = usages.map((usage, i) =>
      replica(i % 3)
        .as(usage.org.owner)
        .get(`/api/v1/analytics/tools?startDate=${RANGE.start}&endDate=${RANGE.end}`),
    );
    await Promise.all([...arriving, ...reading, ...replicas.map(aggregate)]);
    clock.advance(LONGEST_PAUSE_MS);
    await Promise.all(replicas.map(aggregate));
    expect(complaints()).toEqual([]);
    for (const usage of usages) await usage.isRecounted(replica(2));
  });

  it('all know at once that an answer has changed, whichever of them computed it', async () => {
    const usage = await Usage.begin();
    await usage.add(DAYS);
    await aggregate(replica(0));
    const path = `${ANALYTICS}/tools?startDate=${RANGE.start}&endDate=${RANGE.end}`;
    const ask = (place: number, etag = '') => replica(place).as(usage.org.owner).get(path, { 'If-None-Match': etag });
    let { etag } = (await ask(0)).headers;
    for (let computing = 0; computing < replicas.length; computing++) {
      for (const place of [0, 1, 2, 0, 1, 2]) expect((await ask(place, etag)).status).toBe(304);
      await usage.add(['2026-05-22'], replica(computing));
      clock.advance(LONGEST_PAUSE_MS);
      await aggregate(replica(computing));
      const answers = await Promise.all([0, 1, 2].map((place) => ask(place, etag)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(1);
      etag = answers[0]?.headers.etag;
    }
  });

  it('run the nightly slot once', async () => {
    const usage = await Usage.begin();
    await usage.add(DAYS);
    for (const each of replicas) await fireNightly(each);
    const runs = () =>
      sql(`SELECT attempts FROM job_runs WHERE job = 'nightly-aggregation' AND finished_at IS NOT NULL`);
    expect(await eventually('the nightly run', async () => (await runs()).length > 0 && runs())).toEqual([
      { attempts: 1 },
    ]);
    await eventually('all days are computed', async () => (await sql(`SELECT FROM dirty_days`)).length === 0);
    expect(log.filter((line) => line.includes('Nightly aggregation:'))).toHaveLength(1);
    await usage.isRecounted();
  });

  it('survive a night in which the ledger cannot be reached', async () => {
    await sql(`ALTER TABLE job_runs RENAME TO job_runs_away`);
    await fireNightly(replica(0));
    await eventually('it is told', () => complaints().some((line) => line.includes('nightly run failed')));
    await sql(`ALTER TABLE job_runs_away RENAME TO job_runs`);
  });

  it('leave the old rows whole and their claims free when they are stopped', async () => {
    const usage = await Usage.begin();
    await usage.add(DAYS);
    await aggregate(replica(0));
    const before = await served(usage);
    await usage.add(['2026-05-21', '2026-05-31']);
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query(`BEGIN; LOCK TABLE day_documents IN SHARE ROW EXCLUSIVE MODE`);
    const stopped = replica(2);
    replicas.pop();
    const run = aggregate(stopped).catch(() => 0);
    await eventually('it waits', async () => (await sql(`SELECT FROM pg_locks l WHERE NOT l.granted`)).length > 0);
    await stopped.stop();
    expect(await run).toBe(0);
    await blocker.query(`ROLLBACK`);
    await blocker.end();
    expect(await served(usage)).toEqual(before);
    expect(await sql(`SELECT * FROM aggregation_claims`)).toEqual([]);
    await aggregate(replica(0));
    await usage.isRecounted();
    expect(complaints()).toEqual([]);
  });

  async function served({ org }: Usage): Promise<object[]> {
    const days = daysBetween(RANGE.start, RANGE.end);
    return sql(`SELECT d.* FROM analytics_days d WHERE d.org_id = $1 AND d.day = ANY ($2)`, [org.id, days]);
  }

  async function fireNightly({ nest }: TestApp): Promise<void> {
    await nest.get(SchedulerRegistry).getCronJob('nightly-aggregation').fireOnTick();
  }
});
