import { SessionRetentionJob } from '../../src/modules/sessions/session-retention.job.js';
import type { GivenOrganization } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { query } from '../support/test-database.js';
import { TestApp } from '../support/test-app.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const START = Date.parse('2026-11-15T08:00:00.000Z');
const clock = new ManualClock(new Date(START));
let app: TestApp;
let second: TestApp;
let org: GivenOrganization;
let computerId: string;

beforeAll(async () => {
  app = await TestApp.start({ clock });
  second = await TestApp.start({ clock, database: app.database });
  // Writes down how many sessions each statement deletes, and fails one of them on demand.
  await query(app.database.url, `CREATE TABLE test_batches (n serial, sessions bigint)`);
  await query(app.database.url, `CREATE TABLE test_failures (batch integer)`);
  await query(
    app.database.url,
    `CREATE FUNCTION test_note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
     BEGIN
       IF (SELECT count(*) FROM test_batches) IN (SELECT batch FROM test_failures) THEN RAISE 'full'; END IF;
       INSERT INTO test_batches (sessions) SELECT count(*) FROM gone HAVING count(*) > 0;
       RETURN NULL;
     END $$`,
  );
  await query(
    app.database.url,
    `CREATE TRIGGER test_note AFTER DELETE ON sessions REFERENCING OLD TABLE AS gone EXECUTE FUNCTION test_note()`,
  );
});
beforeEach(async () => {
  await query(app.database.url, `TRUNCATE test_batches, test_failures, job_runs`);
  await query(app.database.url, `TRUNCATE enterprise_controls, sessions CASCADE`);
  clock.set(new Date(START));
  org = await app.given.organization();
  computerId = (await app.as(org.owner).post('/api/v0/computers', { name: 'build-server' })).body.id;
});
afterAll(async () => {
  await second.stop();
  await app.stop();
});

const runOn = (replica: TestApp) => replica.nest.get(SessionRetentionJob).run();
const keepFor = (days: number) =>
  app.as(org.owner).put('/api/v0/organization/enterprise-controls', { sessionRetentionDays: days });

/** A session with one message that was last changed this long ago. */
async function sessionOfAge(ageMs: number): Promise<string> {
  const { body } = await app.as(org.owner).post('/api/v0/sessions', { computerId });
  const path = `/api/v0/sessions/${body.sessionId}/messages`;
  await app.as(org.owner).post(path, { text: 'Hello' });
  await query(app.database.url, `UPDATE sessions SET updated_at = $2 WHERE id = $1`, [
    body.sessionId,
    new Date(START - ageMs),
  ]);
  return body.sessionId;
}

const manyExpired = (count: number) =>
  query(
    app.database.url,
    `INSERT INTO sessions (org_id, id, user_id, computer_id, status, settings, created_at, updated_at)
     SELECT $1, gen_random_uuid(), $2, $3, 'idle', '{}', $4, $4 FROM generate_series(1, $5)`,
    [org.id, org.owner.id, computerId, new Date(START - 100 * DAY_MS), count],
  );
const ids = async () =>
  (await query<{ id: string }>(app.database.url, `SELECT s.id FROM sessions s WHERE s.org_id = $1`, [org.id])).map(
    ({ id }) => id,
  );
const batches = async () =>
  (await query<{ sessions: string }>(app.database.url, `SELECT sessions FROM test_batches ORDER BY n`)).map(
    ({ sessions }) => Number(sessions),
  );

describe('sessionRetentionDays', () => {
  it('ends a session one millisecond after its days, and no earlier', async () => {
    await keepFor(14);
    const kept = await sessionOfAge(14 * DAY_MS);
    const expired = await sessionOfAge(14 * DAY_MS + 1);
    await runOn(app);
    expect(await ids()).toEqual([kept]);
    expect((await app.as(org.owner).get(`/api/v0/sessions/${expired}`)).status).toBe(404);
  });

  it('ends a session with its messages, turns and events', async () => {
    await keepFor(14);
    const expired = await sessionOfAge(15 * DAY_MS);
    await runOn(app);
    const rows = await query(
      app.database.url,
      `SELECT 1 FROM messages WHERE session_id = $1 UNION ALL SELECT 1 FROM turns WHERE session_id = $1
       UNION ALL SELECT 1 FROM session_events WHERE session_id = $1`,
      [expired],
    );
    expect(rows).toEqual([]);
  });

  it('does not end a session that is running', async () => {
    await keepFor(14);
    const running = await sessionOfAge(100 * DAY_MS);
    await query(app.database.url, `UPDATE sessions SET status = 'running' WHERE id = $1`, [running]);
    await runOn(app);
    expect(await ids()).toEqual([running]);
  });

  it('that was never set keeps everything', async () => {
    await manyExpired(2);
    await runOn(app);
    expect(await ids()).toHaveLength(2);
  });

  it('that is not set any more keeps everything', async () => {
    await keepFor(14);
    await app.as(org.owner).put('/api/v0/organization/enterprise-controls', {});
    await manyExpired(2);
    await runOn(app);
    expect(await ids()).toHaveLength(2);
  });

  it('of the newest revision counts', async () => {
    await keepFor(14);
    await keepFor(90);
    const kept = await sessionOfAge(80 * DAY_MS);
    await runOn(app);
    expect(await ids()).toEqual([kept]);
  });

  it('of one organization does not touch another', async () => {
    const kept = await sessionOfAge(100 * DAY_MS);
    const first = org;
    org = await app.given.organization();
    await keepFor(14);
    await runOn(app);
    org = first;
    expect(await ids()).toEqual([kept]);
  });

  it('keeps a session that is used while the job waits for it', async () => {
    await keepFor(14);
    const used = await sessionOfAge(15 * DAY_MS);
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: app.database.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query(`UPDATE sessions SET updated_at = $2 WHERE id = $1`, [used, new Date(START)]);
    const job = runOn(app);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await client.query('COMMIT');
    await client.end();
    await job;
    expect(await ids()).toEqual([used]);
  });
});

describe('the job', () => {
  it('deletes in batches of 500', async () => {
    await keepFor(14);
    await manyExpired(1_100);
    await runOn(app);
    expect([await batches(), await ids()]).toEqual([[500, 500, 100], []]);
  });

  it('runs once in an hour across replicas', async () => {
    await keepFor(14);
    await Promise.all([runOn(app), runOn(second)]);
    await manyExpired(1);
    await runOn(second);
    await runOn(app);
    const runs = await query(app.database.url, `SELECT attempts FROM job_runs WHERE job = 'session-retention'`);
    expect([runs, (await ids()).length]).toEqual([[{ attempts: 1 }], 1]);
  });

  it('runs again in the next hour', async () => {
    await keepFor(14);
    await runOn(app);
    await manyExpired(1);
    clock.advance(60 * MINUTE_MS);
    await runOn(second);
    expect(await ids()).toEqual([]);
  });

  it('that failed after a batch is continued by another replica in the next hour', async () => {
    await keepFor(14);
    await manyExpired(600);
    await query(app.database.url, `INSERT INTO test_failures VALUES (1)`);
    await runOn(app);
    const left = (await ids()).length;
    await query(app.database.url, `TRUNCATE test_failures`);
    clock.advance(29 * MINUTE_MS); // the same hour
    await runOn(second);
    const stillLeft = (await ids()).length;
    clock.advance(31 * MINUTE_MS);
    await runOn(second);
    expect([left, stillLeft, (await ids()).length]).toEqual([100, 100, 0]);
  });
});
