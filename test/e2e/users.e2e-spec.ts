import { randomUUID } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';

const users = '/api/v0/organization/users';
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

const create = (body: object) => app.as(org.owner).post(users, body);
const setRole = (by: GivenUser, id: string, role: string) => app.as(by).patch(`${users}/${id}`, { role });
const deactivate = (by: GivenUser, id: string) => app.as(by).delete(`${users}/${id}`);
const newEmail = () => `${randomUUID()}@example.com`;

describe('creating a user', () => {
  it('shows the user with role and state', async () => {
    const { status, body } = await create({
      email: 'Ada@Example.com',
      role: 'manager',
      firstName: 'Ada',
      lastName: 'Lovelace',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      email: 'Ada@Example.com',
      createdAt: '2026-11-15T08:30:00.000Z',
      metadata: {},
      firstName: 'Ada',
      lastName: 'Lovelace',
      lastSignInAt: '',
      role: 'manager',
      state: 'active',
    });
  });

  it('without names has empty ones', async () => {
    const { body } = await create({ email: newEmail(), role: 'member' });
    expect([body.firstName, body.lastName]).toEqual(['', '']);
  });

  it.each([
    ['Ada@Example.com', 'ada@example.com'],
    ['ada@example.com', 'ADA@EXAMPLE.COM'],
    ['straße@example.com', 'STRAßE@example.com'],
  ])('with the e-mail %s is 409 for %s', async (first, second) => {
    await create({ email: first, role: 'member' });
    const { status } = await create({ email: second, role: 'member' });
    expect(status).toBe(409);
  });

  it('with the e-mail of a deactivated user is 409', async () => {
    const user = await app.given.user(org);
    await deactivate(org.owner, user.id);
    const { status } = await create({ email: user.email, role: 'member' });
    expect(status).toBe(409);
  });

  it('with the e-mail of a user of another organization is possible', async () => {
    const other = await app.given.organization();
    const { status } = await create({ email: other.owner.email, role: 'member' });
    expect(status).toBe(201);
  });

  it('ten times at once with one e-mail makes one user', async () => {
    const email = newEmail();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ email, role: 'member' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
  });

  it('takes names of 200 code points that are two code units each', async () => {
    const name = '👩'.repeat(200);
    const { status, body } = await create({ email: newEmail(), role: 'guest', firstName: name, lastName: name });
    expect([status, body.firstName, body.lastName]).toEqual([201, name, name]);
  });
});

describe('creating a user is 400', () => {
  it.each([
    ['with a first name of 201 code points', { firstName: '👩'.repeat(201) }, 'firstName'],
    ['with a last name of 201 code points', { lastName: '👩'.repeat(201) }, 'lastName'],
    ['with a first name that is null', { firstName: null }, 'firstName'],
    ['without an e-mail', { email: undefined }, 'email'],
    ['with an e-mail that is none', { email: 'ada' }, 'email'],
    ['with two e-mails', { email: ['ada@example.com', 'eve@example.com'] }, 'email'],
    ['with an e-mail of 255 characters', { email: `${'a'.repeat(243)}@example.com` }, 'email'],
    ['without a role', { role: undefined }, 'role'],
    ['with a role that does not exist', { role: 'admin' }, 'role'],
    ['with a role in capitals', { role: 'Owner' }, 'role'],
    ['with an id', { id: randomUUID() }, 'id'],
    ['with an organization', { orgId: randomUUID() }, 'orgId'],
    ['with a state', { state: 'active' }, 'state'],
    ['with metadata', { metadata: {} }, 'metadata'],
  ])('%s', async (_what, change, field) => {
    const { status, body } = await create({ email: newEmail(), role: 'member', ...change });
    expect([status, body.errors?.[0]?.field]).toEqual([400, field]);
  });
});

describe('the users', () => {
  it('are listed without role and state, by creation', async () => {
    const { body: ada } = await create({ email: newEmail(), role: 'member' });
    const { body } = await app.as(org.owner).get(users);
    expect(body.users.map((user: { id: string }) => user.id)).toEqual([org.owner.id, ada.id]);
    expect({ ...body.users[1], role: 'member', state: 'active' }).toEqual(ada);
    expect(Object.keys(body.users[1])).not.toContain('role');
  });

  it('are found one by one, in any spelling of their id', async () => {
    const user = await app.given.user(org, { role: Role.Guest });
    const { status, body } = await app.as(org.owner).get(`${users}/${user.id.toUpperCase()}`);
    expect([status, body.id, body.role, body.state]).toEqual([200, user.id, 'guest', 'active']);
  });

  it('tell the hour of their last sign-in', async () => {
    const user = await app.given.user(org);
    await app.as(user).get('/api/v0/me');
    const { body } = await app.as(org.owner).get(`${users}/${user.id}`);
    expect(body.lastSignInAt).toBe('2026-11-15T08:00:00.000Z');
  });

  it.each(['none', '%00', '1', "'%20OR%201=1--"])('are not found by the id %s', async (id) => {
    const { status } = await app.as(org.owner).get(`${users}/${id}`);
    expect(status).toBe(404);
  });

  it('of another organization are not found', async () => {
    const other = await app.given.organization();
    const { status } = await app.as(org.owner).get(`${users}/${other.owner.id}`);
    expect(status).toBe(404);
  });
});

describe('a change of role', () => {
  it('is answered with the changed user', async () => {
    const user = await app.given.user(org);
    const { status, body } = await setRole(org.owner, user.id, 'manager');
    expect([status, body.id, body.role, body.state]).toEqual([200, user.id, 'manager', 'active']);
  });

  it('is kept', async () => {
    const user = await app.given.user(org);
    await setRole(org.owner, user.id, 'manager');
    const { body } = await app.as(org.owner).get(`${users}/${user.id}`);
    expect(body.role).toBe('manager');
  });

  it('of the last owner is 409', async () => {
    const { status } = await setRole(org.owner, org.owner.id, 'manager');
    expect([status, (await app.as(org.owner).get('/api/v0/me')).body.role]).toEqual([409, 'owner']);
  });

  it('of the last owner to owner changes nothing', async () => {
    const { status } = await setRole(org.owner, org.owner.id, 'owner');
    expect(status).toBe(200);
  });

  it('of the last owner is 409 although there is a deactivated one', async () => {
    const second = await app.given.user(org, { role: Role.Owner });
    await deactivate(org.owner, second.id);
    const { status } = await setRole(org.owner, org.owner.id, 'manager');
    expect(status).toBe(409);
  });

  it('of one of two owners is possible', async () => {
    const second = await app.given.user(org, { role: Role.Owner });
    const { status } = await setRole(second, org.owner.id, 'member');
    expect(status).toBe(200);
  });

  it.each(Array.from({ length: 5 }, (_, i) => i + 1))(
    'of two owners by each other at the same time leaves one (round %d)',
    async () => {
      const second = await app.given.user(org, { role: Role.Owner });
      await Promise.all([app.as(org.owner).get('/api/v0/me'), app.as(second).get('/api/v0/me')]);
      await Promise.all([setRole(org.owner, second.id, 'member'), setRole(second, org.owner.id, 'member')]);
      const { body } = await app.as(org.owner).get(`${users}/${org.owner.id}`);
      const { body: other } = await app.as(org.owner).get(`${users}/${second.id}`);
      expect([body.role, other.role].sort()).toEqual(['member', 'owner']);
    },
  );

  it.each([
    ['to a role that does not exist', { role: 'root' }],
    ['to null', { role: null }],
    ['together with an e-mail', { role: 'member', email: newEmail() }],
    ['to a state other than active', { state: 'deactivated' }],
  ])('%s is 400', async (_what, body) => {
    const { status } = await app.as(org.owner).patch(`${users}/${org.owner.id}`, body);
    expect(status).toBe(400);
  });
});
