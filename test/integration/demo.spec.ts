import { readFileSync } from 'node:fs';
import { UtcDay } from '../../src/common/time/utc-day.js';
import { AnalyticsCommands } from '../../src/modules/analytics/analytics-commands.js';
import { DemoCommands } from '../../src/modules/demo/demo-commands.js';
import type { Phase } from '../../src/modules/demo/demo-days.js';
import { DemoHistory } from '../../src/modules/demo/demo-history.js';
import { PEOPLE } from '../../src/modules/demo/demo-people.js';
import { CONVERSATIONS } from '../../src/modules/demo/demo-conversations.js';
import { REPOSITORIES, reportsOf } from '../../src/modules/demo/demo-reports.js';
import { DemoFillService } from '../../src/modules/demo/demo-fill.service.js';
import type { Demo, DemoResult } from '../../src/modules/demo/demo.service.js';
import { OperatorCommands } from '../../src/modules/organization/operator-commands.js';
import { OrganizationsService } from '../../src/modules/organization/organizations/organizations.service.js';
import { assess } from '../../src/modules/readiness/readiness-level.js';
import type { ApiAnswer } from '../support/api-client.js';
import { REPORTS } from '../support/given-report.js';
import { SESSIONS } from '../support/given-session.js';
import type { GivenOrganization } from '../support/given.js';
import { itLong } from '../support/long.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

type Row = ApiAnswer['body'];

const day = (text: string) => UtcDay.tryParse(text) as UtcDay;
const sum = (rows: Row[], field: string): number => rows.reduce<number>((total, row) => total + Number(row[field]), 0);

describe('the demo', () => {
  // A whole week, from Monday to Sunday, and the morning of the Monday after it.
  const RANGE = 'startDate=2026-03-09&endDate=2026-03-15';
  const WEEK = Array.from({ length: 7 }, (_, i) => day('2026-03-09').plus(i).toString());
  const QUERIES = [
    `activity?${RANGE}`,
    `activity?${RANGE}&group_by=client`,
    `tokens?${RANGE}`,
    `tokens?${RANGE}&group_by=model`,
    `tools?${RANGE}`,
    `tools?${RANGE}&group_by=tool_name`,
    `productivity?${RANGE}`,
    `users?${RANGE}&limit=100`,
  ];
  const clock = new ManualClock('2026-03-16T10:30:00.000Z');
  const phases: string[] = [];
  const phase: Phase = (title, work) => {
    const last = { done: 0, total: 0 };
    return work((done, total) => Object.assign(last, { done, total })).finally(() =>
      phases.push(`${title} ${last.done === last.total}`),
    );
  };
  let app: TestApp;
  let other: GivenOrganization;
  let first: DemoResult;
  let recent: { demo: Demo; phases: string[] };

  let key: string;

  const get = (path: string) => app.withBearer(key).get(path);
  const rowsOf = async (query: string): Promise<Row[]> => (await get(`/api/v1/analytics/${query}`)).body.data;
  const fill = () =>
    app.nest.get(DemoFillService).fillHere(phase, (demo) => {
      recent = { demo, phases: [...phases] };
    });

  beforeAll(async () => {
    app = await TestApp.start({ clock, env: { ANALYTICS_FIRST_DAY: '2026-03-09' } });
    other = await app.given.organization();
    const policies = { maxAutonomyLevel: 'off', modelPolicy: { allowedModelIds: ['no-such-model'] } };
    expect((await app.as(other.owner).put('/api/v0/organization/enterprise-controls', policies)).status).toBe(200);
    first = await fill();
    const input = { org: first.orgId, email: first.owner.email ?? '', name: 'of a test', scope: 'full' } as const;
    key = (await app.nest.get(OperatorCommands).createKey(input)).split('\n').at(-1) ?? '';
  }, 60_000);
  afterAll(() => app.stop());

  it('adds people, sessions, reports and events, and shows how far each has come', () => {
    expect(first).toMatchObject({
      people: PEOPLE.length,
      sessions: CONVERSATIONS.length,
      reports: REPOSITORIES.length,
      events: { duplicates: 0, rejectedCount: 0 },
    });
    expect(first.events.accepted).toBeGreaterThan(5_000);
    expect(phases).toEqual(['People true', 'Sessions true', 'Reports true', 'Newest weeks true']);
  });

  it('can be looked at when the newest weeks are there', () => {
    expect(recent.phases).toEqual(['People true', 'Sessions true', 'Reports true', 'Newest weeks true']);
    expect(recent.demo).toMatchObject({ name: 'Demo', orgId: first.orgId });
  });

  it('has an organization of its own, whose owner has the key', async () => {
    const { body } = await get('/api/v0/me');
    expect(body).toMatchObject({
      user: { email: 'owner@demo.example' },
      role: 'owner',
      organization: { id: first.orgId, name: 'Demo' },
    });
  });

  it('is not the organization of commands that name none', async () => {
    const organizations = app.nest.get(OrganizationsService);
    expect((await organizations.resolve()).id).toBe(other.id);
    expect((await organizations.resolve('Demo')).id).toBe(first.orgId);
  });

  it('has five teams, in which everybody is from the day they joined; two people changed teams', async () => {
    const { teams } = (await get('/api/v0/organization/teams')).body;
    expect(teams.map((team: Row) => team.name)).toEqual(['Backend', 'Data', 'Mobile', 'Platform', 'Web']);
    const memberships: Row[] = teams.flatMap((team: Row) => team.members);
    const now = memberships.filter(({ to }) => to === undefined);
    expect(new Set(now.map(({ userId }) => userId)).size).toBe(PEOPLE.length);
    const ended = memberships.filter(({ to }) => to !== undefined);
    expect(ended).toHaveLength(2);
    for (const { userId, to } of ended) {
      expect(now.find((other) => other.userId === userId)?.from).toBe(day(to).next().toString());
    }
    const { members } = (await get('/api/v0/organization/members?limit=100')).body;
    for (const { email, createdAt, team } of members) {
      const person = PEOPLE.find((one) => one.email === email);
      expect(team?.name.toLowerCase()).toBe(person?.team);
      if (team) expect(memberships.map(({ from }) => from)).toContain(createdAt.slice(0, 10));
    }
  });

  it('has prices: a discount of the organization’s own, and one model of its own that has none', async () => {
    const { prices } = (await get('/api/v0/organization/prices')).body;
    expect(prices).toEqual([{ provider: 'anthropic', factor: '0.9', since: '2026-03-09' }]);
    const { data, meta } = (await get(`/api/v1/analytics/summary?${RANGE}`)).body;
    expect(Number(data.current.cost)).toBeGreaterThan(10);
    // Few use it: in some weeks of some demos nobody does.
    const models = (await get(`/api/v1/analytics/breakdown?${RANGE}&dimension=model&metric=input_tokens`)).body.data;
    const used = models.map(({ key: model }: Row) => model);
    expect(meta.unpriced_models).toEqual(used.includes('in-house-coder') ? ['in-house-coder'] : []);
    expect(meta.unpriced_tokens / sum([data.current], 'input_tokens')).toBeLessThan(0.1);
    const teams = (await get(`/api/v1/analytics/breakdown?${RANGE}&dimension=team&metric=cost`)).body;
    expect(teams.data.map((row: Row) => row.label).sort()).toEqual(
      expect.arrayContaining(['Backend', 'Data', 'Mobile', 'Platform', 'Web']),
    );
    expect(teams.total.value).toBe(data.current.cost);
  });

  it('has a today up to this minute, and a night in which scheduled runs begin', async () => {
    const { data, meta } = (await get('/api/v1/analytics/today')).body;
    expect(data.date).toBe('2026-03-16');
    expect(meta).toMatchObject({ as_of: clock.now().toISOString(), final: false });
    const hours = data.by_hour.map(({ hour }: Row) => hour);
    expect(hours).toEqual(expect.arrayContaining([0, 9, 10]));
    expect(hours.at(-1)).toBe(10);
    expect(data.top_people).toHaveLength(10);
    expect(Number(data.cost)).toBeGreaterThan(1);
  });

  it('is busy on weekdays and quiet on the weekend, and grows with those who join', async () => {
    const rows = await rowsOf(`activity?${RANGE}`);
    expect(rows.map(({ date }) => date)).toEqual(WEEK);
    const weekdays = rows.slice(0, 5);
    const weekend = rows.slice(5);
    expect(sum(weekdays, 'sessions') / 5).toBeGreaterThan(sum(weekend, 'sessions') / 2);
    expect(sum(weekdays, 'daily_active_users') / 5).toBeGreaterThan(sum(weekend, 'daily_active_users') / 2);
    expect(rows[4].daily_active_users).toBeGreaterThan(rows[0].daily_active_users);
    expect(rows[6].weekly_active_users).toBeGreaterThan(PEOPLE.length / 2);
    for (const client of ['terminal-ui', 'web', 'non-interactive-cli']) {
      expect(rows.some((row) => row.daily_active_users_by_client[client] > 0)).toBe(true);
    }
  });

  it('spends tokens whose breakdowns add up', async () => {
    const rows = await rowsOf(`tokens?${RANGE}`);
    const grouped = await rowsOf(`tokens?${RANGE}&group_by=model`);
    expect(new Set(grouped.map((row) => row.group_key)).size).toBeGreaterThan(4);
    expect(rows.flatMap((row) => row.by_model).map((model) => model.model_tier)).toContain('thinking');
    expect(sum(rows, 'cache_read_tokens')).toBeGreaterThan(sum(rows, 'input_tokens') / 2);
    for (const row of rows) {
      expect(sum(row.by_user, 'billable_tokens')).toBe(row.billable_tokens);
      const ofDay = grouped.filter(({ date }) => date === row.date);
      for (const field of ['billable_tokens', 'input_tokens', 'output_tokens']) {
        expect(sum(row.by_model, field)).toBe(row[field]);
        expect(sum(ofDay, field)).toBe(row[field]);
      }
    }
  });

  it('uses tools, MCP servers, skills, commands and hooks, and changes files, all of which add up', async () => {
    const tools = await rowsOf(`tools?${RANGE}`);
    const users = await rowsOf(`users?${RANGE}&limit=100`);
    for (const row of tools) {
      expect(sum(row.by_tool, 'invocations')).toBe(row.tool_calls);
      expect(sum(row.skills_by_name, 'count')).toBe(row.skills_invocations);
      expect(sum(row.slash_commands_by_name, 'count')).toBe(row.slash_commands_invocations);
      expect(sum(row.hooks_by_event, 'count')).toBe(row.hooks_invocations);
      const ofDay = users.filter(({ date }) => date === row.date);
      expect(sum(ofDay, 'tool_calls')).toBe(row.tool_calls);
      expect(sum(ofDay, 'mcp_calls')).toBe(sum(row.mcp_by_server, 'invocations'));
    }
    const [monday] = tools;
    expect(monday.by_tool[0].tool).toBe('Read');
    expect(Object.values<number>(monday.tool_autonomy_level_ratio).reduce((a, b) => a + b)).toBeCloseTo(1, 12);
    for (const field of ['mcp_users_with_mcp', 'skills_invocations', 'slash_commands_invocations', 'web_users']) {
      expect(sum(tools, field)).toBeGreaterThan(0);
    }
    const productivity = await rowsOf(`productivity?${RANGE}`);
    for (const row of productivity) {
      const files = sum([row], 'files_created') + sum([row], 'files_edited');
      expect(sum(row.by_extension, 'count')).toBe(files);
      expect(sum(row.by_language, 'count')).toBe(files);
    }
    expect(sum(productivity, 'files_edited')).toBeGreaterThan(sum(productivity, 'files_created'));
    expect(sum(productivity, 'git_commits')).toBeGreaterThan(sum(productivity, 'git_prs_created'));
  });

  it('answers every example of the page about analytics', async () => {
    const page = readFileSync('docs/analytics.md', 'utf8');
    const days = 'startDate=2026-10-19&endDate=2026-11-15';
    const examples = page.match(/(?<="\$URL)\/api[^"]+/g) ?? [];
    expect(examples.length).toBeGreaterThan(5);
    for (const path of examples) {
      const { status, body, text } = await get(path.replace(days, RANGE));
      const found = body?.data ?? body?.days ?? text;
      expect({ path, status, isEmpty: found.length === 0 }).toEqual({ path, status: 200, isEmpty: false });
    }
    const { data } = (await get(`/api/v1/analytics/breakdown?${RANGE}&dimension=user&metric=cost`)).body;
    expect((await get(`/api/v1/analytics/people/${data[0].key}?${RANGE}`)).body.data.totals.cost).toBe(data[0].value);
  });

  itLong('serves what a recount of the raw events gives', async () => {
    const options = { from: '2026-03-09', to: '2026-03-15', orgId: first.orgId };
    const report = await app.nest.get(AnalyticsCommands).verify(options, () => undefined);
    expect(report).toBe('Compared 7 organization days with a recount of their raw events.\nNo differences.');
  });

  it('has a readiness report of each repository, with a level', async () => {
    const { reports } = (await get(REPORTS)).body;
    expect(new Set(reports.map((report: Row) => report.repoUrl)).size).toBe(REPOSITORIES.length);
    for (const { reportId, createdAt } of reports) {
      expect(createdAt).toBeLessThanOrEqual(clock.now().getTime());
      const { body } = await get(`${REPORTS}/${reportId}`);
      expect(body.level).toBeGreaterThan(1);
      expect(body.pillars).toHaveLength(9);
    }
  });

  it('has sessions of the owner that are over, with messages and the tokens they took', async () => {
    const { sessions } = (await get(`${SESSIONS}?limit=100`)).body;
    expect(sessions).toHaveLength(CONVERSATIONS.length);
    for (const { sessionId, status, title, messageCount, createdAt, completedAt, sessionSettings } of sessions) {
      expect({ status, title }).toEqual({ status: 'idle', title: expect.stringMatching(/./) });
      expect(sessionSettings.tokenUsage.outputTokens).toBeGreaterThan(0);
      const { messages } = (await get(`${SESSIONS}/${sessionId}/messages`)).body;
      expect(messages).toHaveLength(messageCount);
      expect(messages.map((message: Row) => message.role).slice(-2)).toEqual(['assistant', 'user']);
      expect(messages[0].createdAt).toBe(completedAt);
      expect(createdAt).toBeLessThan(completedAt);
      expect(completedAt).toBeLessThan(clock.now().getTime());
    }
    const found = await get(`${SESSIONS}/search?q=voucher`);
    expect([found.status, found.body.results?.length > 0]).toEqual([200, true]);
  });

  it('adds nothing when it runs again, and tells where to look', async () => {
    const before = await Promise.all(QUERIES.map(rowsOf));
    const settings = () => Promise.all(['teams', 'prices'].map((path) => get(`/api/v0/organization/${path}`)));
    const [teams, prices] = (await settings()).map(({ body }) => body);
    let introduction = '';
    const text = await app.nest.get(DemoCommands).fill(phase, (shown) => (introduction = shown));

    expect(text.split('\n').slice(0, 5)).toEqual([
      `"Demo" has an invented history from 2026-03-09 to 2026-03-16. Added just now:`,
      '  0 of 45 people, in five teams',
      '  0 sessions of the owner, on the computer demo-workstation',
      '  0 readiness reports, on 5 repositories',
      `  0 usage events; ${first.events.accepted.toLocaleString('en')} were there before`,
    ]);
    expect((await settings()).map(({ body }) => body)).toEqual([teams, prices]);
    expect(introduction).toContain('/docs');
    const shown = introduction.match(/(?<=DEMO_KEY" ")[^"]+/g) ?? [];
    expect(shown.map((url) => url.replace(/^.*\/api\//, '').replace(/\?.*/, ''))).toEqual([
      ...['v1/analytics/today', 'v1/analytics/summary', 'v1/analytics/breakdown', 'v1/analytics/breakdown'],
      ...['v1/analytics/activity', 'v0/organization/prices', 'organization/maturity-level-reports', 'v0/sessions'],
    ]);
    for (const url of shown) expect([url, (await get(url.slice(url.indexOf('/api/')))).status]).toEqual([url, 200]);
    const [printed = ''] = /^apk_\w+$/m.exec(introduction) ?? [];
    expect((await app.withBearer(printed).get('/api/v0/me')).body.organization.name).toBe('Demo');
    expect((await get('/api/v0/me')).status).toBe(200);
    expect(await Promise.all(QUERIES.map(rowsOf))).toEqual(before);
  });

  it('adds only what has happened since when it runs on a later day', async () => {
    const before = await Promise.all(QUERIES.map(rowsOf));
    clock.set('2026-03-18T18:00:00.000Z');
    const later = await fill();

    expect(later).toMatchObject({ people: 0, sessions: 0, reports: 0, events: { rejectedCount: 0 } });
    expect(later.events.duplicates).toBe(first.events.accepted);
    expect(later.events.accepted).toBeGreaterThan(1_000);
    expect(await Promise.all(QUERIES.map(rowsOf))).toEqual(before);
    const [tuesday] = await rowsOf('activity?startDate=2026-03-17&endDate=2026-03-17');
    expect(tuesday.daily_active_users).toBeGreaterThan(10);
  });

  it('leaves other organizations alone', async () => {
    const { body } = await app.as(other.owner).get(`/api/v1/analytics/tools?${RANGE}`);
    expect(sum(body.data, 'tool_calls')).toBe(0);
    expect((await app.as(other.owner).get(REPORTS)).body.reports).toEqual([]);
  });

  it('is removed without a trace, and nothing else is', async () => {
    const rowsOfOthers = () => rowsWith(app.database.url, [other.id, other.owner.email]);
    const traces = [first.orgId, first.owner.userId, '@demo.example'];
    expect((await rowsWith(app.database.url, traces)).size).toBeGreaterThan(15);
    const before = await rowsOfOthers();
    const remove = () => app.nest.get(DemoCommands).remove();

    await expect(remove()).resolves.toBe('The organization "Demo" is removed, with everything in it.');

    await expect(rowsWith(app.database.url, traces)).resolves.toEqual(new Map());
    await expect(rowsOfOthers()).resolves.toEqual(before);
    expect(before.get('audit_log')).toBeGreaterThan(1);
    expect((await get('/api/v0/me')).status).toBe(401);
    await expect(remove()).resolves.toBe('There is no demo.');
  });
});

describe('the name of the demo', () => {
  let app: TestApp;
  beforeAll(async () => (app = await TestApp.start()));
  afterAll(() => app.stop());

  const open = () => app.nest.get(OrganizationsService).openDemo({ name: 'Demo', ownerEmail: 'owner@demo.example' });

  it('has a number if another organization has it', async () => {
    const organizations = app.nest.get(OrganizationsService);
    await organizations.create({ name: 'Demo', ownerEmail: 'a@example.com' });
    await organizations.create({ name: 'Demo 2', ownerEmail: 'b@example.com' });
    expect((await open()).organization).toMatchObject({ name: 'Demo 3', isDemo: true });
    expect((await open()).organization.name).toBe('Demo 3');
  });
});

describe('a first organization', () => {
  let app: TestApp;
  beforeAll(async () => (app = await TestApp.start()));
  afterAll(() => app.stop());

  it('is created where there is only the demo, and found before it by a name that both have', async () => {
    const organizations = app.nest.get(OrganizationsService);
    const input = { name: 'Demo', ownerEmail: 'owner@example.com' };
    await organizations.openDemo({ name: 'Demo', ownerEmail: 'owner@demo.example' });
    const created = await organizations.createFirst(input);
    expect(created?.organization.isDemo).toBe(false);
    expect((await organizations.find('Demo'))?.id).toBe(created?.organization.id);
    await expect(organizations.createFirst(input)).resolves.toBeNull();
  });
});

/** The number of rows of each table, those of no organization included, that contain one of the texts anywhere. */
async function rowsWith(url: string, texts: string[]): Promise<Map<string, number>> {
  const tables = await query<{ name: string }>(
    url,
    `SELECT c.relname AS name FROM pg_class c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`,
  );
  const counts = tables.map(
    ({ name }) => `SELECT '${name}' AS name, count(*)::int AS count FROM ${name} t, lower(t::text) AS row
                    WHERE EXISTS (SELECT FROM unnest($1::text[]) x WHERE strpos(row, lower(x)) > 0)`,
  );
  const rows = await query<{ name: string; count: number }>(url, counts.join(' UNION ALL '), [texts]);
  return new Map(rows.filter(({ count }) => count > 0).map(({ name, count }) => [name, count]));
}

describe('the history of the demo', () => {
  const start = day('2026-01-14');
  const staff = PEOPLE.map((person, i) => ({ person, userId: `user-${i}`, joinedOn: start }));
  const eventsOf = (orgId: string, on: string) =>
    staff.flatMap((employee) => new DemoHistory(orgId, start).eventsOf(employee, day(on)));

  it('is the same every time, and another one for another organization', () => {
    expect(eventsOf('a', '2026-06-10')).toEqual(eventsOf('a', '2026-06-10'));
    expect(eventsOf('b', '2026-06-10')).not.toEqual(eventsOf('a', '2026-06-10'));
  });

  it('has no id twice, and stays within its day', () => {
    const events = [...eventsOf('a', '2026-06-10'), ...eventsOf('a', '2026-06-11'), ...eventsOf('b', '2026-06-10')];
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(new Set(events.map(({ at }) => at.slice(0, 10)))).toEqual(new Set(['2026-06-10', '2026-06-11']));
  });

  it('has nobody work before they joined', () => {
    const [employee] = staff;
    if (!employee) throw new Error('There is nobody');
    const newcomer = { ...employee, joinedOn: day('2026-06-10') };
    for (let on = day('2026-05-01'); on.isBefore(newcomer.joinedOn); on = on.next()) {
      expect(new DemoHistory('a', start).eventsOf(newcomer, on)).toEqual([]);
    }
  });

  it('has reports every month, better ones as time passes', () => {
    for (const repository of REPOSITORIES) {
      const scores = reportsOf(repository, day('2025-11-16'), day('2026-11-15')).map(
        ({ report }) => assess(Object.fromEntries(report.report)).score,
      );
      expect(scores.length).toBeGreaterThanOrEqual(12);
      expect(scores[0]).toBeGreaterThan((scores.at(-1) ?? 1) + 0.15);
    }
  });
});
