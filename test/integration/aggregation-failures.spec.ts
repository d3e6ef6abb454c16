import { AggregationClaimsRepository } from '../../src/modules/analytics/aggregation/aggregation-claims.repository.js';
import { AnalyticsCommands } from '../../src/modules/analytics/analytics-commands.js';
import { AggregationHistory } from '../support/aggregation-history.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { aggregate, ANALYTICS, event, modelCall, report } from '../support/given-usage.js';
import type { TestApp } from '../support/test-app.js';
import { utcDay } from '../support/utc-day.js';

const MINUTE_MS = 60_000;
const history = AggregationHistory.use();
const { clock, log, activeUsersOn, afterFirstScan, count, get, givenUser, isRecounted, send, sql, storedDays } =
  history;
let app: TestApp;
let org: GivenOrganization;
let owner: GivenUser;
beforeEach(() => {
  ({ app, org, owner } = history);
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
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%INSERT INTO user_model_facts%' AND pid <> pg_backend_pid()`,
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
