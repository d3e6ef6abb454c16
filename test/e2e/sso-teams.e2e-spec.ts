import { randomUUID } from 'node:crypto';
import type { GivenOrganization } from '../support/given.js';
import { auditOf, givenTeam, revisionOf, TEAMS, teamsOf } from '../support/given-teams.js';
import { ManualClock } from '../support/manual-clock.js';
import { Sso } from '../support/sso.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

/** Real time goes on for the identity provider. */
const NOW = new Date();
const day = (days: number) => new Date(NOW.getTime() + days * 86_400_000).toISOString().slice(0, 10);
const [YESTERDAY, TODAY] = [day(-1), day(0)];
const clock = new ManualClock(NOW);
let sso: Sso;
let app: TestApp;
let org: GivenOrganization;
let sub: string;
let iat: number;

beforeAll(async () => {
  sso = await Sso.start();
  app = await TestApp.start({ clock, env: { ...sso.env, JWT_TEAM_CLAIM: 'hr.team' } });
});
beforeEach(async () => {
  clock.set(NOW);
  org = await app.given.organization();
  sub = randomUUID();
  iat = Math.floor(NOW.getTime() / 1000) - 1_000;
});
afterAll(async () => {
  await app.stop();
  await sso.stop();
});

/** With a token that is a second younger than the one before; returns the user's id. */
async function signIn(claims: Record<string, unknown>): Promise<string> {
  const token = await sso.token({ sub, email: `${sub}@example.com`, org_id: org.id, iat: ++iat, ...claims });
  const { status, body } = await app.withBearer(token).get('/api/v0/me');
  expect(status).toBe(200);
  return body.user.id;
}
const withTeam = (team: unknown) => signIn({ hr: { team } });
const setMembers = (teamId: string, members: object[]) =>
  app.as(org.owner).put(`${TEAMS}/${teamId}/members`, { members });

describe('the team that a token names', () => {
  it('is created, and has the person from today on', async () => {
    const userId = await withTeam('Backend');
    expect(await teamsOf(app, org)).toEqual({ Backend: [{ userId, from: TODAY }] });
  });

  it('is one that exists, in any letter case', async () => {
    await givenTeam(app, org, 'Zürich');
    const userId = await withTeam('ZÜRICH');
    expect(await teamsOf(app, org)).toEqual({ Zürich: [{ userId, from: TODAY }] });
  });

  it('is the first of a list', async () => {
    const userId = await withTeam(['/eng/backend', '/eng/web']);
    expect(await teamsOf(app, org)).toEqual({ '/eng/backend': [{ userId, from: TODAY }] });
  });

  it('changes nothing while it stays the same', async () => {
    await withTeam('Backend');
    const revision = await revisionOf(app, org);
    await withTeam('Backend');
    await withTeam('BACKEND');
    expect(await revisionOf(app, org)).toBe(revision);
  });

  it('is left yesterday for another one', async () => {
    const userId = await withTeam('Backend');
    clock.advance(3 * 86_400_000);
    const token = { sub, email: `${sub}@example.com`, org_id: org.id, hr: { team: 'Web' }, exp: iat + 9 * 86_400 };
    await signIn(token);
    expect(await teamsOf(app, org)).toEqual({
      Backend: [{ userId, from: TODAY, to: day(2) }],
      Web: [{ userId, from: day(3) }],
    });
  });

  it('replaces another one of the same day', async () => {
    const userId = await withTeam('Backend');
    await withTeam('Web');
    expect(await teamsOf(app, org)).toEqual({ Backend: [], Web: [{ userId, from: TODAY }] });
  });

  it('of an older token does not count', async () => {
    const userId = await withTeam('Backend');
    await signIn({ hr: { team: 'Web' }, iat: iat - 100 });
    expect(await teamsOf(app, org)).toEqual({ Backend: [{ userId, from: TODAY }] });
  });

  it('may be absent: the person stays where they are', async () => {
    const userId = await withTeam('Backend');
    await signIn({});
    await signIn({ hr: 'Web' });
    expect(await teamsOf(app, org)).toEqual({ Backend: [{ userId, from: TODAY }] });
  });

  it('is joined once by somebody with many requests at the same time', async () => {
    const token = await sso.token({ sub, email: `${sub}@example.com`, org_id: org.id, hr: { team: 'Backend' } });
    await Promise.all(Array.from({ length: 8 }, () => app.withBearer(token).get('/api/v0/me')));
    expect((await teamsOf(app, org))['Backend']).toHaveLength(1);
    expect((await auditOf(app, org, 'team.created')).length).toBe(1);
  });

  it('is in the audit log', async () => {
    const userId = await withTeam('Backend');
    const [moved, created] = await auditOf(app, org, 'team.');
    expect(created).toMatchObject({ action: 'team.created', after: { name: 'Backend' } });
    expect(moved).toMatchObject({
      action: 'team.members_changed',
      after: { source: 'JWT_TEAM_CLAIM', added: [{ userId, from: TODAY, to: null }] },
    });
  });
});

describe('what an owner has set by hand', () => {
  it('for today holds while the token says the same as before', async () => {
    const userId = await withTeam('Backend');
    const web = await givenTeam(app, org, 'Web');
    const { body } = await app.as(org.owner).get(TEAMS);
    await setMembers(body.teams[0].id, []);
    await setMembers(web, [{ userId, from: TODAY }]);
    await withTeam('Backend');
    expect(await teamsOf(app, org)).toEqual({ Backend: [], Web: [{ userId, from: TODAY }] });
  });

  it('for later days holds even when the token says something new', async () => {
    const userId = await withTeam('Backend');
    const { body } = await app.as(org.owner).get(TEAMS);
    await setMembers(body.teams[0].id, [{ userId, from: '2026-01-01', to: day(9) }]);
    await givenTeam(app, org, 'Data', [{ userId, from: day(10) }]);
    await withTeam('Web');
    expect(await teamsOf(app, org)).toEqual({
      Backend: [{ userId, from: '2026-01-01', to: YESTERDAY }],
      Data: [{ userId, from: day(10) }],
      Web: [{ userId, from: TODAY, to: day(9) }],
    });
  });

  it('ends when it is the team that the token names, too', async () => {
    const userId = await signIn({});
    const members = [{ userId, from: '2026-01-01', to: day(5) }];
    await givenTeam(app, org, 'Web', members);
    await withTeam('Web');
    expect(await teamsOf(app, org)).toEqual({ Web: members });
  });
});

describe('a hostile claim', () => {
  it.each([
    ['x'.repeat(101)],
    ['a\u0000b'],
    ['a\nb'],
    ['\ud800'],
    ['(none)'],
    [' '],
    [''],
    [7],
    [true],
    [null],
    [{}],
    [[]],
    [[['Backend']]],
    [{ toString: 'Backend' }],
  ])('%j adds no team, and lets the person in', async (team) => {
    await withTeam(team);
    expect(await teamsOf(app, org)).toEqual({});
  });

  it.each([-1e300, -1, 0, 0.5])('with the time %d is no error', async (issued) => {
    await signIn({ hr: { team: 'Backend' }, iat: issued });
    expect(Object.keys(await teamsOf(app, org))).toEqual(['Backend']);
  });

  it('adds no team beyond the thousandth', async () => {
    const sql = `INSERT INTO teams (org_id, id, name, name_key, created_at)
      SELECT $1, gen_random_uuid(), 'team ' || n, 'team ' || n, now() FROM generate_series(1, 1000) n`;
    await query(app.database.url, sql, [org.id]);
    await withTeam('Backend');
    const userId = await withTeam('team 7');
    const [row] = await query<{ teams: number; members: number }>(
      app.database.url,
      `SELECT (SELECT count(*)::int FROM teams WHERE org_id = $1) AS teams,
              (SELECT count(*)::int FROM team_members WHERE user_id = $2) AS members`,
      [org.id, userId],
    );
    expect(row).toEqual({ teams: 1_000, members: 1 });
  });

  it('is forgotten when the person is erased, and their membership stays', async () => {
    const userId = await withTeam('Backend');
    const path = `/api/v0/organization/users/${userId}`;
    await app.as(org.owner).delete(path);
    expect((await app.as(org.owner).post(`${path}/erase`)).status).toBe(204);
    const sql = `SELECT team_claim AS claim FROM users WHERE id = $1`;
    expect(await query(app.database.url, sql, [userId])).toEqual([{ claim: null }]);
    expect(await teamsOf(app, org)).toEqual({ Backend: [{ userId, from: TODAY }] });
  });

  it('of somebody who was deactivated changes nothing', async () => {
    const userId = await withTeam('Backend');
    await app.as(org.owner).delete(`/api/v0/organization/users/${userId}`);
    const token = await sso.token({ sub, org_id: org.id, hr: { team: 'Web' } });
    expect((await app.withBearer(token).get('/api/v0/me')).status).toBe(401);
    expect(Object.keys(await teamsOf(app, org))).toEqual(['Backend']);
  });
});
