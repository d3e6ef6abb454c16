import { randomUUID } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenTeam } from '../support/given-teams.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const MEMBERS = '/api/v0/organization/members';
const USERS = '/api/v0/organization/users';
const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let backend: string;
let web: string;

beforeAll(async () => {
  app = await TestApp.start({ clock });
  org = await app.given.organization();
  const add = async (email: string, firstName: string, lastName: string, role = Role.Member) => {
    clock.advance(1_000);
    const { body } = await app.as(org.owner).post(USERS, { email, firstName, lastName, role });
    return body.id as string;
  };
  clock.advance(1_000);
  ada = await app.given.user(org, { email: 'ada@example.com', role: Role.Manager });
  const elodie = await add('Elodie@Example.com', 'Élodie', 'Martin');
  const gone = await add('gone@example.com', 'Max', 'Gone');
  const percent = await add('percent@example.com', '100%', "O'Neill_");
  await app.as(org.owner).delete(`${USERS}/${gone}`);
  backend = await givenTeam(app, org, 'Backend', [
    { userId: ada.id, from: '2026-11-15' },
    { userId: gone, from: '2026-01-01' },
    { userId: elodie, from: '2026-01-01', to: '2026-11-14' },
  ]);
  web = await givenTeam(app, org, 'Web', [
    { userId: elodie, from: '2026-11-15', to: '2026-11-15' },
    { userId: percent, from: '2026-11-16' },
  ]);
});
afterAll(() => app.stop());

const list = (query: string) => app.as(ada).get(MEMBERS + query);
const emails = async (query: string): Promise<string[]> => {
  const { body } = await list(query);
  return body.members.map(({ email }: { email: string }) => email);
};
const OWNER = () => org.owner.email;

describe('the list of members', () => {
  it('shows users with role, state, team of today and last sign-in', async () => {
    const { status, body } = await list('?search=ada@');
    expect([status, body]).toEqual([
      200,
      {
        members: [
          {
            ...{ id: ada.id, email: 'ada@example.com', firstName: '', lastName: '', metadata: {} },
            ...{ createdAt: '2026-11-15T08:30:01.000Z', lastSignInAt: '2026-11-15T08:00:00.000Z' },
            ...{ role: 'manager', state: 'active', team: { id: backend, name: 'Backend' } },
          },
        ],
        pagination: { hasMore: false },
      },
    ]);
  });

  it('shows everybody, oldest first, deactivated ones too', async () => {
    const { body } = await list('');
    expect(body.members.map((member: Record<string, unknown>) => [member['email'], member['state']])).toEqual([
      [OWNER(), 'active'],
      ['ada@example.com', 'active'],
      ['Elodie@Example.com', 'active'],
      ['gone@example.com', 'deactivated'],
      ['percent@example.com', 'active'],
    ]);
    expect(body.members.map(({ team }: { team: { name: string } | null }) => team?.name ?? null)).toEqual([
      null,
      'Backend',
      'Web',
      'Backend',
      null,
    ]);
  });

  it.each([
    ['?search=ELODIE', ['Elodie@Example.com']],
    ['?search=%C3%A9lodie%20mar', ['Elodie@Example.com']],
    ['?search=%C3%89LODIE', ['Elodie@Example.com']],
    ['?search=100%25', ['percent@example.com']],
    ["?search=O'Neill_", ['percent@example.com']],
    ['?search=%25', ['percent@example.com']],
    ['?search=_', ['percent@example.com']],
    ['?search=nobody', []],
    ['?role=manager', ['ada@example.com']],
    ['?role=guest', []],
    ['?state=deactivated', ['gone@example.com']],
    ['?state=active&role=member', ['Elodie@Example.com', 'percent@example.com']],
    ['?team=none&role=member', ['percent@example.com']],
    ['?search=example.com&state=active&team=none&role=member', ['percent@example.com']],
  ])('finds with %s', async (query, found) => {
    expect(await emails(query)).toEqual(found);
  });

  it('finds the people of a team by its id, in any letter case', async () => {
    expect(await emails(`?team=${backend}`)).toEqual(['ada@example.com', 'gone@example.com']);
    expect(await emails(`?team=${web.toUpperCase()}`)).toEqual(['Elodie@Example.com']);
    expect(await emails(`?team=${randomUUID()}`)).toEqual([]);
  });

  it('finds people by their ids, in any letter case, whatever their state', async () => {
    const { body } = await list('?state=deactivated');
    const gone = body.members[0].id as string;
    expect(await emails(`?ids=${gone.toUpperCase()},${ada.id},${randomUUID()}`)).toEqual([
      'ada@example.com',
      'gone@example.com',
    ]);
    expect(await emails(`?ids=${gone},${ada.id}&state=active`)).toEqual(['ada@example.com']);
  });

  it('takes a hundred ids, and says so when there are more', async () => {
    const ids = Array.from({ length: 100 }, () => randomUUID()).join(',');
    expect(await emails(`?ids=${ids}`)).toEqual([]);
    const { status, body } = await list(`?ids=${ids},${ada.id}`);
    expect([status, body.errors]).toEqual([
      400,
      [{ field: 'ids', message: 'must be the UUIDs of 1 to 100 users with commas between them' }],
    ]);
  });

  it('knows the team of another day when that day has come', async () => {
    clock.set('2026-11-16T00:00:00.000Z');
    expect(await emails(`?team=${web}`)).toEqual(['percent@example.com']);
    clock.set('2026-11-15T23:59:59.999Z');
    expect(await emails(`?team=${web}`)).toEqual(['Elodie@Example.com']);
    clock.set('2026-11-15T08:31:00.000Z');
  });

  it.each([1, 2, 3, 5, 100])('shows each once, %d at a time', async (limit) => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await list(`?limit=${limit}&search=example${cursor}`);
      seen.push(...body.members.map(({ email }: { email: string }) => email));
      cursor = body.pagination.nextCursor ? `&cursor=${body.pagination.nextCursor}` : '';
    } while (cursor);
    expect(seen).toEqual(await emails('?search=example'));
    expect(seen).toHaveLength(5);
  });

  it('refuses the cursor of another filter', async () => {
    const { body } = await list('?limit=1');
    expect((await list(`?limit=1&role=member&cursor=${body.pagination.nextCursor}`)).status).toBe(400);
  });

  it.each([
    '?role=admin',
    '?role=member&role=owner',
    '?state=gone',
    '?team=backend',
    '?team=',
    '?ids=',
    '?ids=ada@example.com',
    '?ids=01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e,',
    '?search=',
    `?search=${'x'.repeat(201)}`,
    '?search=%00',
    '?search=%ED%A0%80',
    '?limit=101',
    '?sort=name',
    '?cursor=x',
  ])('is 400 with %s', async (query) => {
    expect((await list(query)).status).toBe(400);
  });

  it('shows an erased user without name and address, who is still in their team', async () => {
    const { body } = await app
      .as(org.owner)
      .post(USERS, { email: 'erased@example.com', firstName: 'Eve', role: 'member' });
    const team = await givenTeam(app, org, 'Data', [{ userId: body.id, from: '2026-01-01' }]);
    await app.as(org.owner).delete(`${USERS}/${body.id}`);
    expect((await app.as(org.owner).post(`${USERS}/${body.id}/erase`)).status).toBe(204);
    const { body: found } = await list(`?team=${team}`);
    expect(found.members).toMatchObject([
      { id: body.id, email: '', firstName: '', state: 'deactivated', team: { name: 'Data' } },
    ]);
    expect(await emails('?search=erased')).toEqual([]);
    await query(app.database.url, `DELETE FROM team_members WHERE user_id = $1`, [body.id]);
  });

  it('shows nobody of another organization', async () => {
    const other = await app.given.organization();
    const { body } = await app.as(other.owner).get(`${MEMBERS}?team=${backend}`);
    expect(body.members).toEqual([]);
    expect((await app.as(other.owner).get(`${MEMBERS}?ids=${ada.id}`)).body.members).toEqual([]);
    expect((await app.as(other.owner).get(MEMBERS)).body.members).toHaveLength(1);
  });

  it('is closed to members', async () => {
    expect((await app.as(await app.given.user(await app.given.organization())).get(MEMBERS)).status).toBe(403);
  });
});
