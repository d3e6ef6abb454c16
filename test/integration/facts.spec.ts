import { AggregationService } from '../../src/modules/analytics/aggregation/aggregation.service.js';
import { PriceLists } from '../../src/modules/analytics/pricing/price-lists.js';
import { VerificationService } from '../../src/modules/analytics/verification/verification.service.js';
import type { PriceClass, PriceList } from '../../src/prices/price-list.js';
import { AggregationHistory } from '../support/aggregation-history.js';
import type { GivenUser } from '../support/given.js';
import { aggregate, event, modelCall } from '../support/given-usage.js';
import { utcDay } from '../support/utc-day.js';

const DAY = '2026-05-31';
const NOON = 12 * 60;
const ALL_DAY = { fromMinute: 0, toMinute: 24 * 60 };

const history = AggregationHistory.use();
const { givenUser, send, sql } = history;
let owner: GivenUser;
beforeEach(() => {
  ({ owner } = history);
});

/** The price classes of each model, until the next test. */
function givenClasses(classes: Record<string, PriceClass[]>): void {
  const lists = history.app.nest.get(PriceLists);
  const list = {
    revision: JSON.stringify(classes),
    classesOf: (model: string) => classes[model] ?? [],
    classRulesOf: () => JSON.stringify(classes),
  };
  lists.of = () => Promise.resolve(list as unknown as PriceList);
}
afterEach(() => {
  const lists: Partial<PriceLists> = history.app.nest.get(PriceLists);
  delete lists.of;
});

const verify = () => history.app.nest.get(VerificationService).verify(utcDay(DAY), utcDay(DAY), history.org.id);
const ensure = () =>
  history.app.nest.get(AggregationService).ensureFacts(history.org.id, { start: utcDay(DAY), end: utcDay(DAY) });
const classes = () =>
  sql(
    `SELECT n.name, f.above, f.minute, f.client, f.calls::int, f.input::int FROM user_model_facts f
       JOIN analytics_days d USING (org_id, day, version)
       JOIN event_names n ON n.org_id = f.org_id AND n.id = f.model_id
      WHERE f.org_id = $1 ORDER BY n.name, f.client, f.above, f.minute`,
  );

describe('facts of models', () => {
  const TIERS = [
    { above: 0, upTo: 200, ...ALL_DAY },
    { above: 200, upTo: Number.MAX_SAFE_INTEGER, ...ALL_DAY },
  ];

  it('are kept apart by size of the call: a limit itself is below it, a sum of calls has no size', async () => {
    givenClasses({ sonnet: TIERS });
    const calls = [0, 1, 200, 201, 5_000].map((inputTokens) => modelCall(owner, DAY, { inputTokens, outputTokens: 0 }));
    const sum = modelCall(owner, DAY, { inputTokens: 999 });
    await send(...calls, sum, modelCall(owner, DAY, { modelId: 'opus', inputTokens: 300 }));
    await sql(`UPDATE events SET is_sum = true WHERE org_id = $1 AND input_tokens = 999`);
    await aggregate(history.app);
    expect(await classes()).toEqual([
      { name: 'opus', above: 0, minute: 0, client: 3, calls: 1, input: 300 },
      { name: 'sonnet', above: -1, minute: 0, client: 3, calls: 1, input: 999 },
      { name: 'sonnet', above: 0, minute: 0, client: 3, calls: 3, input: 201 },
      { name: 'sonnet', above: 200, minute: 0, client: 3, calls: 2, input: 5_201 },
    ]);
    expect(await verify()).toMatchObject({ compared: 1, differences: [] });
    await sql(`UPDATE events SET input_tokens = 202 WHERE org_id = $1 AND input_tokens = 200`);
    const { differences } = await verify();
    expect(differences.map(({ report }) => report)).toEqual(
      expect.arrayContaining(['userModelFacts', 'dayModelFacts']),
    );
  });

  it('are kept apart by time of the day, to the minute, and by client', async () => {
    const windows = [
      { above: 0, upTo: 1_000_000, fromMinute: 0, toMinute: NOON },
      { above: 0, upTo: 1_000_000, fromMinute: NOON, toMinute: 24 * 60 },
    ];
    givenClasses({ sonnet: windows });
    const at = (time: string, client: string) => modelCall(owner, `${DAY}T${time}Z`, { client });
    await send(
      at('00:00:00.000', 'web'),
      at('11:59:59.999', 'web'),
      at('12:00:00.000', 'web'),
      at('23:59:59.999', 'terminal-ui'),
    );
    await aggregate(history.app);
    expect(await classes()).toMatchObject([
      { client: 1, minute: NOON, calls: 1 },
      { client: 2, minute: 0, calls: 2 },
      { client: 2, minute: NOON, calls: 1 },
    ]);
    expect(await verify()).toMatchObject({ compared: 1, differences: [] });
  });

  it('are made anew when the limits of the price list change, and only then', async () => {
    givenClasses({});
    await send(modelCall(owner, DAY, { inputTokens: 5_000 }));
    await aggregate(history.app);
    const version = () => sql(`SELECT version FROM analytics_days WHERE org_id = $1 AND version IS NOT NULL`);
    const before = await version();
    await ensure();
    expect(await version()).toEqual(before);
    givenClasses({ sonnet: TIERS });
    await ensure();
    expect(await classes()).toMatchObject([{ above: 200, calls: 1 }]);
    expect(await version()).not.toEqual(before);
    expect(await verify()).toMatchObject({ compared: 1, differences: [] });
  });
});

describe('facts of users and names', () => {
  it('hold sessions one by one, names with their counts, clients and the address of that day', async () => {
    const second = await givenUser();
    const tool = (user: GivenUser, name: string, fields: object = {}) =>
      event(user, 'tool_call', DAY, { tool: name, client: 'web', ...fields });
    await send(
      tool(owner, 'Read', { sessionId: 'a', mcpServer: 'github', autonomyLevel: 'low' }),
      tool(owner, 'Read', { sessionId: 'a' }),
      tool(owner, 'Edit'),
      event(owner, 'user_message', DAY, { sessionId: 'a', client: 'terminal-ui' }),
      event(owner, 'file_edited', DAY, { extension: '.ts', sessionId: 'b' }),
      tool(second, 'Edit'),
    );
    await aggregate(history.app);
    const [facts] = await sql(
      `SELECT f.tool_calls, f.clients, f.auto_low, f.manual, f.web_events, f.email,
              (SELECT array_agg(s ORDER BY s) FROM unnest(f.session_tool_calls) AS s) AS calls,
              (SELECT array_agg(n.name || ' ' || x.n ORDER BY x.n DESC)
                 FROM unnest(f.name_ids, f.name_counts) AS x (id, n)
                 JOIN event_names n ON n.org_id = f.org_id AND n.id = x.id) AS names
         FROM user_facts f WHERE f.org_id = $1 AND f.user_id = $2`,
      [history.org.id, owner.id],
    );
    expect(facts).toMatchObject({
      tool_calls: 3,
      auto_low: 1,
      manual: 2,
      web_events: 3,
      email: owner.email,
      calls: [0, 2],
    });
    expect(facts).toMatchObject({ clients: (1 << 1) | (1 << 2) | (1 << 3) });
    const { names } = facts as { names: string[] };
    expect(names[0]).toBe('Read 2');
    expect(names.slice(1).sort()).toEqual(['.ts 1', 'Edit 1', 'TypeScript 1', 'github 1']);
    const people = await sql(
      `SELECT n.name, f.count::int, f.people FROM name_facts f JOIN event_names n ON n.org_id = f.org_id AND n.id = f.name_id
        WHERE f.org_id = $1 AND f.kind = 2 ORDER BY n.name`,
    );
    expect(people).toEqual([
      { name: 'Edit', count: 2, people: 2 },
      { name: 'Read', count: 2, people: 1 },
    ]);
    expect(await verify()).toMatchObject({ compared: 1, differences: [] });
  });
});

describe('facts of the running day', () => {
  const TODAY = '2026-06-01';

  it('are those that the day has once it is over, beside hours', async () => {
    givenClasses({
      sonnet: [
        { above: 0, upTo: 150, ...ALL_DAY },
        { above: 150, upTo: 1e9, ...ALL_DAY },
      ],
    });
    const second = await givenUser();
    await send(
      modelCall(owner, `${TODAY}T00:00:00.000Z`, { inputTokens: 150, cacheReadTokens: 50, client: 'web' }),
      modelCall(owner, `${TODAY}T07:59:59.999Z`, { inputTokens: 151, client: 'web' }),
      event(owner, 'session_started', `${TODAY}T07:00:00.000Z`, { sessionId: 'a' }),
      event(second, 'tool_call', `${TODAY}T07:00:00.000Z`, { tool: 'Read' }),
    );
    const today = await history.app.nest.get(AggregationService).readToday(history.org.id);
    expect(
      today.users.map(({ userId, email, sessions, tool_calls }) => ({ userId, email, sessions, tool_calls })),
    ).toEqual(
      expect.arrayContaining([
        { userId: owner.id, email: owner.email, sessions: 1, tool_calls: 0 },
        { userId: second.id, email: second.email, sessions: 0, tool_calls: 1 },
      ]),
    );
    expect(today.hours).toMatchObject([
      { hour: 0, people: 1, sessions: 0, tool_calls: 0 },
      { hour: 7, people: 2, sessions: 1, tool_calls: 1 },
    ]);
    expect([...today.hourModels].sort((a, b) => a.hour - b.hour)).toMatchObject([
      { model: 'sonnet', hour: 0, above: 0, calls: 1n, input: 150n, cache_read: 50n, cache_write_1h: null },
      { model: 'sonnet', hour: 7, above: 150, calls: 1n, input: 151n },
    ]);
    expect([...today.userModels].sort((a, b) => a.above - b.above)).toMatchObject([
      { userId: owner.id, model: 'sonnet', above: 0, input: 150n },
      { userId: owner.id, model: 'sonnet', above: 150, input: 151n },
    ]);
    expect(await sql(`SELECT 1 FROM user_facts WHERE org_id = $1`)).toEqual([]);
    history.clock.set('2026-06-02T00:10:00.000Z');
    await aggregate(history.app);
    const stored = await sql<{ id: string; calls: string }>(
      `SELECT user_id AS id, tool_calls AS calls FROM user_facts WHERE org_id = $1`,
    );
    expect(new Map(stored.map(({ id, calls }) => [id, calls]))).toEqual(
      new Map(today.users.map(({ userId, tool_calls }) => [userId, tool_calls])),
    );
  });

  it('are none without events', async () => {
    history.clock.set('2026-06-03T08:00:00.000Z');
    const none = await history.app.nest.get(AggregationService).readToday(history.org.id);
    expect(none).toEqual({ users: [], hours: [], userModels: [], hourModels: [] });
  });
});
