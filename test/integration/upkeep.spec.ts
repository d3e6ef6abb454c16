import { IdempotencyCleanupJob } from '../../src/idempotency/idempotency-cleanup.job.js';
import { AggregationService } from '../../src/modules/analytics/aggregation/aggregation.service.js';
import { EventStorageJob } from '../../src/modules/ingest/event-storage.job.js';
import { ExpiredTurnsService } from '../../src/modules/turns/expired-turns.service.js';
import { SessionRetentionJob } from '../../src/modules/sessions/session-retention.job.js';
import type { GivenOrganization } from '../support/given.js';
import {
  givenMessage,
  givenRunningTurn,
  givenSession,
  type GivenSession,
  storedSession,
} from '../support/given-session.js';
import { startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import type { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const NOW = '2026-11-15T08:30:00.000Z';
const clock = new ManualClock(NOW);
const log: string[] = [];
let app: TestApp;

beforeAll(async () => {
  app = await startUsageApp({ clock, env: { EVENT_RETENTION_DAYS: '30' }, onLog: (line) => log.push(line) });
  await query(
    app.database.url,
    `CREATE FUNCTION test_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''refused''; END'`,
  );
});
beforeEach(async () => {
  log.length = 0;
  clock.set(NOW);
  await query(app.database.url, 'TRUNCATE job_runs');
});
afterAll(() => app.stop());

const sql = <Row extends object>(text: string, parameters: unknown[] = []) =>
  query<Row>(app.database.url, text, parameters);
const count = async (text: string, parameters: unknown[] = []) => (await sql(text, parameters)).length;

/** Lets every change of this kind fail for one organization while `work` runs. */
async function whileRefused(
  { on, table, orgId }: { on: 'DELETE' | 'UPDATE'; table: string; orgId: string },
  work: () => Promise<unknown>,
): Promise<void> {
  await sql(`CREATE TRIGGER test_refuse BEFORE ${on} ON ${table} FOR EACH ROW WHEN (OLD.org_id = '${orgId}')
             EXECUTE FUNCTION test_refuse()`);
  try {
    await work();
  } finally {
    await sql(`DROP TRIGGER test_refuse ON ${table}`);
  }
}

/** Two organizations in the order in which jobs come to them. */
async function twoOrganizations(): Promise<[GivenOrganization, GivenOrganization]> {
  const first = await app.given.organization();
  const second = await app.given.organization();
  return first.id < second.id ? [first, second] : [second, first];
}

describe('an organization for which a job fails does not stop it for those behind', () => {
  it('when sessions are past their retention', async () => {
    const orgs = await twoOrganizations();
    for (const { owner } of orgs) {
      await givenSession(app, owner);
      await app.as(owner).put('/api/v0/organization/enterprise-controls', { sessionRetentionDays: 14 });
    }
    clock.set('2026-12-15T08:30:00Z');
    const left = () => Promise.all(orgs.map(({ id }) => count('SELECT FROM sessions WHERE org_id = $1', [id])));
    const run = () => app.nest.get(SessionRetentionJob).run();
    await whileRefused({ on: 'DELETE', table: 'sessions', orgId: orgs[0].id }, run);
    expect(await left()).toEqual([1, 0]);
    expect(log.filter((line) => line.includes(`Sessions of ${orgs[0].id} could not be deleted`))).toHaveLength(1);
    clock.advance(60 * 60_000); // the run of the next hour makes up for the failed one
    await run();
    expect(await left()).toEqual([0, 0]);
  });

  it('when versions of days are superseded', async () => {
    const orgs = await twoOrganizations();
    for (const { id, owner } of orgs) {
      await sql(`INSERT INTO superseded_days VALUES ($1, '2026-11-01', 1, '2026-11-15T08:00Z')`, [id]);
      await sql(
        `INSERT INTO user_days SELECT $1, gen_random_uuid(), '2026-11-01', 1, '{}' FROM generate_series(1, 3)`,
        [id],
      );
      await sql(`INSERT INTO user_days VALUES ($1, $2, '2026-11-01', 2, '{}')`, [id, owner.id]);
      await sql(
        `INSERT INTO day_documents VALUES ($1, 4, '2026-11-01', 1, 2, '{}'), ($1, 4, '2026-11-01', 2, 2, '{}')`,
        [id],
      );
    }
    const left = () =>
      Promise.all(
        orgs.flatMap(({ id }) =>
          ['superseded_days', 'user_days', 'day_documents'].map((table) =>
            count(`SELECT FROM ${table} WHERE org_id = $1`, [id]),
          ),
        ),
      );
    const tidy = () => app.nest.get(AggregationService).tidy();
    await whileRefused({ on: 'DELETE', table: 'day_documents', orgId: orgs[0].id }, () =>
      tidy().catch(() => undefined),
    );
    expect(await left()).toEqual([1, 1, 2, 0, 1, 1]);
    await tidy();
    expect(await left()).toEqual([0, 1, 1, 0, 1, 1]);
  });

  it('when turns have lost their agents', async () => {
    const orgs = await twoOrganizations();
    const sessions: GivenSession[] = [];
    for (const { owner } of orgs) {
      const session = await givenSession(app, owner);
      await givenMessage(app, session, 'Hello');
      await givenRunningTurn(app, session);
      await sql(`UPDATE turns SET lease_until = $2 WHERE session_id = $1`, [session.id, new Date(NOW)]);
      sessions.push(session);
      clock.advance(1);
    }
    clock.advance(1_000);
    const turns = () => Promise.all(sessions.map(async (session) => (await storedSession(app, session)).turns));
    // One at a time: the one that fails is the oldest, and would be the only one that is looked at.
    const expire = () => app.nest.get(ExpiredTurnsService).expireOverdue(1);
    await whileRefused({ on: 'UPDATE', table: 'turns', orgId: orgs[0].id }, async () => {
      expect([await expire(), await expire()]).toEqual([0, 1]);
    });
    expect(await turns()).toEqual([['running'], ['queued']]);
    expect(await expire()).toBe(1);
    expect(await turns()).toEqual([['queued'], ['queued']]);
  });
});

describe('events that are past their retention', () => {
  it('are dropped also when those of an earlier day cannot be', async () => {
    for (const day of ['2026-10-01', '2026-10-02']) {
      const partition = `events_${day.replaceAll('-', '')}`;
      await sql(`INSERT INTO event_days (day) VALUES ($1)`, [day]);
      await sql(
        `CREATE TABLE ${partition} PARTITION OF events FOR VALUES FROM ('${day} 00:00+00') TO ('${day} 24:00+00')`,
      );
    }
    await sql('CREATE VIEW test_depends AS SELECT * FROM events_20261001');
    await sql(
      `INSERT INTO session_clients SELECT o.id, gen_random_uuid(), gen_random_uuid(), 1, '2026-10-01' FROM organizations o`,
    );
    await app.nest.get(EventStorageJob).run();
    const left = await sql(
      `SELECT d.day::text, d.dropped_at IS NOT NULL AS dropped FROM event_days d WHERE d.day < '2026-11-01' ORDER BY 1`,
    );
    expect(left).toEqual([
      { day: '2026-10-01', dropped: false },
      { day: '2026-10-02', dropped: true },
    ]);
    expect(await count(`SELECT FROM session_clients WHERE seen_on < '2026-11-01'`)).toBe(0);
    expect(await count('SELECT FROM job_runs WHERE finished_at IS NULL')).toBe(1);
  });
});

describe('what is over', () => {
  it('is deleted in small statements: keys, and sessions with many messages', async () => {
    await sql(`CREATE TABLE test_statements (what text, n bigint)`);
    await sql(`CREATE FUNCTION test_note() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN INSERT INTO test_statements SELECT TG_TABLE_NAME, count(*) FROM gone HAVING count(*) > 0; RETURN NULL; END'`);
    for (const table of ['idempotency_keys', 'sessions']) {
      await sql(
        `CREATE TRIGGER test_note AFTER DELETE ON ${table} REFERENCING OLD TABLE AS gone EXECUTE FUNCTION test_note()`,
      );
    }
    const { id, owner } = await app.given.organization();
    await sql(
      `INSERT INTO idempotency_keys SELECT $1, $2, 'POST /', n::text, '', '{}', '2026-11-14T08:29:59Z' FROM generate_series(1, 2500) n`,
      [id, owner.id],
    );
    await sql(`INSERT INTO idempotency_keys VALUES ($1, $2, 'POST /', 'kept', '', '{}', '2026-11-14T08:30:01Z')`, [
      id,
      owner.id,
    ]);
    await app.nest.get(IdempotencyCleanupJob).run();
    expect(await sql(`SELECT k.key FROM idempotency_keys k WHERE k.org_id = $1`, [id])).toEqual([{ key: 'kept' }]);

    await app.as(owner).put('/api/v0/organization/enterprise-controls', { sessionRetentionDays: 14 });
    await sql(
      `INSERT INTO sessions (org_id, id, user_id, computer_id, status, settings, message_count, created_at, updated_at)
       SELECT $1, gen_random_uuid(), $2, gen_random_uuid(), 'idle', '{}', 15000, $3, $3 FROM generate_series(1, 5)`,
      [id, owner.id, new Date('2026-10-01')],
    );
    await app.nest.get(SessionRetentionJob).run();
    const statements = await sql<{ what: string; n: string }>('SELECT * FROM test_statements');
    expect(statements.map(({ what, n }) => `${what} ${n}`)).toEqual([
      ...['idempotency_keys 1000', 'idempotency_keys 1000', 'idempotency_keys 500'],
      ...['sessions 2', 'sessions 2', 'sessions 1'],
    ]);
  });
});
