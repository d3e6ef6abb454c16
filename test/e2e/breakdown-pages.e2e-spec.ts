import { randomUUID } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import { BreakdownRepository } from '../../src/modules/analytics/questions/breakdown.repository.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenMembers, givenTeam } from '../support/given-questions.js';
import { event, modelCall, startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import { DAY, keysOf, NOW, pathOf, Questions, RANGE, tool } from '../support/questions.js';
import type { TestApp } from '../support/test-app.js';

const clock = new ManualClock(NOW);
let app: TestApp;
let org: GivenOrganization;
let owner: GivenUser;
let questions: Questions;

beforeAll(async () => {
  app = await startUsageApp({ clock });
});
beforeEach(async () => {
  clock.set(NOW);
  org = await app.given.organization();
  owner = org.owner;
  questions = new Questions(app, org.owner);
});
afterAll(() => app.stop());

describe('a breakdown', () => {
  it('pages through ties by key, without repeating or skipping a row', async () => {
    const tools = ['Zeta', 'alpha', 'Beta', 'gamma', 'Ёж', 'a b'];
    await questions.givenUsage(...tools.map((name) => tool(owner, name)), tool(owner, 'gamma'));
    const seen: string[] = [];
    let page = await questions.breakdown('tool', 'count', { limit: '1' });
    for (seen.push(...keysOf(page)); page.body.meta.has_more; seen.push(...keysOf(page))) {
      page = await questions.breakdown('tool', 'count', { limit: '1', cursor: page.body.meta.next_cursor });
      expect(page.body).toMatchObject({ total: { value: 7 }, other: { value: 6 } });
    }
    expect(seen).toEqual(['gamma', 'Beta', 'Zeta', 'a b', 'alpha', 'Ёж']);
  });

  it('has a cursor for the same question of the same caller only', async () => {
    await questions.givenUsage(tool(owner, 'Read'), tool(owner, 'Edit'));
    const { next_cursor: cursor } = (await questions.breakdown('tool', 'count', { limit: '1' })).body.meta;
    expect((await questions.breakdown('tool', 'count', { cursor })).status).toBe(200);
    expect((await questions.breakdown('tool', 'active_people', { cursor })).status).toBe(400);
    expect((await questions.breakdown('tool', 'count', { cursor, search: 'e' })).status).toBe(400);
    const manager = await app.given.user(org, { role: Role.Manager });
    const path = pathOf('breakdown', { ...RANGE, dimension: 'tool', metric: 'count', cursor });
    expect((await app.as(manager).get(path)).status).toBe(400);
  });

  it('goes on in the version it began with, and is gone when that is', async () => {
    await questions.givenUsage(tool(owner, 'Read'), tool(owner, 'Edit'), tool(owner, 'Edit'));
    const fields = { limit: '1', compare: 'previous' };
    const { next_cursor: cursor } = (await questions.breakdown('tool', 'count', fields)).body.meta;
    await questions.givenUsage(...Array.from({ length: 5 }, () => tool(owner, 'Read')));
    const second = await questions.breakdown('tool', 'count', { ...fields, cursor });
    expect(second.body).toMatchObject({ data: [{ key: 'Read', value: 1 }], total: { value: 3 } });
    expect((await questions.breakdown('tool', 'count', fields)).body.data[0]).toMatchObject({ key: 'Read', value: 6 });
    clock.advance(10 * 60_000);
    const late = await questions.breakdown('tool', 'count', { ...fields, cursor, limit: '2' });
    expect(late.status).toBe(410);
    expect(late.body.detail).toContain('Begin again without a cursor');
  });

  it('goes on when a day of it gets its first events meanwhile, as long as replaced figures are kept', async () => {
    await questions.givenUsage(tool(owner, 'Read'), tool(owner, 'Edit'), tool(owner, 'Edit'));
    const { next_cursor: cursor } = (await questions.breakdown('tool', 'count', { limit: '1' })).body.meta;
    await questions.givenUsage(event(owner, 'tool_call', RANGE.startDate, { tool: 'Read' }));
    const second = await questions.breakdown('tool', 'count', { limit: '1', cursor });
    expect(second.body).toMatchObject({ data: [{ key: 'Read', value: 1 }], total: { value: 3 } });
    clock.advance(10 * 60_000);
    expect((await questions.breakdown('tool', 'count', { limit: '2', cursor })).status).toBe(410);
  });

  it('is gone when teams or prices have changed that it is made of', async () => {
    const url = app.database.url;
    const other = await app.given.user(org);
    const team = randomUUID();
    await givenTeam(url, org, team, 'Core');
    await givenMembers(url, org, [{ userId: other.id, teamId: team, from: '2026-05-01', to: null }]);
    await questions.givenUsage(modelCall(owner, DAY, { modelId: 'priced' }), modelCall(other, DAY, { modelId: 'a' }));
    const byTeam = await questions.breakdown('team', 'model_calls', { limit: '1' });
    const cost = await questions.breakdown('model', 'cost', { limit: '1' });
    await givenTeam(url, org, randomUUID(), 'New');
    const next = (page: typeof cost) => ({ limit: '1', cursor: String(page.body.meta.next_cursor) });
    expect((await questions.breakdown('team', 'model_calls', next(byTeam))).status).toBe(410);
    expect((await questions.breakdown('model', 'cost', next(cost))).status).toBe(200);
    const prices = [{ model: 'a', since: '2026-01-01', input: '1', output: '2' }];
    expect((await app.as(owner).put('/api/v0/organization/prices', { prices })).status).toBe(200);
    await eventually('a 410', async () => (await questions.breakdown('model', 'cost', next(cost))).status === 410);
  });

  it('finds keys and labels in any letter case, of the total of everything', async () => {
    const ada = await app.given.user(org, { email: 'Ada.Lovelace@example.com' });
    await questions.givenUsage(tool(ada, 'Read'), tool(owner, 'Edit'), tool(owner, 'reader'));
    const byUser = await questions.breakdown('user', 'tool_calls', { search: 'LOVELACE' });
    expect(byUser.body).toMatchObject({ data: [{ key: ada.id, value: 1 }], other: { value: 2 }, total: { value: 3 } });
    expect(keysOf(await questions.breakdown('tool', 'count', { search: 'rEaD' }))).toEqual(['Read', 'reader']);
    expect(keysOf(await questions.breakdown('tool', 'count', { search: '%' }))).toEqual([]);
  });

  it('labels people by address, teams by name, servers by their most frequent spelling, hooks in words', async () => {
    const team = randomUUID();
    await givenTeam(app.database.url, org, team, 'Core team');
    await givenMembers(app.database.url, org, [{ userId: owner.id, teamId: team, from: DAY, to: DAY }]);
    const server = (mcpServer: string) => event(owner, 'tool_call', DAY, { tool: 'x', mcpServer });
    await questions.givenUsage(
      ...['GitHub', 'github', 'GitHub'].map(server),
      event(owner, 'hook_run', DAY, { event: 'PostToolUse', command: 'npm run lint' }),
      event(owner, 'git_commit', '2026-05-21'),
    );
    const labelsOf = async (dimension: string, metric: string) =>
      (await questions.breakdown(dimension, metric)).body.data.map(({ key, label, value }: never) => [
        key,
        label,
        value,
      ]);
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
    await questions.givenUsage(tool(owner, 'Read'));
    const repository = app.nest.get(BreakdownRepository);
    const original = repository.listPageWithSeries.bind(repository);
    let computed = 0;
    repository.listPageWithSeries = (...request) => {
      computed++;
      return original(...request);
    };
    const answers = await Promise.all(Array.from({ length: 10 }, () => questions.breakdown('tool', 'count')));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(computed).toBe(1);
    repository.listPageWithSeries = original;
  });
});
