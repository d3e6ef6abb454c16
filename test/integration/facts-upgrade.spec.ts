import { AggregationService } from '../../src/modules/analytics/aggregation/aggregation.service.js';
import { VerificationService } from '../../src/modules/analytics/verification/verification.service.js';
import { EventPartitions } from '../../src/modules/ingest/event-partitions.js';
import { AggregationHistory } from '../support/aggregation-history.js';
import type { GivenUser } from '../support/given.js';
import { aggregate, ANALYTICS, event, modelCall, rawGet } from '../support/given-usage.js';
import { utcDay } from '../support/utc-day.js';

const KEPT = ['2026-05-20', '2026-05-30', '2026-05-31'];
const RANGE = 'startDate=2026-03-01&endDate=2026-05-31';
const ANSWERS = [
  ...['tokens', 'tools', 'activity', 'productivity', 'users?limit=100'],
  ...['tokens?group_by=model', 'tools?group_by=tool_name', 'activity?group_by=client'],
];
const FACTS = ['user_facts', 'user_model_facts', 'day_facts', 'day_model_facts', 'name_facts'];
const BUDGET_MS = 60_000;

const history = AggregationHistory.use();
const { clock, count, givenUser, log, rebuild, send, sql, storedDays } = history;
/** Others for each test: a dropped day is dropped for all organizations. */
let frozen: string[];
let tests = 0;
let owner: GivenUser;
let second: GivenUser;

const eventsOf = (day: string) => [
  modelCall(owner, day, { cacheReadTokens: 20 }),
  modelCall(second, day, { modelId: 'opus-thinking', inputTokens: 400_000_000, client: 'web' }),
  event(owner, 'tool_call', day, { tool: 'Read', mcpServer: 'GitHub', sessionId: 's', autonomyLevel: 'high' }),
  event(second, 'tool_call', day, { tool: `of ${day}`, mcpServer: 'github' }),
  event(owner, 'user_message', day, { sessionId: 's' }),
  event(owner, 'session_started', day, { sessionId: 's' }),
  event(second, 'hook_run', day, { event: 'Stop', matcher: '"', command: 'lint' }),
  event(second, 'skill_used', day, { name: 'review' }),
  event(second, 'file_created', day, { extension: '.ts' }),
  event(owner, 'slash_command', day, { name: 'compact' }),
];

async function answers(): Promise<unknown[]> {
  const all = [];
  for (const path of ANSWERS) {
    for (const format of ['application/json', 'text/csv', 'application/x-ndjson']) {
      const url = `${ANALYTICS}/${path}${path.includes('?') ? '&' : '?'}${RANGE}`;
      const { status, headers, bytes } = await rawGet(history.app, owner, url, { Accept: format });
      all.push({ path, format, status, etag: headers.etag, text: bytes.toString() });
    }
  }
  return all;
}

/** As the previous release leaves it: without facts, and without names that only dropped events had. */
async function leaveAsBefore(): Promise<void> {
  for (const table of FACTS) await sql(`DELETE FROM ${table} WHERE org_id = $1`);
  await sql(`UPDATE analytics_days SET fact_rules = NULL WHERE org_id = $1`);
  await sql(`DELETE FROM event_names WHERE org_id = $1 AND last_day < '${KEPT[0]}'`);
}

const addFacts = () => history.app.nest.get(AggregationService).addMissingFacts(BUDGET_MS);
const ensure = (start: string, end: string) =>
  history.app.nest.get(AggregationService).ensureFacts(history.org.id, { start: utcDay(start), end: utcDay(end) });
const rules = async () =>
  (
    await sql<{ day: string; rules: string | null }>(
      `SELECT day::text, fact_rules AS rules FROM analytics_days WHERE org_id = $1 AND version IS NOT NULL ORDER BY day`,
    )
  ).map((row) => (row.rules === null || row.rules === 'frozen' ? row.rules : 'made'));
/** The rows of a table by day, without versions and numbers of names. */
const facts = (table: string, columns: string, days: string[]) =>
  sql(
    `SELECT f.day::text, ${columns} FROM ${table} f ${/model|name/.test(table) ? `JOIN event_names n ON n.org_id = f.org_id AND n.id = f.${table === 'name_facts' ? 'name_id' : 'model_id'}` : ''}
      WHERE f.org_id = $1 AND f.day = ANY ($2::date[]) ORDER BY f::text COLLATE "C", 1, 2`,
    [history.org.id, days],
  );

beforeAll(async () => {
  await addFacts(); // looks once, so that a test decides when it looks again
});
beforeEach(async () => {
  ({ owner } = history);
  second = await givenUser();
  frozen = [0, 1].map((day) => `2026-03-${10 + 2 * tests + day}`);
  tests++;
  for (const day of [...frozen, ...KEPT]) await send(...eventsOf(day));
  await aggregate(history.app);
});

describe('days that a release without facts has computed', () => {
  it('get facts, the newest first, and every answer stays the same to the byte', async () => {
    const before = await answers();
    const figures =
      'user_id, billable_tokens, tool_calls, mcp_calls, skill_calls, hooks, sessions, user_messages, email';
    const [userFacts, dayFacts] = [
      await facts('user_facts', figures, [...frozen, ...KEPT]),
      await facts(
        'day_facts',
        'people, mcp_people, web_people, billable_tokens, tool_calls, autonomy_ratio_p90',
        frozen,
      ),
    ];
    for (const day of frozen) await history.app.nest.get(EventPartitions).drop(day);
    await leaveAsBefore();
    const stored = await storedDays();
    await ensure('2026-05-31', '2026-05-31').catch(() => undefined);
    await expect(ensure('2026-03-01', '2026-05-30')).rejects.toThrow('The figures of 4 days');
    expect(await addFacts()).toBe(4);
    expect(await rules()).toEqual(['frozen', 'frozen', 'made', 'made', 'made']);
    expect(await answers()).toEqual(before);
    expect(await facts('user_facts', figures, [...frozen, ...KEPT])).toHaveLength(userFacts.length);
    const byUser = (rows: object[]) => rows.map((row) => JSON.stringify(row)).sort();
    expect(byUser(await facts('user_facts', figures, [...frozen, ...KEPT]))).toEqual(byUser(userFacts));
    expect(
      await facts(
        'day_facts',
        'people, mcp_people, web_people, billable_tokens, tool_calls, autonomy_ratio_p90',
        frozen,
      ),
    ).toEqual(dayFacts);
    expect((await storedDays()).length).toBe(stored.length);
    expect(log.some((line) => line.includes('Facts: to be made for 4 organization days'))).toBe(true);
    expect(log.some((line) => line.includes('Facts: made for 4 organization days; 0 left'))).toBe(true);
    const verified = await history.app.nest
      .get(VerificationService)
      .verify(utcDay('2026-05-20'), utcDay('2026-05-31'), history.org.id);
    expect(verified).toMatchObject({ pending: 0, differences: [] });
  });

  it('keep what their stored rows say when the events are gone; what these do not say is null', async () => {
    const date = frozen[1] ?? '';
    await history.app.nest.get(EventPartitions).drop(date);
    await leaveAsBefore();
    await ensure(date, date);
    const day = [date];
    expect(await facts('name_facts', 'n.name, f.kind, f.count::int, f.people', day)).toEqual(
      expect.arrayContaining([
        { day: date, name: `of ${date}`, kind: 2, count: 1, people: null },
        { day: date, name: 'GitHub', kind: 3, count: 2, people: null },
        { day: date, name: '["Stop","\\"","lint"]', kind: 6, count: 1, people: null },
        { day: date, name: '.ts', kind: 7, count: 1, people: null },
      ]),
    );
    const models = `user_id, n.name, client, above, minute, tier, input::float8, calls, cache_read, reported_cost`;
    expect(await facts('user_model_facts', models, day)).toEqual(
      expect.arrayContaining([
        {
          day: date,
          user_id: second.id,
          name: 'opus-thinking',
          client: 0,
          above: -1,
          minute: 0,
          tier: 2,
          input: 400_000_000,
          calls: null,
          cache_read: null,
          reported_cost: null,
        },
      ]),
    );
    const [user] = await facts('user_facts', 'clients, auto_high, session_tool_calls, name_ids, manual', day);
    expect(user).toEqual({
      day: date,
      clients: null,
      auto_high: null,
      session_tool_calls: null,
      name_ids: null,
      manual: null,
    });
    expect(await count('day_facts')).toBe(1);
  });

  it('get facts for a reader who needs few of them, at once', async () => {
    await leaveAsBefore();
    await ensure('2026-05-21', '2026-05-31');
    expect(await rules()).toEqual([null, null, null, 'made', 'made']);
    await expect(ensure('2026-03-01', '2026-05-20')).resolves.toBeUndefined();
    expect(await rules()).toEqual(['made', 'made', 'made', 'made', 'made']);
  });

  it('are noticed too when that release computes a day once more', async () => {
    // It replaces the version and knows nothing of facts.
    await sql(`UPDATE analytics_days SET version = version + 1000000 WHERE org_id = $1 AND day = '${KEPT[2]}'`);
    await sql(`DELETE FROM user_facts WHERE org_id = $1 AND day = '${KEPT[2]}'`);
    await ensure(KEPT[2] ?? '', KEPT[2] ?? '');
    const rows = await sql(`SELECT 1 FROM user_facts f JOIN analytics_days d USING (org_id, day, version)
                             WHERE f.org_id = $1 AND f.day = '${KEPT[2]}'`);
    expect(rows).toHaveLength(2);
  });

  it('with late events get facts with the version that counts these', async () => {
    await leaveAsBefore();
    clock.advance(60_000);
    await send(event(owner, 'git_commit', KEPT[2] ?? ''));
    await ensure(KEPT[2] ?? '', KEPT[2] ?? '');
    expect(await sql(`SELECT git_commits FROM day_facts WHERE org_id = $1 AND day = '${KEPT[2]}'`)).toEqual([
      { git_commits: '1' },
    ]);
    expect(await count('dirty_days')).toBe(0);
  });
});

describe('old versions of a day', () => {
  it('are deleted together with their facts', async () => {
    await rebuild(KEPT[2] ?? '');
    clock.advance(11 * 60_000);
    await history.tidy();
    for (const table of FACTS) {
      const orphans = await sql(`SELECT 1 FROM ${table} f LEFT JOIN analytics_days d USING (org_id, day, version)
                                  WHERE f.org_id = $1 AND d.org_id IS NULL`);
      expect({ table, orphans: orphans.length }).toEqual({ table, orphans: 0 });
      expect(await count(table)).toBeGreaterThan(0);
    }
  });
});
