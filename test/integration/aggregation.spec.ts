import { text } from 'node:stream/consumers';
import { BulkDatabase } from '../../src/database/bulk-database.js';
import { AggregationClaimsRepository } from '../../src/modules/analytics/aggregation/aggregation-claims.repository.js';
import { AggregationService } from '../../src/modules/analytics/aggregation/aggregation.service.js';
import { AnalyticsCommands } from '../../src/modules/analytics/analytics-commands.js';
import { AnalyticsRange } from '../../src/modules/analytics/analytics-range.js';
import { AnalyticsService } from '../../src/modules/analytics/analytics.service.js';
import { VerificationRepository } from '../../src/modules/analytics/verification/verification.repository.js';
import {
  type Verification,
  VerificationService,
} from '../../src/modules/analytics/verification/verification.service.js';
import { EventPartitions } from '../../src/modules/ingest/event-partitions.js';
import { expectRecount } from '../support/expect-recount.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenSession, SESSIONS } from '../support/given-session.js';
import { aggregate, ANALYTICS, event, modelCall, report, startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import { daysBetween, NaiveRecount, type ReportedEvent } from '../support/naive-recount.js';
import type { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';
import { utcDay } from '../support/utc-day.js';

const MINUTE_MS = 60_000;
const LONGEST_PAUSE_MS = 15 * MINUTE_MS;
const clock = new ManualClock('2026-06-01T08:00:00.000Z');
let app: TestApp;
let org: GivenOrganization;
let owner: GivenUser;
let sent: ReportedEvent[];
let users: GivenUser[];
let log: string[] = [];

beforeAll(async () => {
  app = await startUsageApp({ clock, onLog: (line) => log.push(line) });
});
beforeEach(async () => {
  log = [];
  clock.set('2026-06-01T08:00:00.000Z');
  await aggregate(app);
  org = await app.given.organization();
  owner = org.owner;
  users = [owner];
  sent = [];
});
afterAll(() => app.stop());

const sql = <Row extends object>(statement: string, parameters: unknown[] = [org.id]) =>
  query<Row>(app.database.url, statement, parameters);

async function send(...events: ReportedEvent[]): Promise<void> {
  await report(app.as(owner), events);
  sent.push(...events);
}

async function givenUser(): Promise<GivenUser> {
  const user = await app.given.user(org);
  users.push(user);
  return user;
}

function isRecounted(start: string, end: string): Promise<void> {
  const recount = new NaiveRecount(sent, new Map(users.map(({ id, email }) => [id, email])));
  return expectRecount(app.as(owner), recount, { start, end });
}

async function activeUsersOn(day: string): Promise<[daily: number, weekly: number, monthly: number]> {
  const { body } = await app.as(owner).get(`${ANALYTICS}/activity?startDate=${day}&endDate=${day}`);
  const [row] = body.data;
  return [row.daily_active_users, row.weekly_active_users, row.monthly_active_users];
}

const get = (path: string, day: string) => app.as(owner).get(`${ANALYTICS}/${path}?startDate=${day}&endDate=${day}`);
const rebuild = (day: string) => app.nest.get(AggregationService).rebuild([org.id], utcDay(day));
const tidy = () => app.nest.get(AggregationService).tidy();

/** Does `work`, whose transaction waits for `meanwhile` once it has read the events for the first time. */
async function afterFirstScan(meanwhile: () => Promise<unknown>, work: () => Promise<unknown>): Promise<void> {
  const bulk = app.nest.get(BulkDatabase);
  const transaction = bulk.transaction.bind(bulk);
  let scans = 0;
  bulk.transaction = (begin, inside, signal) =>
    transaction(
      begin,
      (client) => {
        bulk.transaction = transaction;
        const query = async (statement: string, parameters: unknown[]) => {
          const result = await client.query(statement, parameters);
          if (statement.includes('TEMP TABLE session_rollup') && ++scans === 1) await meanwhile();
          return result;
        };
        return inside({ query } as never);
      },
      signal,
    );
  await work();
  expect(scans).toBe(1);
}

/** A fingerprint of each day of the organization as it is served. */
const storedDays = () =>
  sql(`SELECT d.day::text, d.version, md5(d::text || coalesce((
              SELECT string_agg(x::text, ',' ORDER BY x.kind) FROM day_documents x
               WHERE x.org_id = d.org_id AND x.day = d.day AND x.version = d.version), '')) AS fingerprint
         FROM analytics_days d WHERE d.org_id = $1 ORDER BY d.day`);
const count = async (table: string) => {
  const [row] = await sql<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE org_id = $1`);
  return row?.n;
};

describe('a day', () => {
  it('is available from midnight on, and computed before it is shown', async () => {
    clock.set('2026-06-01T23:59:59.999Z');
    await send(modelCall(owner, '2026-06-01T23:59:59.999Z'), event(owner, 'user_message', '2026-06-01'));
    await aggregate(app);
    expect(await count('analytics_days')).toBe(0);
    expect(await get('tokens', '2026-06-01')).toMatchObject({ status: 400 });
    clock.advance(1);
    expect((await get('tokens', '2026-06-01')).body.data[0].input_tokens).toBe(100);
    await isRecounted('2026-05-31', '2026-06-01');
  });

  it('is computed once, however many ask for it at the same time', async () => {
    await send(modelCall(owner, '2026-05-31'));
    const asked = await Promise.all(Array.from({ length: 12 }, () => get('tokens', '2026-05-31')));
    expect(asked.map(({ body }) => body.data[0].input_tokens)).toEqual(Array(12).fill(100));
    expect(await count('superseded_days')).toBe(0);
  });

  it('shows weekly and monthly users although the days before it were never computed', async () => {
    await send(event(owner, 'git_commit', '2026-05-20'));
    await send(event(await givenUser(), 'git_commit', '2026-05-02'));
    expect(await activeUsersOn('2026-05-31')).toEqual([0, 0, 2]);
    expect(await activeUsersOn('2026-05-26')).toEqual([0, 1, 2]);
    clock.set('2026-06-03T00:00:00.001Z');
    await send(event(await givenUser(), 'git_commit', '2026-06-01'));
    expect(await activeUsersOn('2026-06-02')).toEqual([0, 1, 2]);
    await isRecounted('2026-05-01', '2026-06-02');
  });

  it('on which nothing happens still has weekly and monthly users, with and without a nightly run', async () => {
    await send(event(owner, 'git_commit', '2026-05-31'));
    await aggregate(app);
    clock.set('2026-06-07T00:10:00.000Z');
    expect(await activeUsersOn('2026-06-06')).toEqual([0, 1, 1]);
    clock.set('2026-06-08T00:10:00.000Z');
    await aggregate(app);
    expect(await activeUsersOn('2026-06-07')).toEqual([0, 0, 1]);
    clock.set('2026-06-29T00:10:00.000Z');
    expect(await activeUsersOn('2026-06-28')).toEqual([0, 0, 1]);
    clock.set('2026-06-30T00:10:00.000Z');
    expect(await activeUsersOn('2026-06-29')).toEqual([0, 0, 1]);
    clock.set('2026-07-01T00:10:00.000Z');
    expect(await activeUsersOn('2026-06-30')).toEqual([0, 0, 0]);
    await isRecounted('2026-05-30', '2026-06-30');
  });

  it('that gets late events is computed again, and the 29 days after it', async () => {
    await send(...['2026-04-01', '2026-04-10', '2026-05-31'].map((day) => event(owner, 'git_commit', day)));
    await aggregate(app);
    const before = await sql<{ day: string; activity_version: string }>(
      `SELECT day::text, activity_version FROM analytics_days WHERE org_id = $1 ORDER BY day`,
    );
    await send(event(await givenUser(), 'git_commit', '2026-04-10'));
    expect(await activeUsersOn('2026-04-10')).toEqual([1, 1, 1]); // as last computed
    expect(await aggregate(app)).toBe(1);
    const after = await sql<{ day: string; activity_version: string }>(
      `SELECT day::text, activity_version FROM analytics_days WHERE org_id = $1 ORDER BY day`,
    );
    const changed = after.filter((row, i) => row.activity_version !== before[i]?.activity_version);
    expect(changed.map(({ day }) => day)).toEqual(daysBetween('2026-04-10', '2026-05-09'));
    await isRecounted('2026-04-01', '2026-05-31');
  });

  it('adds up although events arrive while it is computed', async () => {
    const usage = () => [modelCall(owner, '2026-05-31'), event(owner, 'tool_call', '2026-05-31', { tool: 'Read' })];
    await send(...usage());
    const late = usage();
    await afterFirstScan(
      () => report(app.as(owner), late),
      () => rebuild('2026-05-31'),
    );
    await isRecounted('2026-05-31', '2026-05-31');
    sent.push(...late);
    expect(await aggregate(app)).toBe(1);
    await isRecounted('2026-05-31', '2026-05-31');
  });

  it('long before all others changes none of them', async () => {
    await send(event(owner, 'git_commit', '2026-05-20'));
    await aggregate(app);
    await send(event(await givenUser(), 'git_commit', '2026-02-01'));
    await aggregate(app);
    await isRecounted('2026-01-14', '2026-05-31');
  });

  it('that comes after quiet days during a downtime leaves none of them out', async () => {
    await send(event(owner, 'git_commit', '2026-05-30'));
    await aggregate(app);
    clock.set('2026-06-05T00:10:00.000Z');
    await send(event(await givenUser(), 'git_commit', '2026-06-03'));
    await aggregate(app);
    await isRecounted('2026-05-28', '2026-06-04');
    await sql(`DELETE FROM analytics_days WHERE org_id = $1 AND day IN ('2026-06-01', '2026-06-02')`);
    clock.set('2026-06-06T00:10:00.000Z');
    await aggregate(app);
    await isRecounted('2026-05-28', '2026-06-05');
  });

  it('is caught up with after days of downtime, oldest first', async () => {
    clock.set('2026-06-20T00:00:00.000Z');
    const days = ['2026-06-10', '2026-06-11', '2026-06-15', '2026-06-19'];
    await send(...days.flatMap((day) => [modelCall(owner, day), event(owner, 'user_message', day)]));
    expect(await aggregate(app)).toBe(days.length);
    const order = await sql<{ day: string }>(
      `SELECT day::text FROM analytics_days WHERE org_id = $1 AND version IS NOT NULL ORDER BY version`,
    );
    expect(order.map(({ day }) => day)).toEqual(days);
    await isRecounted('2026-06-01', '2026-06-19');
  });
});

describe('late events', () => {
  const day = '2026-05-31';
  const tokens = async () => (await get('tokens', day)).body.data[0].input_tokens;

  it('are counted at once the first time, then at most every thirty seconds', async () => {
    await send(modelCall(owner, day));
    expect(await aggregate(app)).toBe(1);
    await send(modelCall(owner, day));
    expect(await aggregate(app)).toBe(1);
    for (let i = 0; i < 5; i++) {
      await send(modelCall(owner, day));
      clock.advance(5_000);
      expect(await aggregate(app)).toBe(0);
    }
    expect(await tokens()).toBe(200);
    clock.advance(5_000);
    expect(await aggregate(app)).toBe(1);
    await isRecounted(day, day);
    clock.advance(LONGEST_PAUSE_MS);
    await send(modelCall(owner, day));
    expect(await aggregate(app)).toBe(1);
    await isRecounted(day, day);
  });

  it('of a day that takes long wait for thirty times that long', async () => {
    await send(modelCall(owner, day));
    await aggregate(app);
    await send(modelCall(owner, day));
    await afterFirstScan(
      () => sql(`SELECT pg_sleep(1.1)`, []),
      () => aggregate(app),
    );
    await send(modelCall(owner, day));
    clock.advance(32_000);
    expect(await aggregate(app)).toBe(0);
    clock.advance(LONGEST_PAUSE_MS);
    expect(await aggregate(app)).toBe(1);
  });

  it('of a day hold up no other day, nor another organization', async () => {
    const other = await app.given.organization();
    await send(modelCall(owner, day));
    await aggregate(app);
    await send(modelCall(owner, day));
    await aggregate(app);
    await send(modelCall(owner, day), modelCall(owner, '2026-05-30'));
    await report(app.as(other.owner), [modelCall(other.owner, day)]);
    expect(await aggregate(app)).toBe(2);
    expect(await sql(`SELECT day::text FROM dirty_days WHERE org_id = $1`)).toEqual([{ day }]);
    clock.advance(30_000);
    expect(await aggregate(app)).toBe(1);
    await isRecounted('2026-05-30', day);
  });

  it('that wait leave few marks, and are all counted', async () => {
    await send(modelCall(owner, day));
    await aggregate(app);
    for (let i = 0; i < 4; i++) await send(modelCall(owner, day));
    await aggregate(app);
    for (let i = 0; i < 4; i++) await send(modelCall(owner, day));
    expect(await count('dirty_days')).toBe(4);
    await tidy();
    expect(await sql(`SELECT events FROM dirty_days WHERE org_id = $1`)).toEqual([{ events: 4 }]);
    clock.advance(30_000);
    expect(await aggregate(app)).toBe(1);
    await isRecounted(day, day);
  });
});

describe('a day that cannot be computed', () => {
  const [broken, last] = ['2026-05-28', '2026-05-31'];
  const read = (path: string, start: string, end = last) =>
    app.as(owner).get(`${ANALYTICS}/${path}${path.includes('?') ? '&' : '?'}startDate=${start}&endDate=${end}`);
  const breakDay = (reason = 'broken') =>
    sql(
      `ALTER TABLE day_documents ADD CONSTRAINT ${reason} CHECK (org_id <> '${org.id}' OR day <> '${broken}') NOT VALID`,
      [],
    );
  const mendDay = (reason = 'broken') => sql(`ALTER TABLE day_documents DROP CONSTRAINT ${reason}`, []);
  const told = (words: string) => log.filter((line) => line.includes(`${broken} of ${org.id} ${words}`)).length;

  beforeEach(async () => {
    await send(
      ...[broken, '2026-05-29', last].flatMap((day) => [modelCall(owner, day), event(owner, 'git_commit', day)]),
    );
    await breakDay();
  });
  afterEach(() =>
    sql(`ALTER TABLE day_documents DROP CONSTRAINT IF EXISTS broken, DROP CONSTRAINT IF EXISTS worse`, []),
  );

  it('blocks neither later days nor answers that do not need it; the others say which day it is', async () => {
    expect(await aggregate(app)).toBe(2);
    for (const path of [
      'tokens',
      'tokens?group_by=model',
      'tools',
      'productivity',
      'users',
      'activity?group_by=client',
    ]) {
      expect({ path, status: (await read(path, '2026-05-29')).status }).toEqual({ path, status: 200 });
      const answer = await read(path, '2026-05-27');
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
      expect(answer.body.detail).toContain(`The figures of ${broken} cannot be computed`);
    }
    // Its users count in the weekly and monthly users of later days.
    expect((await read('activity', '2026-05-29')).body.detail).toContain(broken);
    expect((await read('activity', '2026-05-20', '2026-05-27')).status).toBe(200);
    await mendDay();
    clock.advance(5_000);
    expect((await read('activity', '2026-05-29')).status).toBe(200);
    await isRecounted('2026-05-20', last);
  });

  it('is not tried by readers either before its pause is over, and never a 500', async () => {
    expect((await read('tokens', broken)).status).toBe(503);
    await mendDay();
    expect((await read('tokens', broken)).body.detail).toContain(broken);
    clock.advance(5_000);
    expect((await read('tokens', broken)).status).toBe(200);
    await isRecounted('2026-05-20', last);
  });

  it('blocks nothing either when it takes the connection or the whole process with it', async () => {
    await mendDay();
    const endConnection = () =>
      sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CREATE TEMP TABLE session_rollup%'`,
        [],
      );
    await afterFirstScan(endConnection, () => aggregate(app));
    expect(await sql(`SELECT day::text FROM dirty_days WHERE org_id = $1`)).toEqual([{ day: broken }]);
    expect((await read('tokens', broken)).body.detail).toContain(broken);
    clock.advance(5_000);
    // As when the process ends in the middle: nobody can note what happened.
    await app.nest.get(AggregationClaimsRepository).recordAttempt([org.id], utcDay(broken), clock.now());
    await send(modelCall(owner, '2026-05-30'));
    expect(await aggregate(app)).toBe(1);
    expect(await sql(`SELECT day::text FROM dirty_days WHERE org_id = $1`)).toEqual([{ day: broken }]);
    clock.advance(10_000);
    expect(await aggregate(app)).toBe(1);
    await isRecounted('2026-05-20', last);
  });

  it('is tried again with growing pauses of at most a minute, and told once for each reason', async () => {
    const pauses: number[] = [];
    for (let i = 0; i < 7; i++) {
      await aggregate(app);
      const [row] = await sql<{ at: Date }>(
        `SELECT not_before AS at FROM day_computations WHERE org_id = $1 AND failures > 0`,
      );
      const pauseMs = (row?.at.getTime() ?? 0) - clock.now().getTime();
      pauses.push(pauseMs / 1000);
      clock.advance(pauseMs - 1);
      expect(await aggregate(app)).toBe(0);
      clock.advance(1);
    }
    expect(pauses).toEqual([5, 10, 20, 40, 60, 60, 60]);
    expect(told('could not be computed')).toBe(1);
    await breakDay('worse');
    await mendDay();
    await aggregate(app);
    expect(told('could not be computed')).toBe(2);
    await mendDay('worse');
    clock.advance(MINUTE_MS);
    expect(await aggregate(app)).toBe(1);
    expect([told('could not be computed'), told('could be computed again')]).toEqual([2, 1]);
    await isRecounted('2026-05-20', last);
  });
});

describe('verification', () => {
  const day = '2026-05-31';
  const verify = () => app.nest.get(VerificationService).verify(utcDay(day), utcDay(day), org.id);

  /** Does `meanwhile` once, between what is served and its recount. */
  async function verifyWhile(meanwhile: () => Promise<unknown>): Promise<Verification> {
    const recounts = app.nest.get(VerificationRepository);
    const recount = recounts.recount.bind(recounts);
    recounts.recount = async (...asked) => {
      recounts.recount = recount;
      await meanwhile();
      return recount(...asked);
    };
    return verify();
  }

  beforeEach(async () => {
    await send(modelCall(owner, day), event(owner, 'user_message', day));
    await aggregate(app);
  });

  it('gives no false alarm while late events arrive', async () => {
    const late = async (of = day) => send(event(await givenUser(), 'git_commit', of));
    expect(await verifyWhile(() => late())).toMatchObject({ compared: 0, pending: 1, differences: [] });
    expect(await verify()).toMatchObject({ compared: 0, pending: 1, differences: [] });
    await aggregate(app);
    clock.advance(LONGEST_PAUSE_MS);
    const arrivesAndIsComputed = () => late().then(() => aggregate(app));
    expect(await verifyWhile(arrivesAndIsComputed)).toMatchObject({ compared: 1, pending: 0, differences: [] });
    // Those of an earlier day count in the monthly users only.
    await send(event(owner, 'git_commit', '2026-05-20'));
    await aggregate(app);
    expect(await verifyWhile(() => late('2026-05-20'))).toMatchObject({ compared: 1, pending: 0, differences: [] });
  });

  it('still finds what is wrong, beyond 2^53 as well, and which days could not be compared', async () => {
    await sql(`UPDATE events SET billable_tokens = 9007199254740993 WHERE org_id = $1 AND kind = 1`);
    await rebuild(day);
    expect(await verify()).toMatchObject({ compared: 1, pending: 0, differences: [] });
    await sql(`UPDATE events SET billable_tokens = billable_tokens - 1 WHERE org_id = $1 AND kind = 1`);
    const { differences } = await verify();
    expect(differences).toContainEqual(
      expect.objectContaining({ path: 'billable_tokens', served: 9007199254740993n, recounted: 9007199254740992n }),
    );
    const options = { from: day, to: day, orgId: org.id };
    const command = app.nest.get(AnalyticsCommands).verify(options, () => undefined);
    await expect(command).rejects.toThrow('billable_tokens: served 9007199254740993, recounted 9007199254740992');
  });
});

describe('sums beyond 2^53', () => {
  it('are whole numbers to the last digit in every answer', async () => {
    const day = '2026-05-31';
    const sum = '9007199254740993';
    await send(
      modelCall(owner, day),
      modelCall(owner, day),
      event(owner, 'tool_call', day, { tool: ':9007199254740993,' }),
    );
    await sql(`UPDATE events SET billable_tokens = 4503599627370496 WHERE org_id = $1 AND kind = 1`);
    await sql(
      `UPDATE events SET billable_tokens = billable_tokens + 1 WHERE org_id = $1
          AND id = (SELECT max(e.id::text)::uuid FROM events e WHERE e.org_id = $1 AND e.kind = 1)`,
    );
    await rebuild(day);
    const range = `startDate=${day}&endDate=${day}`;
    for (const path of [`tokens?${range}`, `tokens?${range}&group_by=model`, `users?${range}`]) {
      for (const accept of ['application/json', 'application/x-ndjson', 'text/csv']) {
        const { status, text } = await app.as(owner).get(`${ANALYTICS}/${path}`, { Accept: accept });
        const exact =
          accept === 'text/csv' ? new RegExp(`(^|,)${sum}(,|\r)`, 'm') : new RegExp(`"billable_tokens":${sum}[,}]`);
        expect({ path, accept, status, isExact: exact.test(text) }).toEqual({
          path,
          accept,
          status: 200,
          isExact: true,
        });
      }
    }
    await sql(`UPDATE user_month_usage SET billable_tokens = ${sum} WHERE org_id = $1 AND month = '2026-05-01'`);
    clock.set('2026-05-31T23:00:00.000Z');
    const used = `"used":${sum},`;
    expect((await app.as(owner).get('/api/v0/me')).text).toContain(used);
    expect((await app.as(owner).get('/api/v0/organization/usage/limits/users')).text).toContain(used);
    const session = await givenSession(app, owner);
    await sql(`UPDATE sessions SET input_tokens = ${sum}, thinking_tokens = ${sum} WHERE org_id = $1`);
    for (const path of [SESSIONS, session.path]) {
      const { text } = await app.as(owner).get(path);
      expect(text).toContain(`"tokenUsage":{"inputTokens":${sum},"outputTokens":0,`);
      expect(text).toContain(`"thinkingTokens":${sum}}`);
    }
  });
});

describe('a clock that was ahead', () => {
  const [start, end] = ['2026-05-25', '2026-06-08'];

  it('leaves no wrong weekly and monthly users behind, on days with events and without', async () => {
    await send(event(owner, 'git_commit', '2026-05-30'));
    clock.set('2026-06-09T08:00:00.000Z');
    await aggregate(app);
    clock.set('2026-06-01T09:00:00.000Z');
    await send(event(await givenUser(), 'git_commit', '2026-05-31'));
    await aggregate(app);
    clock.set('2026-06-03T00:00:00.000Z');
    await send(event(await givenUser(), 'git_commit', '2026-06-02'));
    await aggregate(app);
    clock.set('2026-06-09T08:00:00.000Z');
    await aggregate(app);
    await isRecounted(start, end);
  });

  it('does not make half a day final: it is computed again before it is shown', async () => {
    await send(event(owner, 'git_commit', '2026-06-01T07:00:00.000Z'));
    clock.set('2026-06-02T03:00:00.000Z');
    await aggregate(app);
    expect(await activeUsersOn('2026-06-01')).toEqual([1, 1, 1]);
    clock.set('2026-06-01T09:00:00.000Z');
    await send(event(await givenUser(), 'git_commit', '2026-06-01T08:59:00.000Z'));
    await aggregate(app);
    clock.set('2026-06-02T00:00:00.000Z');
    expect((await get('productivity', '2026-06-01')).body.data[0].git_commits).toBe(2);
    await isRecounted(start, '2026-06-01');
  });

  it('holds nothing up with its pauses and leases', async () => {
    await send(modelCall(owner, '2026-05-31'));
    await aggregate(app);
    clock.set('2026-06-03T08:00:00.000Z');
    await send(modelCall(owner, '2026-05-31'));
    await aggregate(app);
    clock.set('2026-06-01T08:00:00.000Z');
    await send(modelCall(owner, '2026-05-31'));
    await sql(`INSERT INTO aggregation_claims VALUES ($1, gen_random_uuid(), '2026-06-03T08:01:00Z')`);
    expect(await aggregate(app)).toBe(1);
    await isRecounted('2026-05-31', '2026-05-31');
  });
});

describe('what goes wrong in the middle', () => {
  it('leaves the old rows whole, holds up nobody else, and is made good later', async () => {
    await send(modelCall(owner, '2026-05-30'));
    await aggregate(app);
    const [before, answer] = [await storedDays(), await get('tokens', '2026-05-30')];
    const other = await app.given.organization();
    await report(app.as(other.owner), [modelCall(other.owner, '2026-05-30'), modelCall(other.owner, '2026-05-31')]);
    await send(modelCall(owner, '2026-05-30'));
    await sql(
      `ALTER TABLE day_documents ADD CONSTRAINT broken CHECK (org_id <> '${org.id}' OR kind <> 1) NOT VALID`,
      [],
    );
    await aggregate(app);
    await aggregate(app);
    expect(await storedDays()).toEqual(before);
    expect(await get('tokens', '2026-05-30')).toMatchObject({
      text: answer.text,
      headers: { etag: answer.headers.etag },
    });
    expect(await sql(`SELECT * FROM dirty_days WHERE org_id = $1`, [other.id])).toEqual([]);
    const ofOther = await app.as(other.owner).get(`${ANALYTICS}/tokens?startDate=2026-05-30&endDate=2026-05-31`);
    expect(ofOther.body.data.map((row: { input_tokens: number }) => row.input_tokens)).toEqual([100, 100]);
    await sql(`ALTER TABLE day_documents DROP CONSTRAINT broken`, []);
    clock.advance(MINUTE_MS);
    expect(await aggregate(app)).toBe(1);
    await isRecounted('2026-05-30', '2026-05-31');
  });

  it('is taken over from a holder that died, once its lease is over', async () => {
    await send(modelCall(owner, '2026-05-31'));
    const lease = new Date(clock.now().getTime() + MINUTE_MS);
    await sql(`INSERT INTO aggregation_claims VALUES ($1, gen_random_uuid(), $2)`, [org.id, lease]);
    expect(await aggregate(app)).toBe(0);
    clock.advance(MINUTE_MS - 1);
    expect(await aggregate(app)).toBe(0);
    clock.advance(1);
    expect(await aggregate(app)).toBe(1);
    expect(await count('aggregation_claims')).toBe(0);
    await isRecounted('2026-05-31', '2026-05-31');
  });

  it('does not keep quiet days of others from being filled', async () => {
    const other = await app.given.organization();
    await send(event(owner, 'git_commit', '2026-05-31'));
    await report(app.as(other.owner), [event(other.owner, 'git_commit', '2026-05-31')]);
    await aggregate(app);
    clock.set('2026-06-02T00:10:00.000Z');
    const [claimed, free] = [org.id, other.id].sort();
    const lease = new Date(clock.now().getTime() + MINUTE_MS);
    await sql(`INSERT INTO aggregation_claims VALUES ($1, gen_random_uuid(), $2)`, [claimed, lease]);
    const lastDayOf = async (orgId?: string) => {
      const rows = await sql<{ day: string }>(`SELECT max(day)::text AS day FROM analytics_days WHERE org_id = $1`, [
        orgId,
      ]);
      return rows[0]?.day;
    };
    await aggregate(app);
    expect([await lastDayOf(claimed), await lastDayOf(free)]).toEqual(['2026-05-31', '2026-06-01']);
    clock.advance(MINUTE_MS);
    await aggregate(app);
    expect(await lastDayOf(claimed)).toBe('2026-06-01');
  });

  it('makes an operator wait for a holder that died, and a reader not so long', async () => {
    await send(modelCall(owner, '2026-05-31'));
    const lease = new Date(clock.now().getTime() + MINUTE_MS);
    await sql(`INSERT INTO aggregation_claims VALUES ($1, gen_random_uuid(), $2)`, [org.id, lease]);
    const options = { from: '2026-05-31', to: '2026-05-31', orgId: org.id };
    const command = app.nest.get(AnalyticsCommands).aggregate(options, () => undefined);
    const asked = get('tokens', '2026-05-31');
    await sql(`SELECT pg_sleep(0.3)`, []); // both have begun to wait
    clock.advance(20_001);
    const refused = await asked;
    expect([refused.status, refused.body.detail]).toEqual([
      503,
      expect.stringContaining('2026-05-31 is being computed'),
    ]);
    clock.advance(40_000);
    expect(await command).toBe('Computed 1 organization days from 2026-05-31 to 2026-05-31.');
    await isRecounted('2026-05-31', '2026-05-31');
  });

  it('makes a reader wait for whoever computes the day', async () => {
    await send(modelCall(owner, '2026-05-31'));
    const lease = new Date(clock.now().getTime() + MINUTE_MS);
    await sql(`INSERT INTO aggregation_claims VALUES ($1, gen_random_uuid(), $2)`, [org.id, lease]);
    const asked = get('tokens', '2026-05-31');
    await sql(`SELECT pg_sleep(0.3)`, []);
    await sql(`DELETE FROM aggregation_claims WHERE org_id = $1`);
    expect((await asked).body.data[0].input_tokens).toBe(100);
  });
});

describe('a frozen day', () => {
  it('is never touched again, whoever asks for it', async () => {
    const [frozen, next] = ['2026-03-10', '2026-03-11'];
    await send(modelCall(owner, frozen), modelCall(owner, next), event(await givenUser(), 'git_commit', frozen));
    await aggregate(app);
    const before = await storedDays();
    expect(await app.nest.get(EventPartitions).drop(frozen)).toBe(true);
    expect(await rebuild(frozen)).toBe(false);
    await sql(`INSERT INTO dirty_days (org_id, day, events) VALUES ($1, '${frozen}', 1)`);
    await aggregate(app);
    expect(await storedDays()).toEqual(before);
    expect(await count('dirty_days')).toBe(0);
    await send(modelCall(owner, next));
    await aggregate(app);
    await isRecounted(frozen, next);
  });

  it('is whole even when it is frozen while it is being computed', async () => {
    await send(modelCall(owner, '2026-03-12'));
    await aggregate(app);
    const before = await storedDays();
    const claims = app.nest.get(AggregationClaimsRepository);
    const listFrozenDays = claims.listFrozenDays.bind(claims);
    claims.listFrozenDays = async () => {
      await app.nest.get(EventPartitions).drop('2026-03-12');
      return new Set();
    };
    await rebuild('2026-03-12');
    claims.listFrozenDays = listFrozenDays;
    expect(await storedDays()).toEqual(before);
  });

  it('is not frozen before its last events are in the figures', async () => {
    await send(modelCall(owner, '2026-03-13'));
    expect(await app.nest.get(EventPartitions).drop('2026-03-13')).toBe(false);
    await isRecounted('2026-03-13', '2026-03-13');
    expect(await app.nest.get(EventPartitions).drop('2026-03-13')).toBe(true);
    await isRecounted('2026-03-13', '2026-03-13');
  });
});

describe('tidying up', () => {
  it('keeps what was replaced for ten minutes, then deletes it and nothing else', async () => {
    await send(modelCall(owner, '2026-05-30'), modelCall(owner, '2026-05-31'));
    await aggregate(app);
    const kept = { documents: await count('day_documents'), users: await count('user_days') };
    await rebuild('2026-05-31');
    await rebuild('2026-05-31');
    clock.advance(10 * MINUTE_MS);
    await tidy();
    expect(await count('superseded_days')).toBe(2);
    expect(await count('user_days')).toBe(4);
    clock.advance(1);
    await tidy();
    expect(await count('superseded_days')).toBe(0);
    expect({ documents: await count('day_documents'), users: await count('user_days') }).toEqual(kept);
    await isRecounted('2026-05-30', '2026-05-31');
  });

  it('lets those who began to read finish with what they began with', async () => {
    const days = ['2026-05-29', '2026-05-30', '2026-05-31'];
    await send(...days.map((day) => modelCall(owner, day)));
    await aggregate(app);
    await sql(`UPDATE day_documents SET stored_bytes = 2000000 WHERE org_id = $1`); // a day at a time
    const dates = { startDate: '2026-05-29', endDate: '2026-05-31' };
    const range = AnalyticsRange.of(dates, { today: utcDay('2026-06-01'), firstDay: utcDay('2026-01-14') });
    const format = { name: 'json' as const, isGzipped: false };
    const read = async () =>
      (await app.nest.get(AnalyticsService).report({ orgId: org.id } as never, 'tokens', { range, format })).body();
    const before = await text(await read());
    const reader = (await read())[Symbol.asyncIterator]();
    const begun = [await reader.next(), await reader.next()];
    await send(...days.map((day) => modelCall(owner, day)));
    await aggregate(app);
    clock.advance(9 * MINUTE_MS);
    await tidy();
    const chunks = begun.map(({ value }) => String(value));
    for (let next = await reader.next(); !next.done; next = await reader.next()) chunks.push(String(next.value));
    expect(chunks.join('')).toBe(before);
    expect(await text(await read())).not.toBe(before);
  });

  it('puts the marks of days that are not over together', async () => {
    for (let i = 0; i < 3; i++) await send(event(owner, 'git_commit', '2026-06-01T07:00:00.000Z'));
    await send(event(owner, 'git_commit', '2026-05-31'));
    expect(await count('dirty_days')).toBe(4);
    await tidy();
    const merged = await sql(`SELECT mark FROM dirty_days WHERE org_id = $1 ORDER BY mark`);
    await tidy();
    expect(await sql(`SELECT mark FROM dirty_days WHERE org_id = $1 ORDER BY mark`)).toEqual(merged);
    const marks = await sql(`SELECT day::text, events FROM dirty_days WHERE org_id = $1 ORDER BY day`);
    expect(marks).toEqual([
      { day: '2026-05-31', events: 1 },
      { day: '2026-06-01', events: 3 },
    ]);
    clock.set('2026-06-02T00:00:00.000Z');
    expect(await aggregate(app)).toBe(2);
    await isRecounted('2026-05-31', '2026-06-01');
  });
});
