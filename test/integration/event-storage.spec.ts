import pg from 'pg';
import { DatabaseService } from '../../src/database/database.service.js';
import { BoundedNamesAndLateDays1769090000000 } from '../../src/database/migrations/1769090000000-bounded-names-and-late-days.js';
import { EventPartitions } from '../../src/modules/ingest/event-partitions.js';
import { EventStorageJob } from '../../src/modules/ingest/event-storage.job.js';
import { OrgDatabase } from '../../src/database/org-database.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization } from '../support/given.js';
import { anEvent, givenEvents, sendEvents, storedEvents } from '../support/given-events.js';
import { ManualClock } from '../support/manual-clock.js';
import { stopAggregation } from '../support/stop-aggregation.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
const log: string[] = [];
let app: TestApp;
/** Started by tests that need it. */
let second: TestApp | undefined;
let org: GivenOrganization;

const options = {
  clock,
  env: { EVENT_RETENTION_DAYS: '30', MAX_NAMES_PER_DAY: '3' },
  onLog: (line: string) => log.push(line),
};

async function start(): Promise<void> {
  clock.set('2026-11-15T08:30:00.000Z');
  log.length = 0;
  app = await TestApp.start(options);
  await stopAggregation(app);
  org = await app.given.organization();
}

async function startReplica(): Promise<TestApp> {
  second = await TestApp.start({ ...options, database: app.database });
  await stopAggregation(second);
  return second;
}

const apps = () => (second ? [app, second] : [app]);

async function stop(): Promise<void> {
  for (const each of apps().reverse()) await each.stop();
  second = undefined;
}

const runJobs = () => Promise.all(apps().map(({ nest }) => nest.get(EventStorageJob).run()));
const send = (at: string, through = app) => sendEvents(through, org.owner, [anEvent('user_message', { at })]);
/** Partitions as they exist, beside what is noted about their days. */
async function days(): Promise<string[]> {
  const rows = await query<{ day: string; partition: string | null; dropped: boolean }>(
    app.database.url,
    `SELECT d.day::text, to_regclass('events_' || to_char(d.day, 'YYYYMMDD'))::text AS partition,
            d.dropped_at IS NOT NULL AS dropped
       FROM event_days d ORDER BY d.day`,
  );
  return rows.map(({ day, partition, dropped }) => `${day} ${partition ?? '-'}${dropped ? ' dropped' : ''}`);
}
const clearMarks = () => query(app.database.url, 'DELETE FROM dirty_days');

// A database of its own for each: partitions belong to all organizations.
describe('the partitions of events', () => {
  beforeEach(start);
  afterEach(stop);

  it('are made ahead for today and two days, once for all replicas and each hour anew', async () => {
    await startReplica();
    await runJobs();
    const ahead = ['2026-11-15 events_20261115', '2026-11-16 events_20261116', '2026-11-17 events_20261117'];
    expect(await days()).toEqual(ahead);
    clock.advance(3600_000);
    await runJobs();
    const runs = await query(app.database.url, `SELECT attempts FROM job_runs WHERE job = 'event-storage'`);
    expect([await days(), runs]).toEqual([ahead, [{ attempts: 1 }, { attempts: 1 }]]);
    clock.set('2026-11-16T00:17:00Z');
    await runJobs();
    expect((await days()).at(-1)).toBe('2026-11-18 events_20261118');
  });

  it('are made when an event needs one, with a unique index that begins with the organization', async () => {
    await send('2026-11-01T12:00:00Z');
    expect(await days()).toEqual(['2026-11-01 events_20261101']);
    const indexes = await query(
      app.database.url,
      `SELECT pg_get_indexdef(i.indexrelid) AS def FROM pg_index i WHERE i.indrelid = 'events_20261101'::regclass`,
    );
    const key = 'CREATE UNIQUE INDEX events_20261101_key ON public.events_20261101 USING btree (org_id, id)';
    expect(indexes).toEqual([{ def: key }]);
  });

  it('are made once when many requests on two replicas need the same ones at the same time', async () => {
    const replica = await startReplica();
    const ats = ['2026-11-02', '2026-11-03', '2026-11-04'].map((day) => `${day}T00:00:00Z`);
    const requests = Array.from({ length: 12 }, (_, i) => {
      const events = ats.map((at) => anEvent('user_message', { at }));
      return sendEvents(i % 2 === 0 ? app : replica, org.owner, i % 3 === 0 ? events.reverse() : events);
    });
    expect((await Promise.all(requests)).map(({ body }) => body.accepted)).toEqual(Array.from({ length: 12 }, () => 3));
    expect((await days()).length).toBe(3);
    expect(await storedEvents(app, org.id)).toHaveLength(36);
  });

  it('hold from midnight to midnight UTC, whatever the time zone of the server', async () => {
    const name = new URL(app.database.url).pathname.slice(1);
    await query(app.database.url, `ALTER DATABASE ${name} SET timezone = 'Pacific/Kiritimati'`);
    const third = await TestApp.start({ clock, database: app.database });
    await givenEvents(third, org.owner, [
      anEvent('user_message', { at: '2026-11-05T00:00:00.000Z' }),
      anEvent('user_message', { at: '2026-11-05T23:59:59.999Z' }),
      anEvent('user_message', { at: '2026-11-06T00:00:00.000Z' }),
    ]);
    await third.stop();
    const counts = await query(
      app.database.url,
      `SELECT e.tableoid::regclass::text AS partition, count(*)::int AS n FROM events e GROUP BY 1 ORDER BY 1`,
    );
    expect(counts).toEqual([
      { partition: 'events_20261105', n: 2 },
      { partition: 'events_20261106', n: 1 },
    ]);
  });

  it('are out of reach for requests, and so is everything in them', async () => {
    await send('2026-11-14T12:00:00Z');
    const db = app.nest.get(OrgDatabase);
    for (const sql of [
      'SELECT * FROM events',
      'SELECT * FROM events_20261114',
      'DELETE FROM events',
      `UPDATE events SET kind = 1`,
      'DROP TABLE events_20261114',
      'INSERT INTO events_20261114 SELECT * FROM events_20261114',
    ]) {
      await expect(db.transaction(org.id, (tx) => tx.query(sql))).rejects.toThrow(/permission denied|must be owner/);
    }
    const foreign = await app.given.organization();
    const insert = `INSERT INTO events (at, org_id, user_id, id, kind, client)
                    VALUES ('2026-11-14T12:00Z', $1, $2, gen_random_uuid(), 3, 3)`;
    const write = (orgId: string) => db.transaction(org.id, (tx) => tx.query(insert, [orgId, org.owner.id]));
    await expect(write(org.id)).resolves.toBeDefined();
    await expect(write(foreign.id)).rejects.toThrow('row-level security');
  });
});

describe('retention', () => {
  afterEach(stop);
  beforeEach(async () => {
    await start();
    for (const day of ['2026-10-16', '2026-10-17', '2026-11-14']) await send(`${day}T12:00:00Z`);
  });

  it('keeps thirty days and drops what is older', async () => {
    await clearMarks();
    await runJobs();
    expect((await days()).slice(0, 2)).toEqual(['2026-10-16 events_20261016', '2026-10-17 events_20261017']);
    clock.set('2026-11-16T00:17:00Z');
    await runJobs();
    expect((await days()).slice(0, 3)).toEqual([
      '2026-10-16 - dropped',
      '2026-10-17 events_20261017',
      '2026-11-14 events_20261114',
    ]);
    expect((await storedEvents(app, org.id)).map(({ at }) => at.slice(0, 10))).toEqual(['2026-10-17', '2026-11-14']);
    const said = log.filter((line) => line.includes('Dropped the raw events of 2026-10-16'));
    expect(said).toHaveLength(1);
  });

  it('drops nothing of a day that still waits for its aggregation, and everything else', async () => {
    await query(app.database.url, `DELETE FROM dirty_days WHERE day <> '2026-10-16'`);
    clock.set('2026-11-17T00:17:00Z');
    await runJobs();
    expect((await days()).slice(0, 2)).toEqual(['2026-10-16 events_20261016', '2026-10-17 - dropped']);
    expect(log.some((line) => line.includes('2026-10-16 are past retention, but some are not aggregated'))).toBe(true);
    await clearMarks();
    clock.advance(3600_000);
    await runJobs();
    expect((await days())[0]).toBe('2026-10-16 - dropped');
  });

  it('keeps a dropped day closed, on replicas that knew it as well and when retention grows', async () => {
    const replica = await startReplica();
    await send('2026-10-16T13:00:00Z', replica);
    await clearMarks();
    clock.set('2026-11-16T00:17:00Z');
    await app.nest.get(EventStorageJob).run();
    clock.set('2026-11-15T12:00:00Z'); // the day is within retention again
    for (const [through, statuses] of [
      [app, [200]],
      [replica, [503, 200]], // at first it believes that there is a partition
    ] as const) {
      for (const status of statuses) {
        const answer = await send('2026-10-16T14:00:00Z', through);
        expect([answer.status, answer.body.accepted]).toEqual([status, status === 200 ? 0 : undefined]);
        if (status === 200) expect(answer.body.rejected[0].error).toBe('the events of 2026-10-16 have been dropped');
      }
    }
    expect((await days())[0]).toBe('2026-10-16 - dropped');
  });

  it('waits for events that are being written, and then sees their mark', async () => {
    await clearMarks();
    const writer = new pg.Client({ connectionString: app.database.url });
    await writer.connect();
    await writer.query('BEGIN');
    await writer.query(
      `INSERT INTO events (at, org_id, user_id, id, kind, client)
       VALUES ('2026-10-16T12:00Z', $1, $2, gen_random_uuid(), 3, 3)`,
      [org.id, org.owner.id],
    );
    await writer.query(`INSERT INTO dirty_days (org_id, day, events) VALUES ($1, '2026-10-16', 1)`, [org.id]);
    const dropping = app.nest.get(EventPartitions).drop('2026-10-16');
    await eventually('the drop waits', async () => {
      const { rowCount } = await writer.query(`SELECT 1 FROM pg_locks l WHERE NOT l.granted`);
      return (rowCount ?? 0) > 0;
    });
    await writer.query('COMMIT');
    await writer.end();
    expect(await dropping).toBe(false);
  });

  it('goes on with the other days when one cannot be dropped, and says so', async () => {
    await clearMarks();
    const holder = new pg.Client({ connectionString: app.database.url });
    await holder.connect();
    await holder.query(`CREATE VIEW in_the_way AS SELECT * FROM events_20261016`);
    clock.set('2026-11-17T00:17:00Z');
    await runJobs();
    expect((await days()).slice(0, 2)).toEqual(['2026-10-16 events_20261016', '2026-10-17 - dropped']);
    expect(log.filter((line) => line.includes('The raw events of 2026-10-16 could not be dropped'))).toHaveLength(1);
    await holder.query(`DROP VIEW in_the_way`);
    await holder.end();
    clock.advance(3600_000);
    await runJobs();
    expect((await days())[0]).toBe('2026-10-16 - dropped');
  });

  it('keeps all names, to which figures refer, but not which days had them', async () => {
    const replica = await startReplica();
    const skill = (name: string, day: string) => anEvent('skill_used', { name, at: `${day}T12:00:00Z` });
    const names = async () => {
      const rows = await query<{ name: string }>(app.database.url, `SELECT name FROM event_names ORDER BY name`);
      return rows.map(({ name }) => name);
    };
    const late = [skill('only late', '2026-10-16'), skill('both', '2026-10-16')];
    await givenEvents(app, org.owner, [skill('both', '2026-11-14'), skill('kept', '2026-10-17'), ...late]);
    await givenEvents(replica, org.owner, [skill('of a replica', '2026-10-16')]);
    await clearMarks();
    await runJobs();
    expect(await names()).toEqual(['both', 'kept', 'of a replica', 'only late']);
    clock.set('2026-11-16T00:17:00Z');
    await runJobs();
    expect(await names()).toEqual(['both', 'kept', 'of a replica', 'only late']);
    const rows = await query(app.database.url, `SELECT DISTINCT day::text FROM event_name_days ORDER BY 1`);
    expect(rows).toEqual([{ day: '2026-10-17' }, { day: '2026-11-14' }]);
    for (const through of [app, replica]) {
      await givenEvents(through, org.owner, [skill('only late', '2026-11-14'), skill('both', '2026-11-14')]);
    }
    const stored = await storedEvents(app, org.id);
    const counted = stored.filter(({ type, at }) => type === 'skill_used' && at.startsWith('2026-11-14'));
    expect(counted.map(({ name }) => name).sort()).toEqual(['both', 'both', 'both', 'only late', 'only late']);
  });

  it('forgets the clients of sessions that were first seen before it', async () => {
    await givenEvents(app, org.owner, [anEvent('user_message', { sessionId: 'old', client: 'web' })]);
    await query(app.database.url, `UPDATE session_clients SET seen_on = '2026-10-16'`);
    await givenEvents(app, org.owner, [anEvent('user_message', { sessionId: 'new', client: 'web' })]);
    clock.set('2026-11-16T00:17:00Z');
    await runJobs();
    const rows = await query(app.database.url, `SELECT seen_on::text AS day FROM session_clients`);
    expect(rows).toEqual([{ day: '2026-11-15' }]);
  });
});

describe('names', () => {
  let replica: TestApp;
  beforeAll(async () => {
    await start();
    replica = await startReplica();
  });
  afterAll(stop);
  beforeEach(async () => {
    org = await app.given.organization();
  });

  const at = '2026-11-14T12:00:00Z';
  const tool = (name: string, fields: object = {}) => anEvent('tool_call', { tool: name, at, ...fields });
  /** How many events of a day have each name. */
  const counted = async (orgId = org.id, day = '2026-11-14') => {
    const stored = (await storedEvents(app, orgId)).filter((event) => event.at.startsWith(day));
    const counts = new Map<string, number>();
    for (const { name } of stored) counts.set(String(name), (counts.get(String(name)) ?? 0) + 1);
    return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  };

  it('are all counted up to the bound of the day; the events of further ones as (other)', async () => {
    await givenEvents(app, org.owner, [tool('b'), tool('c'), tool('b'), tool('a')]);
    expect(await counted()).toEqual({ a: 1, b: 2, c: 1 });
    await givenEvents(replica, org.owner, [tool('d'), tool('b'), tool('e'), tool('a')]);
    await givenEvents(app, org.owner, [tool('d'), tool('c'), tool('f')]);
    expect(await counted()).toEqual({ '(other)': 4, a: 2, b: 3, c: 2 });
    const names = await query(app.database.url, `SELECT name FROM event_names WHERE org_id = $1 ORDER BY name`, [
      org.id,
    ]);
    expect(names).toEqual([{ name: '(other)' }, { name: 'a' }, { name: 'b' }, { name: 'c' }]);
  });

  it('are bounded by day, kind and organization, each for itself', async () => {
    const other = await app.given.organization();
    await givenEvents(
      app,
      org.owner,
      [...'abcd'].map((name) => tool(name)),
    );
    await givenEvents(
      app,
      org.owner,
      [...'efg'].map((name) => tool(name, { at: '2026-11-13T12:00:00Z' })),
    );
    await givenEvents(
      app,
      org.owner,
      [...'hij'].map((name) => anEvent('skill_used', { name, at })),
    );
    await givenEvents(
      app,
      other.owner,
      [...'wxyz'].map((name) => tool(name)),
    );
    expect(await counted()).toEqual({ '(other)': 1, a: 1, b: 1, c: 1, h: 1, i: 1, j: 1 });
    expect(await counted(org.id, '2026-11-13')).toEqual({ e: 1, f: 1, g: 1 });
    expect(await counted(other.id)).toEqual({ '(other)': 1, w: 1, x: 1, y: 1 });
  });

  it('are bounded although replicas meet new ones at the same time, and no event is lost', async () => {
    const requests = Array.from({ length: 20 }, (_, i) =>
      givenEvents(i % 2 === 0 ? app : replica, org.owner, [tool(`t${i}`), tool(`t${19 - i}`), tool('often')]),
    );
    await Promise.all(requests);
    const counts = await counted();
    expect(Object.keys(counts)).toHaveLength(4);
    expect(Object.values(counts).reduce((sum, n) => sum + n)).toBe(60);
  });

  it('called (other) are no further name, and the words of a hook stay three', async () => {
    const skill = (name: string) => anEvent('skill_used', { name, at });
    await givenEvents(app, org.owner, [...['(other)', 'a', 'b', 'c', 'd'].map(skill)]);
    expect(await counted()).toEqual({ '(other)': 2, a: 1, b: 1, c: 1 });
    const hook = (command: string) => anEvent('hook_run', { event: 'Stop', command, at: '2026-11-13T12:00:00Z' });
    await givenEvents(app, org.owner, [...'abcde'].map(hook));
    expect(await counted(org.id, '2026-11-13')).toMatchObject({ '["(other)","","(other)"]': 2 });
  });

  it('have numbers of their own in each organization, beside those of a previous release', async () => {
    const insert = `INSERT INTO event_names (org_id, kind, name, folded, name_hash)
                    VALUES ($1, 2, 'old', 'old', sha256('old'))`;
    await query(app.database.url, insert, [org.id]);
    await query(app.database.url, `SELECT setval('event_name_ids', 2147483647)`);
    const other = await app.given.organization();
    await givenEvents(app, org.owner, [tool('old'), tool('new')]);
    await givenEvents(app, other.owner, [tool('old')]);
    const ids = await query(
      app.database.url,
      `SELECT org_id = $1 AS own, name, id FROM event_names WHERE org_id IN ($1, $2) ORDER BY own, id`,
      [org.id, other.id],
    );
    expect(ids).toEqual([
      { own: false, name: 'old', id: -1 },
      { own: true, name: 'new', id: -1 },
      { own: true, name: 'old', id: 1 },
    ]);
    expect(await counted()).toEqual({ new: 1, old: 1 });
  });

  it('of a previous release stay while it may still run beside this one', async () => {
    const runner = app.nest.get(DatabaseService).owner.createQueryRunner();
    const lastDays = () =>
      query<{ name: string; days: number | null }>(
        app.database.url,
        `SELECT n.name, CASE WHEN isfinite(n.last_day) THEN n.last_day - (now() AT TIME ZONE 'UTC')::date END AS days
           FROM event_names n WHERE n.org_id = $1 ORDER BY n.name`,
        [org.id],
      );
    const insert = `INSERT INTO event_names (org_id, id, kind, name, folded, name_hash)
                    VALUES ($1, $2, 2, $3::text, $3::text, sha256($3::text::bytea))`;
    const migration = new BoundedNamesAndLateDays1769090000000();
    await query(app.database.url, insert, [org.id, 1, 'before']);
    await runner.startTransaction();
    await migration.down(runner);
    await migration.up(runner);
    await runner.commitTransaction();
    await runner.release();
    await query(app.database.url, insert, [org.id, 2, 'meanwhile']);
    expect(await lastDays()).toEqual([
      { name: 'before', days: 7 },
      { name: 'meanwhile', days: 7 },
    ]);
  });
});
