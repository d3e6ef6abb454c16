import { Role } from '../../src/common/access/role.enum.js';
import { allUserRows, expectRecount } from '../support/expect-recount.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { aggregate, ANALYTICS, event, modelCall, report, startUsageApp } from '../support/given-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import { NaiveRecount } from '../support/naive-recount.js';
import type { ReportedEvent } from '../support/reported-events.js';
import type { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const NOW = '2028-03-01T08:00:00.000Z';
const ENDPOINTS = ['tokens', 'tools', 'activity', 'productivity', 'users'];
const clock = new ManualClock(NOW);
let app: TestApp;
let org: GivenOrganization;
let owner: GivenUser;

beforeAll(async () => {
  app = await startUsageApp({ clock, env: { EVENT_RETENTION_DAYS: '1000' } });
  // As in a database whose own order of letters is not that of code points.
  await query(app.database.url, `ALTER TABLE event_names ALTER name TYPE text COLLATE "en-x-icu"`);
});
beforeEach(async () => {
  clock.set(NOW);
  org = await app.given.organization();
  owner = org.owner;
});
afterAll(() => app.stop());

const get = (path: string, user = owner) => app.as(user).get(`${ANALYTICS}/${path}`);
const range = (start: string, end = start) => `startDate=${start}&endDate=${end}`;

async function givenUsage(...events: ReportedEvent[]): Promise<void> {
  await report(app.as(owner), events);
  await aggregate(app);
}

/** Users by id, the owner among them. */
async function givenUsers(count: number): Promise<GivenUser[]> {
  const others = await Promise.all(Array.from({ length: count - 1 }, () => app.given.user(org)));
  return [owner, ...others].sort((a, b) => (a.id < b.id ? -1 : 1));
}

describe.each(ENDPOINTS)('the dates of /%s', (endpoint) => {
  it.each([
    '2028-02-30',
    '2027-02-29',
    '2028-2-5',
    '20280205',
    '2028-W05',
    '2028-02-05T00:00:00Z',
    '2028-02-05%20',
    '2028-02-05%0A',
    '%EF%BC%92028-02-05',
    '-000001-01-01',
    '0000-01-01',
    '99999-01-01',
    '2028-02-05%00',
    '',
    'yesterday',
  ])('must not be %j', async (text) => {
    for (const query of [`startDate=${text}&endDate=2028-02-28`, `startDate=2028-02-01&endDate=${text}`, range(text)]) {
      const { status, body } = await get(`${endpoint}?${query}`);
      expect({ query, status, bodyStatus: body.status }).toEqual({ query, status: 400, bodyStatus: 400 });
    }
  });

  it('must both be there, once', async () => {
    for (const query of [
      '',
      'startDate=2028-02-01',
      'endDate=2028-02-01',
      `${range('2028-02-01')}&endDate=2028-02-01`,
    ]) {
      expect(await get(`${endpoint}?${query}`)).toMatchObject({ status: 400 });
    }
  });

  it('may not be today, because data has a 24-hour lag', async () => {
    for (const start of ['2028-02-28', '2028-03-01']) {
      const { status, body } = await get(`${endpoint}?${range(start, '2028-03-01')}`);
      expect(status).toBe(400);
      expect(body.detail).toContain('24-hour lag');
    }
  });

  it.each([
    ['2028-02-28', '2028-03-02'],
    ['2028-02-28', '9999-12-31'],
    ['2028-02-28', '2028-02-27'],
    ['2028-03-01', '2028-02-29'],
    ['2027-02-28', '2028-02-29'],
  ])('may not be %s to %s', async (start, end) => {
    expect(await get(`${endpoint}?${range(start, end)}`)).toMatchObject({ status: 400 });
  });

  it('may span 366 days', async () => {
    const { status, body } = await get(`${endpoint}?${range('2027-03-01', '2028-02-29')}`);
    expect({ status, rows: body.data.length }).toEqual({ status: 200, rows: endpoint === 'users' ? 0 : 366 });
  });

  it('begin with the first day of data at the earliest', async () => {
    const { body } = await get(`${endpoint}?${range('2026-01-01', '2026-01-15')}`);
    expect(body.meta).toMatchObject({ org_id: org.id, start_date: '2026-01-14', end_date: '2026-01-15' });
    const dates = body.data.map((row: { date: string }) => row.date);
    expect(dates).toEqual(endpoint === 'users' ? [] : ['2026-01-14', '2026-01-15']);
  });

  it('are echoed, without rows, when all of them lie before the first day of data', async () => {
    const { body } = await get(`${endpoint}?${range('2025-12-01', '2026-01-13')}`);
    expect(body).toMatchObject({ data: [], meta: { start_date: '2025-12-01', end_date: '2026-01-13' } });
  });
});

describe('parameters', () => {
  it.each([
    'tokens?group_by=tool_name',
    'tokens?group_by=MODEL',
    'tokens?group_by=',
    'tools?group_by=model',
    'activity?group_by=day',
    'tokens?group_by=model&group_by=model',
    'productivity?group_by=model',
    'users?group_by=model',
    'tokens?limit=5',
    'tokens?cursor=01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d41',
    'tokens?foo=1',
    'tokens?group_by[]=model',
    'tokens?timezone=UTC',
  ])('such as %s are refused', async (path) => {
    expect(await get(`${path}&${range('2028-02-01')}`)).toMatchObject({ status: 400, body: { status: 400 } });
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=-1',
    'limit=1.5',
    'limit=1e1',
    'limit=0x10',
    'limit=+5',
    'limit=05',
    'limit=%205',
    'limit=5%20',
    'limit=',
    'limit=NaN',
    'limit=%D9%A5',
    'limit=99999999999999999999',
    'limit=1&limit=1',
    'limit[]=1',
    'LIMIT=5',
    'cursor=',
    'cursor=x',
    'cursor=01980f5e3a777a3b9d0e0a4f3b1c2d41',
    'cursor=%00',
    'cursor=01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4',
  ])('of /users may not be %s', async (parameter) => {
    expect(await get(`users?${range('2028-02-01')}&${parameter}`)).toMatchObject({ status: 400 });
  });

  it.each(['limit=1', 'limit=100'])('of /users may be %s', async (parameter) => {
    expect(await get(`users?${range('2028-02-01')}&${parameter}`)).toMatchObject({ status: 200 });
  });
});

describe('access', () => {
  it.each(ENDPOINTS)('to /%s is for owners and managers, whatever the parameters', async (endpoint) => {
    const statusFor = async (role: Role) => (await get(endpoint, await app.given.user(org, { role }))).status;
    expect(await statusFor(Role.Manager)).toBe(400);
    expect(await statusFor(Role.Member)).toBe(403);
    expect(await statusFor(Role.Guest)).toBe(403);
    const anonymous = await app.withBearer(null).get(`${ANALYTICS}/${endpoint}`);
    expect(anonymous).toMatchObject({ status: 401, headers: { 'www-authenticate': expect.stringMatching(/^Bearer/) } });
  });

  it('ends at the organization', async () => {
    const stranger = (await app.given.organization()).owner;
    await givenUsage(modelCall(owner, '2028-02-01'), event(owner, 'tool_call', '2028-02-01', { tool: 'Read' }));
    for (const endpoint of ENDPOINTS) {
      const { text } = await get(`${endpoint}?${range('2028-02-01')}`, stranger);
      expect(text).not.toContain(owner.id);
      expect(text).toContain(stranger.orgId);
    }
    await expectRecount(app.as(stranger), new NaiveRecount([], new Map()), { start: '2028-01-31', end: '2028-02-02' });
  });
});

describe('rows', () => {
  it('are zeros on days without events, and the same as those of an organization without any', async () => {
    const none = await get(`tools?${range('2028-02-01', '2028-02-02')}`);
    await givenUsage(event(owner, 'git_commit', '2028-01-31'));
    const { body } = await get(`tools?${range('2028-02-01', '2028-02-02')}`);
    expect(body).toEqual(none.body);
    expect(body.data[0]).toMatchObject({ date: '2028-02-01', tool_calls: 0, by_tool: [], autonomy_ratio_p90: 0 });
  });

  it('are of the leap day as of any other', async () => {
    const events = ['2028-02-28', '2028-02-29'].map((day) => modelCall(owner, day));
    await givenUsage(...events);
    const recount = new NaiveRecount(events, new Map([[owner.id, owner.email]]));
    await expectRecount(app.as(owner), recount, { start: '2028-02-27', end: '2028-02-29' });
  });

  it('hold the last millisecond of their day and not the first of the next', async () => {
    await givenUsage(
      event(owner, 'git_commit', '2028-02-01T23:59:59.999Z'),
      event(owner, 'git_commit', '2028-02-02T00:00:00.000Z'),
      event(owner, 'git_commit', '2028-02-02T00:00:00.001Z'),
      event(owner, 'git_commit', '2028-02-02T23:30:00.000-01:00'), // the third
    );
    const { body } = await get(`productivity?${range('2028-02-01', '2028-02-03')}`);
    expect(body.data.map((row: { git_commits: number }) => row.git_commits)).toEqual([1, 2, 1]);
  });

  it.each([
    ['tokens', 'model', 'model_call', 'modelId', { inputTokens: 1, outputTokens: 0 }],
    ['tools', 'tool_name', 'tool_call', 'tool', {}],
  ])('of /%s by %s come by date, then by code point', async (endpoint, group, type, field, fields) => {
    const names = ['a', 'B', '\u{10400}', 'é', 'z', '１', 'Z'];
    // The later ones more often, so that their order is not that of how much they were used.
    const ofDay = (day: string) =>
      names.flatMap((name, i) =>
        Array.from({ length: i + 1 }, () => event(owner, type, day, { ...fields, [field]: name })),
      );
    await givenUsage(...ofDay('2028-02-03'), ...ofDay('2028-02-01'));
    const { body } = await get(`${endpoint}?${range('2028-02-01', '2028-02-03')}&group_by=${group}`);
    const keys = body.data.map((row: { date: string; group_key: string }) => [row.date, row.group_key]);
    const sorted = ['B', 'Z', 'a', 'z', 'é', '１', '\u{10400}'];
    expect(keys).toEqual(['2028-02-01', '2028-02-03'].flatMap((day) => sorted.map((name) => [day, name])));
  });

  it('name the model that comes first by code point when several cost the same', async () => {
    await givenUsage(...['b', 'a', 'B'].map((modelId) => modelCall(owner, '2028-02-01', { modelId })));
    const tokens = (await get(`tokens?${range('2028-02-01')}`)).body.data[0];
    const users = (await get(`users?${range('2028-02-01')}`)).body.data[0];
    const idsOf = (models: { model_id: string }[]) => models.map(({ model_id }) => model_id);
    expect(idsOf(tokens.by_model)).toEqual(['B', 'a', 'b']);
    expect(idsOf(tokens.by_user[0].by_model)).toEqual(['B', 'a', 'b']);
    expect(users.primary_model).toBe('B');
  });

  it('of /activity by client name only those that were used', async () => {
    await givenUsage(
      event(owner, 'user_message', '2028-02-01', { client: 'web' }),
      event(owner, 'user_message', '2028-02-01', { client: 'terminal-ui' }),
    );
    const { body } = await get(`activity?${range('2028-02-01', '2028-02-02')}&group_by=client`);
    expect(body.data).toEqual([
      { date: '2028-02-01', group_key: 'terminal-ui', daily_active_users: 1 },
      { date: '2028-02-01', group_key: 'web', daily_active_users: 1 },
    ]);
  });

  it('show the address that a user had when the day was computed, and none when it was erased', async () => {
    const user = await app.given.user(org);
    await givenUsage(modelCall(user, '2028-02-01'));
    await query(app.database.url, `UPDATE users SET email = NULL, email_key = NULL WHERE id = $1`, [user.id]);
    const before = await get(`users?${range('2028-02-01')}`);
    expect(before.body.data[0].user_email).toBe(user.email);
    await givenUsage(event(owner, 'git_commit', '2028-02-01'));
    const { body } = await get(`tokens?${range('2028-02-01')}`);
    expect(body.data[0].by_user[0]).toMatchObject({ user_id: user.id, user_email: null });
    expect((await get(`users?${range('2028-02-01')}&cursor=${owner.id}`)).body.data[0].user_email).toBeNull();
  });

  it('are exact with the largest numbers that events may have', async () => {
    const call = { inputTokens: 1_000_000_000, outputTokens: 1_000_000_000, cacheWriteTokens: 1_000_000_000 };
    await givenUsage(...Array.from({ length: 5 }, () => modelCall(owner, '2028-02-01', call)));
    const { body } = await get(`tokens?${range('2028-02-01')}`);
    expect(body.data[0]).toMatchObject({ billable_tokens: 11_250_000_000, input_tokens: 5_000_000_000 });
  });
});

describe('pages of /users', () => {
  it.each([1, 2, 3, 4, 5, 100])('have all days of their users, %d at a time', async (limit) => {
    const users = await givenUsers(4);
    const events = users.flatMap((user, i) =>
      ['2028-02-01', '2028-02-03', '2028-02-05'].slice(0, 1 + (i % 3)).map((day) => modelCall(user, day)),
    );
    await givenUsage(...events);
    const rows = await allUserRows(app.as(owner), range('2028-01-01', '2028-02-28'), limit);
    const emails = new Map(users.map(({ id, email }) => [id, email]));
    expect(rows).toEqual(new NaiveRecount(events, emails).users(['2028-02-01', '2028-02-03', '2028-02-05']));
  });

  it('have 20 users unless it is said otherwise, and only users with rows in the range', async () => {
    const users = await givenUsers(23);
    await givenUsage(
      ...users.map((user) => event(user, 'git_commit', '2028-02-01')),
      event(owner, 'git_commit', '2028-02-02'),
    );
    const first = await get(`users?${range('2028-02-01')}`);
    expect(first.body.data).toHaveLength(20);
    expect(first.body.meta).toMatchObject({ has_more: true, next_cursor: users[19]?.id });
    const other = await get(`users?${range('2028-02-02')}&limit=1`);
    expect(other.body.data).toHaveLength(1);
    expect(other.body.meta.has_more).toBe(false);
  });

  it('go on behind a cursor that is no user, in any letter case', async () => {
    const users = await givenUsers(3);
    await givenUsage(...users.map((user) => event(user, 'git_commit', '2028-02-01')));
    const idsAfter = async (cursor: string) => {
      const { body } = await get(`users?${range('2028-02-01')}&cursor=${cursor}`);
      return body.data.map((row: { user_id: string }) => row.user_id);
    };
    const ids = users.map(({ id }) => id);
    expect(await idsAfter('00000000-0000-0000-0000-000000000000')).toEqual(ids);
    expect(await idsAfter(ids[0]?.toUpperCase() ?? '')).toEqual(ids.slice(1));
    expect(await idsAfter((await app.given.organization()).owner.id)).toEqual([]);
    expect(await idsAfter('ffffffff-ffff-ffff-ffff-ffffffffffff')).toEqual([]);
  });

  it('stay valid while users become active in front of and behind the cursor', async () => {
    const users = await givenUsers(5);
    const commitsOf = (...places: number[]) =>
      users.filter((_, place) => places.includes(place)).map((user) => event(user, 'git_commit', '2028-02-01'));
    await givenUsage(...commitsOf(1, 3));
    const first = await get(`users?${range('2028-02-01')}&limit=1`);
    await givenUsage(...commitsOf(0, 4));
    const { body } = await get(`users?${range('2028-02-01')}&limit=5&cursor=${first.body.meta.next_cursor}`);
    expect(body.data.map((row: { user_id: string }) => row.user_id)).toEqual(users.slice(3).map(({ id }) => id));
  });
});
