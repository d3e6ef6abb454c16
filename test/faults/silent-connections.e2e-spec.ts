import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Notifications } from '../../src/database/notifications.js';
import { AggregationService } from '../../src/modules/analytics/aggregation/aggregation.service.js';
import { eventually } from '../support/eventually.js';
import type { GivenUser } from '../support/given.js';
import { stopAggregation } from '../support/stop-aggregation.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestApp } from '../support/test-app.js';
import { createTestDatabase, query, type TestDatabase } from '../support/test-database.js';

const BULK = 'agent-platform bulk';
/** A tenth of the default, so that what takes 60 s at most takes 6 s. */
const SILENCE_SECONDS = 3;
const RECOVERY_MS = 6_000;
/** Reads have their own limit, which is the time for a statement. */
const READ_RECOVERY_MS = 13_000;
/** A day that failed is tried again after five seconds. */
const AGGREGATION_RECOVERY_MS = RECOVERY_MS + 5_000;
const [YESTERDAY, DAY_BEFORE, AND_BEFORE] = [1, 2, 3].map((days) => daysAgo(days));

describe('database connections that are lost without a sign', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let app: TestApp;
  let owner: GivenUser;

  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await TcpProxy.start(database.url);
    const env = { DATABASE_SILENCE_SECONDS: `${SILENCE_SECONDS}` };
    app = await TestApp.start({ database: { ...database, url: proxy.url }, env });
    await stopAggregation(app);
    owner = (await app.given.organization()).owner;
  });
  afterAll(async () => {
    proxy.cut();
    await app.stop();
    await proxy.stop();
    await database.drop();
  });

  const event = (day = YESTERDAY) => ({
    id: randomUUID(),
    at: `${day}T10:00:00.000Z`,
    sessionId: 'one',
    type: 'model_call',
    modelId: 'm',
    inputTokens: 100,
    outputTokens: 10,
  });
  const send = (...events: object[]) => app.as(owner).post('/api/v1/ingest/events', { events });
  const ready = async () => (await app.withBearer(null).get('/health/ready')).status;
  const live = async () => (await app.withBearer(null).get('/health/live')).status;
  const me = async () => (await app.as(owner).get('/api/v0/me')).status;

  async function givenLock(table: string): Promise<pg.Client> {
    const holder = new pg.Client({ connectionString: database.url });
    holder.on('error', () => undefined);
    await holder.connect();
    await holder.query(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`);
    return holder;
  }

  /** Holds a lock for which a bulk transaction waits, loses its connection and then lets go: nobody hears the answer. */
  async function loseAnswerOfBulk(table: string, work: () => Promise<unknown>): Promise<Promise<unknown>> {
    const holder = await givenLock(table);
    const result = work();
    const waiting = `SELECT 1 FROM pg_stat_activity a WHERE a.wait_event_type = 'Lock' AND a.application_name = $1`;
    await eventually('a bulk statement waits', async () => (await query(database.url, waiting, [BULK])).length > 0);
    expect(proxy.silence(BULK)).toBeGreaterThan(0);
    await holder.end();
    return result;
  }

  it('ingest goes on, and what was under way is stored once when it is sent again', async () => {
    const lost = event();
    const startedAt = performance.now();
    const answer = loseAnswerOfBulk('user_month_usage', () => send(lost));

    await eventually('it is not ready while a write waits', async () => (await ready()) === 503, RECOVERY_MS);
    expect(await live()).toBe(200);
    expect(await answer).toMatchObject({ status: 503 });
    expect(await send(lost, event())).toMatchObject({ status: 200, body: { accepted: 2 } });
    expect(await ready()).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(RECOVERY_MS);

    const stored = await query(database.url, `SELECT 1 FROM events e WHERE e.id = $1`, [lost.id]);
    expect(stored).toHaveLength(1);
  });

  it('the idle ones are not tried one after the other', async () => {
    await Promise.all(Array.from({ length: 4 }, () => send(event())));
    expect(proxy.silence(BULK)).toBeGreaterThan(0);
    const startedAt = performance.now();

    expect(await send(event())).toMatchObject({ status: 200, body: { accepted: 1 } });
    expect(performance.now() - startedAt).toBeLessThan(1_500);
  });

  it('aggregation computes the day again', async () => {
    await send(event(DAY_BEFORE));
    const aggregation = app.nest.get(AggregationService);
    const startedAt = performance.now();

    await loseAnswerOfBulk('analytics_days', () => aggregation.runDue());

    const due = `SELECT 1 FROM dirty_days m WHERE m.day = $1`;
    await eventually(
      'the day is computed',
      async () => {
        await aggregation.runDue();
        return (await query(database.url, due, [DAY_BEFORE])).length === 0;
      },
      AGGREGATION_RECOVERY_MS,
    );
    expect(performance.now() - startedAt).toBeLessThan(AGGREGATION_RECOVERY_MS);
  });

  it('a long statement is not taken for a silent one', async () => {
    await send(event(AND_BEFORE));
    const holder = await givenLock('analytics_days');
    const computed = app.nest.get(AggregationService).runDue();
    await holder.query('SELECT pg_sleep($1)', [SILENCE_SECONDS * 1.5]);
    await holder.end();

    expect(await computed).toBe(1);
  });

  it('the connection for notifications is connected again', async () => {
    const notifications = app.nest.get(Notifications);
    let connectedAgain = 0;
    notifications.onInterruption(() => connectedAgain++);
    expect(proxy.silence('agent-platform notifications')).toBe(1);
    expect(notifications.lagMs).toBeLessThan(1_000);

    await eventually('the silence is noticed', () => connectedAgain > 0, 3_000);
    await eventually('it is heard again', () => notifications.lagMs < 1_000, 3_000);
  });

  it('reads answer again, and until then readiness says that they do not', async () => {
    await Promise.all(Array.from({ length: 4 }, me));
    const startedAt = performance.now();
    expect(proxy.silence()).toBeGreaterThan(0);

    const [whileSilent] = await Promise.all([
      ready(),
      eventually('a request is answered', async () => (await me()) === 200, READ_RECOVERY_MS),
    ]);
    expect(whileSilent).toBe(503);
    expect(await ready()).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(READ_RECOVERY_MS);
  });
});

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}
