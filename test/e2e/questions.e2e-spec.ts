import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { Role } from '../../src/common/access/role.enum.js';
import { AggregationService } from '../../src/modules/analytics/aggregation/aggregation.service.js';
import { BreakdownRepository } from '../../src/modules/analytics/questions/breakdown.repository.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenMembers, givenPrices, givenTeam } from '../support/given-questions.js';
import { aggregate, ANALYTICS, event, modelCall, rawGet, report, startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import type { ReportedEvent } from '../support/reported-events.js';
import type { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const NOW = '2026-06-01T08:00:00.000Z';
const DAY = '2026-05-20';
const RANGE = { startDate: '2026-05-19', endDate: '2026-05-21' };
const clock = new ManualClock(NOW);
let app: TestApp;
let org: GivenOrganization;
let owner: GivenUser;

beforeAll(async () => {
  app = await startUsageApp({ clock });
});
beforeEach(async () => {
  clock.set(NOW);
  org = await app.given.organization();
  owner = org.owner;
});
afterAll(() => app.stop());

const pathOf = (path: string, fields: Record<string, string>) =>
  `${ANALYTICS}/${path}?${new URLSearchParams(fields).toString()}`;
const ask = (path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  app.as(owner).get(pathOf(path, { ...RANGE, ...fields }), headers);
const breakdown = (dimension: string, metric: string, fields: Record<string, string> = {}) =>
  ask('breakdown', { dimension, metric, ...fields });
const keysOf = ({ body }: { body: { data: { key: string }[] } }) => body.data.map(({ key }) => key);
const tool = (user: GivenUser, name: string) => event(user, 'tool_call', DAY, { tool: name });

async function givenUsage(...events: ReportedEvent[]): Promise<void> {
  await report(app.as(owner), events);
  await aggregate(app);
}

describe('an organization without usage', () => {
  it('has a summary of zeros, and nothing to compare unless that is asked for', async () => {
    const { status, body } = await ask('summary');
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ current: { tool_calls: 0, active_people: 0, cost: '0.000000' } });
    expect(body.data).toMatchObject({ previous: null, change: null, current: { reported_cost: null } });
    expect(body.meta).toMatchObject({
      org_id: org.id,
      compare_start_date: null,
      data_as_of: null,
      unpriced_models: [],
    });
  });

  it('has a breakdown without rows', async () => {
    const { body } = await breakdown('model', 'cost', { compare: 'year' });
    expect(body.data).toEqual([]);
    expect(body.total).toMatchObject({ value: '0.000000', share: null, previous_value: '0.000000', change: null });
    expect(body.total.series).toHaveLength(3);
    expect(body.meta).toMatchObject({ dimension: 'model', metric: 'cost', has_more: false, currency: 'USD' });
    expect(body.meta).not.toHaveProperty('next_cursor');
  });
});

describe('a comparison', () => {
  it.each([
    ['2026-05-04', '2026-05-31', 'previous', '2026-04-06', '2026-05-03'],
    ['2026-05-20', '2026-05-29', 'previous', '2026-05-06', '2026-05-15'],
    ['2026-05-31', '2026-05-31', 'previous', '2026-05-24', '2026-05-24'],
    ['2026-05-04', '2026-05-31', 'year', '2025-05-05', '2025-06-01'],
  ])('of %s to %s with %s is with %s to %s: weekdays align', async (startDate, endDate, compare, from, to) => {
    const { body } = await ask('summary', { startDate, endDate, compare });
    expect([body.meta.compare_start_date, body.meta.compare_end_date]).toEqual([from, to]);
  });

  it('begins with the first day of data', async () => {
    const { body } = await ask('summary', { startDate: '2026-01-20', endDate: '2026-01-26', compare: 'previous' });
    expect([body.meta.compare_start_date, body.meta.compare_end_date]).toEqual(['2026-01-14', '2026-01-19']);
  });
});

describe('a question that makes no sense', () => {
  it.each([
    [
      { dimension: 'tool', metric: 'cost' },
      'metric',
      'dimension tool has no cost; it has count, tool_calls, active_people',
    ],
    [{ dimension: 'user', metric: 'active_people' }, 'metric', 'billable_tokens'],
    [{ dimension: 'model', metric: 'sessions' }, 'metric', 'it has billable_tokens'],
    [{ dimension: 'colour', metric: 'cost' }, 'dimension', 'must be one of model, user, team'],
    [{ dimension: 'user', metric: 'everything' }, 'metric', 'must be one of billable_tokens'],
    [{ dimension: 'user', metric: 'sessions', model: 'sonnet' }, 'model', 'it can by user_id, team_id'],
    [{ dimension: 'tool', metric: 'count', client: 'web' }, 'client', 'it can by user_id, team_id'],
    [{ dimension: 'user', metric: 'cost', client: 'fax' }, 'client', 'must be one of terminal-ui'],
    [{ dimension: 'user', metric: 'cost', user_id: 'me' }, 'user_id', 'must be a UUID'],
    [{ dimension: 'user', metric: 'cost', team_id: 'mine' }, 'team_id', 'must be the id of a team, or (none)'],
    [{ dimension: 'user', metric: 'cost', compare: 'last' }, 'compare', 'must be one of previous, year, none'],
    [{ dimension: 'user', metric: 'cost', limit: '101' }, 'limit', 'from 1 to 100'],
    [{ dimension: 'user', metric: 'cost', cursor: 'x.y' }, 'cursor', 'is not a nextCursor'],
    [{ dimension: 'user', metric: 'cost', endDate: '2026-06-01' }, 'endDate', 'is today'],
    [{ dimension: 'user', metric: 'cost', startDate: '2025-01-01' }, 'endDate', 'at most 366 days'],
  ])('is a 400 that says what is allowed: %j', async (fields, field, message) => {
    const { status, body } = await ask('breakdown', fields);
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ field, message: expect.stringContaining(message) }]);
  });

  it('is one with a parameter that does not exist', async () => {
    expect((await ask('summary', { team: 'x' })).status).toBe(400);
    expect((await ask('breakdown', { dimension: 'user' })).body.errors[0].field).toBe('metric');
  });
});

describe('other organizations', () => {
  it('are not seen, neither their people nor their teams', async () => {
    const other = await app.given.organization();
    const team = randomUUID();
    await givenTeam(app.database.url, other, team, 'Theirs');
    await report(app.as(other.owner), [modelCall(other.owner, DAY)]);
    await givenUsage(modelCall(owner, DAY));
    expect(keysOf(await breakdown('user', 'model_calls'))).toEqual([owner.id]);
    expect((await breakdown('user', 'model_calls', { user_id: other.owner.id })).body.total.value).toBe(0);
    expect((await breakdown('user', 'model_calls', { team_id: team })).body.total.value).toBe(0);
    const person = await ask(`people/${other.owner.id}`);
    expect(person.status).toBe(404);
    expect((await ask(`people/${randomUUID()}`)).body.detail).toMatch(/^There is no user/);
    expect((await ask('people/nobody')).status).toBe(404);
  });
});

describe('a breakdown', () => {
  it('pages through ties by key, without repeating or skipping a row', async () => {
    const tools = ['Zeta', 'alpha', 'Beta', 'gamma', 'Ёж', 'a b'];
    await givenUsage(...tools.map((name) => tool(owner, name)), tool(owner, 'gamma'));
    const seen: string[] = [];
    let page = await breakdown('tool', 'count', { limit: '1' });
    for (seen.push(...keysOf(page)); page.body.meta.has_more; seen.push(...keysOf(page))) {
      page = await breakdown('tool', 'count', { limit: '1', cursor: page.body.meta.next_cursor });
      expect(page.body).toMatchObject({ total: { value: 7 }, other: { value: 6 } });
    }
    expect(seen).toEqual(['gamma', 'Beta', 'Zeta', 'a b', 'alpha', 'Ёж']);
  });

  it('has a cursor for the same question of the same caller only', async () => {
    await givenUsage(tool(owner, 'Read'), tool(owner, 'Edit'));
    const { next_cursor: cursor } = (await breakdown('tool', 'count', { limit: '1' })).body.meta;
    expect((await breakdown('tool', 'count', { cursor })).status).toBe(200);
    expect((await breakdown('tool', 'active_people', { cursor })).status).toBe(400);
    expect((await breakdown('tool', 'count', { cursor, search: 'e' })).status).toBe(400);
    const manager = await app.given.user(org, { role: Role.Manager });
    const path = pathOf('breakdown', { ...RANGE, dimension: 'tool', metric: 'count', cursor });
    expect((await app.as(manager).get(path)).status).toBe(400);
  });

  it('goes on in the version it began with, and is gone when that is', async () => {
    await givenUsage(tool(owner, 'Read'), tool(owner, 'Edit'), tool(owner, 'Edit'));
    const fields = { limit: '1', compare: 'previous' };
    const { next_cursor: cursor } = (await breakdown('tool', 'count', fields)).body.meta;
    await givenUsage(...Array.from({ length: 5 }, () => tool(owner, 'Read')));
    const second = await breakdown('tool', 'count', { ...fields, cursor });
    expect(second.body).toMatchObject({ data: [{ key: 'Read', value: 1 }], total: { value: 3 } });
    expect((await breakdown('tool', 'count', fields)).body.data[0]).toMatchObject({ key: 'Read', value: 6 });
    clock.advance(10 * 60_000);
    const late = await breakdown('tool', 'count', { ...fields, cursor, limit: '2' });
    expect(late.status).toBe(410);
    expect(late.body.detail).toContain('Begin again without a cursor');
  });

  it('goes on when a day of it gets its first events meanwhile, as long as replaced figures are kept', async () => {
    await givenUsage(tool(owner, 'Read'), tool(owner, 'Edit'), tool(owner, 'Edit'));
    const { next_cursor: cursor } = (await breakdown('tool', 'count', { limit: '1' })).body.meta;
    await givenUsage(event(owner, 'tool_call', RANGE.startDate, { tool: 'Read' }));
    const second = await breakdown('tool', 'count', { limit: '1', cursor });
    expect(second.body).toMatchObject({ data: [{ key: 'Read', value: 1 }], total: { value: 3 } });
    clock.advance(10 * 60_000);
    expect((await breakdown('tool', 'count', { limit: '2', cursor })).status).toBe(410);
  });

  it('is gone when teams or prices have changed that it is made of', async () => {
    const url = app.database.url;
    const other = await app.given.user(org);
    const team = randomUUID();
    await givenTeam(url, org, team, 'Core');
    await givenMembers(url, org, [{ userId: other.id, teamId: team, from: '2026-05-01', to: null }]);
    await givenUsage(modelCall(owner, DAY, { modelId: 'priced' }), modelCall(other, DAY, { modelId: 'a' }));
    const byTeam = await breakdown('team', 'model_calls', { limit: '1' });
    const cost = await breakdown('model', 'cost', { limit: '1' });
    await givenTeam(url, org, randomUUID(), 'New');
    const next = (page: typeof cost) => ({ limit: '1', cursor: String(page.body.meta.next_cursor) });
    expect((await breakdown('team', 'model_calls', next(byTeam))).status).toBe(410);
    expect((await breakdown('model', 'cost', next(cost))).status).toBe(200);
    const prices = [{ model: 'a', since: '2026-01-01', input: '1', output: '2' }];
    expect((await app.as(owner).put('/api/v0/organization/prices', { prices })).status).toBe(200);
    await eventually('a 410', async () => (await breakdown('model', 'cost', next(cost))).status === 410);
  });

  it('finds keys and labels in any letter case, of the total of everything', async () => {
    const ada = await app.given.user(org, { email: 'Ada.Lovelace@example.com' });
    await givenUsage(tool(ada, 'Read'), tool(owner, 'Edit'), tool(owner, 'reader'));
    const byUser = await breakdown('user', 'tool_calls', { search: 'LOVELACE' });
    expect(byUser.body).toMatchObject({ data: [{ key: ada.id, value: 1 }], other: { value: 2 }, total: { value: 3 } });
    expect(keysOf(await breakdown('tool', 'count', { search: 'rEaD' }))).toEqual(['Read', 'reader']);
    expect(keysOf(await breakdown('tool', 'count', { search: '%' }))).toEqual([]);
  });

  it('labels people by address, teams by name, servers by their most frequent spelling, hooks in words', async () => {
    const team = randomUUID();
    await givenTeam(app.database.url, org, team, 'Core team');
    await givenMembers(app.database.url, org, [{ userId: owner.id, teamId: team, from: DAY, to: DAY }]);
    const server = (mcpServer: string) => event(owner, 'tool_call', DAY, { tool: 'x', mcpServer });
    await givenUsage(
      ...['GitHub', 'github', 'GitHub'].map(server),
      event(owner, 'hook_run', DAY, { event: 'PostToolUse', command: 'npm run lint' }),
      event(owner, 'git_commit', '2026-05-21'),
    );
    const labelsOf = async (dimension: string, metric: string) =>
      (await breakdown(dimension, metric)).body.data.map(({ key, label, value }: never) => [key, label, value]);
    expect(await labelsOf('user', 'tool_calls')).toEqual([[owner.id, owner.email, 3]]);
    expect(await labelsOf('team', 'tool_calls')).toEqual([
      [team, 'Core team', 3],
      ['(none)', '(none)', 0],
    ]);
    expect(await labelsOf('server', 'count')).toEqual([['github', 'GitHub', 3]]);
    expect(await labelsOf('hook', 'count')).toEqual([
      ['["PostToolUse","","npm run lint"]', 'PostToolUse npm run lint', 1],
    ]);
  });

  it('is computed once for all who ask the same', async () => {
    await givenUsage(tool(owner, 'Read'));
    const repository = app.nest.get(BreakdownRepository);
    const original = repository.listPageWithSeries.bind(repository);
    let computed = 0;
    repository.listPageWithSeries = (...request) => {
      computed++;
      return original(...request);
    };
    const answers = await Promise.all(Array.from({ length: 10 }, () => breakdown('tool', 'count')));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(computed).toBe(1);
    repository.listPageWithSeries = original;
  });
});

describe('formats', () => {
  it('are CSV and NDJSON as well, of rows that JSON has too', async () => {
    await givenUsage(tool(owner, '=1+1'), tool(owner, 'Read'), modelCall(owner, DAY));
    const csv = await ask('breakdown', { dimension: 'tool', metric: 'count' }, { Accept: 'text/csv' });
    expect(csv.text.split('\r\n')).toEqual([
      'key,label,value,share,previous_value,change',
      'Read,Read,1,0.5,,',
      'unknown,unknown,1,0.5,,',
      '',
    ]);
    const ndjson = await ask('breakdown', { dimension: 'tool', metric: 'count' }, { Accept: 'application/x-ndjson' });
    expect(
      ndjson.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).key),
    ).toEqual(['Read', 'unknown']);
    const summary = await ask('summary', { compare: 'previous' }, { Accept: 'text/csv' });
    expect(summary.text.split('\r\n').map((line) => line.split(',')[0])).toEqual([
      'period',
      'current',
      'previous',
      'change',
      '',
    ]);
    const person = await ask(`people/${owner.id}`, {}, { Accept: 'text/csv' });
    expect(person.text.split('\r\n').map((line) => line.split(',')[0])).toEqual([
      'date',
      '2026-05-19',
      '2026-05-20',
      '2026-05-21',
      '',
    ]);
  });

  it.each(['summary?', 'breakdown?dimension=model&metric=cost&', 'people/:id?'])(
    'keep their ETag until something changes: /%s',
    async (path) => {
      await givenUsage(modelCall(owner, DAY, { modelId: 'priced' }));
      const url = `${ANALYTICS}/${path.replace(':id', owner.id)}startDate=${RANGE.startDate}&endDate=${RANGE.endDate}`;
      const first = await app.as(owner).get(url);
      const known = { 'If-None-Match': first.headers.etag ?? '' };
      expect(first.headers['cache-control']).toBe('private, no-cache');
      expect((await app.as(owner).get(url, known)).status).toBe(304);
      await givenUsage(modelCall(owner, '2026-05-22', { modelId: 'priced' }));
      expect((await app.as(owner).get(url, known)).status).toBe(304);
      await givenUsage(modelCall(owner, DAY, { modelId: 'priced' }));
      const late = await app.as(owner).get(url, known);
      expect(late.status).toBe(200);
      expect(late.body.meta.revision).not.toBe(first.body.meta.revision);
      const plain = await rawGet(app, owner, url, { 'Accept-Encoding': 'identity' });
      const zipped = await rawGet(app, owner, url, { 'Accept-Encoding': 'gzip' });
      expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
      expect(zipped.headers.etag).not.toBe(plain.headers.etag);
    },
  );

  it('keep whole numbers exact beyond 2^53', async () => {
    await givenUsage(modelCall(owner, DAY, { modelId: 'unheard-of' }));
    await query(app.database.url, `UPDATE day_model_facts SET input = 9007199254740993 WHERE org_id = $1`, [org.id]);
    expect((await ask('summary')).text).toContain('"input_tokens":9007199254740993,');
    expect((await breakdown('model', 'input_tokens')).text).toContain('"value":9007199254740993,');
  });
});

describe('cost', () => {
  it('is rounded once, at the end, and says what it leaves out', async () => {
    await givenPrices(app.database.url, org.id, '2026-05-20');
    const small = { modelId: 'priced', inputTokens: 1, outputTokens: 0 };
    await givenUsage(
      ...Array.from({ length: 3 }, () => modelCall(owner, DAY, small)),
      modelCall(owner, DAY, { modelId: 'unheard-of', inputTokens: 70, outputTokens: 7 }),
    );
    const { body } = await breakdown('model', 'cost');
    expect(body.data).toMatchObject([
      { key: 'priced', value: '0.000009' },
      { key: 'unheard-of', value: null, share: null },
    ]);
    expect(body.meta).toMatchObject({ reasons: ['list_price'], unpriced_tokens: 77, unpriced_models: ['unheard-of'] });
    const rest = (await breakdown('model', 'cost', { limit: '1' })).body;
    expect(rest).toMatchObject({ other: { value: null }, total: { value: '0.000009' } });
  });

  it('of other rows is null on days, and in comparisons, in which none of their tokens has a price', async () => {
    await givenPrices(app.database.url, org.id, '2026-05-20');
    const [large, small] = [{ inputTokens: 100_000 }, { inputTokens: 1_000, outputTokens: 0 }];
    await givenUsage(
      ...['2026-05-14', DAY, RANGE.endDate].map((day) => modelCall(owner, day, { modelId: 'priced', ...large })),
      ...['2026-05-14', DAY, RANGE.endDate].map((day) => modelCall(owner, day, { modelId: 'unheard-of' })),
      modelCall(owner, DAY, { modelId: 'changing', ...small }),
    );
    const { other, total } = (await breakdown('model', 'cost', { limit: '1', compare: 'previous' })).body;
    const valuesOf = ({ series }: { series: { value: string | null }[] }) => series.map(({ value }) => value);
    expect(valuesOf(other)).toEqual(['0.000000', '0.007000', null]);
    expect(other).toMatchObject({ value: '0.007000', previous_value: null, change: null });
    expect(valuesOf(total)).toEqual(['0.000000', '0.307150', '0.300150']);
    const found = (await breakdown('model', 'cost', { search: 'ed', limit: '1' })).body;
    expect(found).toMatchObject({ data: [{ key: 'priced' }], other: { value: '0.007000' } });
  });

  it('is right by other tiers with the next pass in the background', async () => {
    await givenUsage(modelCall(owner, DAY, { modelId: 'house', inputTokens: 5_000, outputTokens: 0 }));
    const tiers = (above: number) => [
      { model: 'house', since: '2026-01-01', input: '1', output: '1', tiers: [{ above, input: '3' }] },
    ];
    const aggregation = app.nest.get(AggregationService);
    for (const [above, cost] of [
      [5_000, '0.005000'],
      [4_999, '0.015000'],
    ] as const) {
      await app.as(owner).put('/api/v0/organization/prices', { prices: tiers(above) });
      await eventually('the day is made anew', async () => (await aggregation.addMissingFacts(10_000)) === 1);
      expect((await ask('summary')).body.data.current.cost).toBe(cost);
    }
  });

  it('is null with a reason for days of which only stored rows are left', async () => {
    await givenPrices(app.database.url, org.id, '2026-05-20');
    await givenUsage(
      modelCall(owner, DAY, { modelId: 'priced' }),
      modelCall(owner, '2026-05-21', { modelId: 'tiered' }),
    );
    for (const table of ['day_model_facts', 'user_model_facts']) {
      await query(
        app.database.url,
        `UPDATE ${table} SET client = 0, calls = NULL, cache_read = NULL, cache_write = NULL WHERE org_id = $1 AND day = $2`,
        [org.id, DAY],
      );
    }
    const { body } = await ask('summary');
    expect(body.meta).toMatchObject({
      reasons: ['list_price', 'raw_events_gone'],
      unpriced_tokens: 110,
      unpriced_models: ['priced'],
    });
    expect(body.data.current).toMatchObject({ input_tokens: 200, model_calls: 1 });
    expect((await breakdown('client', 'cost')).body.data).toMatchObject([
      { key: 'non-interactive-cli', value: '0.000120' },
      { key: '(unknown)', value: null },
    ]);
    expect((await breakdown('user', 'cost')).body.data).toMatchObject([{ key: owner.id, value: '0.000120' }]);
    expect((await breakdown('model', 'model_calls')).body.data).toMatchObject([
      { key: 'tiered', value: 1 },
      { key: 'priced', value: null },
    ]);
  });
});

describe('/api/v0/me/usage', () => {
  const mine = (user: GivenUser, endDate = '2026-05-21') =>
    app.as(user).get(`/api/v0/me/usage?startDate=2026-05-19&endDate=${endDate}`);

  it('shows members their own figures and nobody else’s', async () => {
    const member = await app.given.user(org);
    await givenUsage(modelCall(member, DAY), tool(member, 'Read'), tool(owner, 'Edit'), tool(owner, 'Edit'));
    const { status, body } = await mine(member);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      startDate: '2026-05-19',
      endDate: '2026-05-21',
      totals: { modelCalls: 1, inputTokens: 100, toolCalls: 1, activeDays: 1 },
      models: [{ modelId: 'sonnet', modelCalls: 1 }],
      tools: [{ tool: 'Read', count: 1 }],
      currency: 'USD',
    });
    expect(body.days.map(({ date, toolCalls, final }: never) => [date, toolCalls, final])).toEqual([
      ['2026-05-19', 0, true],
      ['2026-05-20', 1, true],
      ['2026-05-21', 0, true],
    ]);
  });

  it('may end today, but not later, and is refused to guests', async () => {
    const today = await mine(owner, '2026-06-01');
    expect(today.status).toBe(200);
    expect(today.body.days.at(-1)).toMatchObject({ date: '2026-06-01', final: false });
    const tomorrow = await mine(owner, '2026-06-02');
    expect(tomorrow.body.errors).toEqual([{ field: 'endDate', message: 'must not be after 2026-06-01' }]);
    expect((await mine(await app.given.user(org, { role: Role.Guest }))).status).toBe(403);
  });
});
