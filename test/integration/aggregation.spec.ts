import { AggregationHistory } from '../support/aggregation-history.js';
import type { GivenUser } from '../support/given.js';
import { givenSession, SESSIONS } from '../support/given-session.js';
import { aggregate, ANALYTICS, event, modelCall, report } from '../support/given-usage.js';
import { daysBetween } from '../support/reported-events.js';
import type { TestApp } from '../support/test-app.js';

const MINUTE_MS = 60_000;
const LONGEST_PAUSE_MS = 15 * MINUTE_MS;
const history = AggregationHistory.use();
const { clock, sent, activeUsersOn, afterFirstScan, count, get, givenUser, isRecounted, rebuild, send, sql, tidy } =
  history;
let app: TestApp;
let owner: GivenUser;
beforeEach(() => {
  ({ app, owner } = history);
});

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
