import { randomUUID } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import type { GivenOrganization } from '../support/given.js';
import { auditOf, memberships, revisionOf, TEAMS } from '../support/given-teams.js';
import { itLong } from '../support/long.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  app = await TestApp.start({ clock });
});
beforeEach(async () => {
  org = await app.given.organization();
});
afterAll(() => app.stop());

const create = (name: unknown, headers = {}) => app.as(org.owner).post(TEAMS, { name }, headers);
const rename = (id: string, name: unknown) => app.as(org.owner).patch(`${TEAMS}/${id}`, { name });
const list = (query = '') => app.as(org.owner).get(TEAMS + query);

const BAD_NAMES = [
  '',
  ' Backend',
  'Backend ',
  'a\nb',
  'a\u0000b',
  '\ud800',
  'x'.repeat(101),
  '(none)',
  '(NONE)',
  '(other)',
];
const NOT_NAMES = [7, null, ['Backend'], { name: 'x' }];

describe('creating a team', () => {
  it('shows it, without members', async () => {
    const { status, body } = await create('Backend');
    expect([status, body]).toEqual([
      201,
      { id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/), name: 'Backend', members: [] },
    ]);
    expect((await list()).body).toEqual({ teams: [body], pagination: { hasMore: false } });
  });

  it.each(['x'.repeat(100), '😀'.repeat(100), 'R&D / Zürich', '__proto__', "'; DROP TABLE teams; --"])(
    'takes the name %s',
    async (name) => {
      expect((await create(name)).body.name).toBe(name);
    },
  );

  it.each([...BAD_NAMES, ...NOT_NAMES])('is 400 with the name %j', async (name) => {
    const { status, body } = await create(name);
    expect([status, body.errors?.[0]?.field ?? 'body']).toEqual([400, expect.stringMatching(/^(name|body)$/)]);
    expect((await list()).body.teams).toEqual([]);
  });

  it('is 409 for a name that another team has in other letters, and names that team', async () => {
    await create('Zürich');
    const { status, body } = await create('ZÜRICH');
    expect([status, body.detail]).toEqual([409, 'There is a team "Zürich" already.']);
  });

  it('does not care about the teams of other organizations', async () => {
    const other = await app.given.organization();
    await app.as(other.owner).post(TEAMS, { name: 'Backend' });
    expect((await create('Backend')).status).toBe(201);
    expect((await list()).body.teams).toHaveLength(1);
  });

  it('answers a repetition with the same key as the first time', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await create('Backend', headers);
    const second = await create('Backend', headers);
    expect([second.status, second.body]).toEqual([201, first.body]);
  });

  it('is 409 for the 1,001st', async () => {
    const sql = `INSERT INTO teams (org_id, id, name, name_key, created_at)
      SELECT $1, gen_random_uuid(), 'team ' || n, 'team ' || n, now() FROM generate_series(1, 1000) n`;
    await query(app.database.url, sql, [org.id]);
    const { status, body } = await create('one more');
    expect([status, body.detail]).toEqual([409, 'An organization may have 1000 teams.']);
  });

  it('lets one of two at the same time win', async () => {
    const answers = await Promise.all([create('Backend'), create('backend'), create('BACKEND')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});

describe('renaming a team', () => {
  it('keeps its members', async () => {
    const { body: team } = await create('Backend');
    const members = [{ userId: org.owner.id, from: '2026-11-01' }];
    await app.as(org.owner).put(`${TEAMS}/${team.id}/members`, { members });
    const { status, body } = await rename(team.id, 'Services');
    expect([status, body]).toEqual([200, { id: team.id, name: 'Services', members }]);
  });

  it('may change the letter case only, and may change nothing', async () => {
    const { body: team } = await create('backend');
    expect((await rename(team.id, 'Backend')).body.name).toBe('Backend');
    const before = await revisionOf(app, org);
    expect((await rename(team.id, 'Backend')).status).toBe(200);
    expect(await revisionOf(app, org)).toBe(before);
  });

  it('is 409 for the name of another team, 400 for a bad one, 404 for an unknown team', async () => {
    await create('Web');
    const { body: team } = await create('Backend');
    expect((await rename(team.id, 'WEB')).status).toBe(409);
    expect((await rename(team.id, ' ')).status).toBe(400);
    expect((await rename(randomUUID(), 'Data')).status).toBe(404);
    expect((await rename('x', 'Data')).status).toBe(404);
  });
});

describe('deleting a team', () => {
  it('is for good', async () => {
    const { body: team } = await create('Backend');
    expect((await app.as(org.owner).delete(`${TEAMS}/${team.id}`)).status).toBe(204);
    expect((await list()).body.teams).toEqual([]);
    expect((await app.as(org.owner).delete(`${TEAMS}/${team.id}`)).status).toBe(404);
    expect((await create('Backend')).status).toBe(201);
  });

  it('is 409 while it has memberships, past ones included, and says what to do', async () => {
    const { body: team } = await create('Backend');
    const path = `${TEAMS}/${team.id}`;
    const members = [{ userId: org.owner.id, from: '2026-01-01', to: '2026-01-31' }];
    await app.as(org.owner).put(`${path}/members`, { members });
    const { status, body } = await app.as(org.owner).delete(path);
    expect([status, body.detail]).toEqual([409, expect.stringContaining('Replace its members with an empty list')]);
    await app.as(org.owner).put(`${path}/members`, { members: [] });
    expect((await app.as(org.owner).delete(path)).status).toBe(204);
  });
});

describe('the list of teams', () => {
  it.each([1, 2, 3, 100])('shows each once, by name, %d at a time', async (limit) => {
    const names = ['Web', 'backend', 'Data', 'Platform', 'mobile'];
    for (const name of names) await create(name);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await list(`?limit=${limit}${cursor}`);
      seen.push(...body.teams.map((team: { name: string }) => team.name));
      cursor = body.pagination.nextCursor ? `&cursor=${body.pagination.nextCursor}` : '';
    } while (cursor);
    expect(seen).toEqual(['backend', 'Data', 'mobile', 'Platform', 'Web']);
  });

  itLong('ends a page early when its teams are very large', async () => {
    for (const name of ['a', 'b', 'c']) {
      const { body } = await create(name);
      await memberships(app, org, body.id, 12_000);
    }
    const first = await list('?limit=2');
    expect(first.body.teams.map((team: { name: string }) => team.name)).toEqual(['a']);
    const second = await list(`?limit=2&cursor=${first.body.pagination.nextCursor}`);
    expect(second.body.teams.map((team: { name: string }) => team.name)).toEqual(['b']);
    expect(second.body.teams[0].members).toHaveLength(12_000);
  });

  it('is open to managers, who may not change it', async () => {
    const manager = app.as(await app.given.user(org, { role: Role.Manager }));
    expect((await manager.get(TEAMS)).status).toBe(200);
    expect((await manager.post(TEAMS, { name: 'x' })).status).toBe(403);
  });
});

it('every change is in the audit log, and makes the revision grow', async () => {
  const before = await revisionOf(app, org);
  const { body: team } = await create('Backend');
  await rename(team.id, 'Services');
  await app.as(org.owner).delete(`${TEAMS}/${team.id}`);
  expect(await revisionOf(app, org)).toBe(before + 3);
  const actor = { actor: { id: org.owner.id }, target: team.id };
  expect(await auditOf(app, org, 'team.')).toMatchObject([
    { ...actor, action: 'team.deleted', before: { name: 'Services' } },
    { ...actor, action: 'team.renamed', before: { name: 'Backend' }, after: { name: 'Services' } },
    { ...actor, action: 'team.created', after: { name: 'Backend' } },
  ]);
});
