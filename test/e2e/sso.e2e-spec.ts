import { randomUUID } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import type { GivenOrganization } from '../support/given.js';
import { Sso } from '../support/sso.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';
import { statusWithin } from '../support/within.js';

const users = '/api/v0/organization/users';
let sso: Sso;
let app: TestApp;
let org: GivenOrganization;
/** Claims of somebody whom nobody has seen yet. */
let somebody: { sub: string; email: string; org_id: string };

beforeAll(async () => {
  sso = await Sso.start();
  app = await TestApp.start({ env: sso.env });
});
beforeEach(async () => {
  org = await app.given.organization();
  somebody = { sub: randomUUID(), email: `${randomUUID()}@example.com`, org_id: org.id };
});
afterAll(async () => {
  await app.stop();
  await sso.stop();
});

async function me(claims: Record<string, unknown>) {
  return app.withBearer(await sso.token(claims)).get('/api/v0/me');
}

async function countUsers(email: string): Promise<number> {
  const sql = `SELECT count(*)::int AS count FROM users WHERE email_key = lower($1)`;
  const [row] = await query<{ count: number }>(app.database.url, sql, [email]);
  return row?.count ?? 0;
}

describe('the first token of somebody new', () => {
  it('adds them to the organization', async () => {
    const { status, body } = await me({ ...somebody, given_name: 'Ada', family_name: 'Lovelace' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user: { email: somebody.email, firstName: 'Ada', lastName: 'Lovelace' },
      organization: { id: org.id },
    });
  });

  it('makes them a member', async () => {
    expect((await me(somebody)).body.role).toBe('member');
  });

  it.each(Object.values(Role))('makes them %s when it says so', async (role) => {
    expect((await me({ ...somebody, role })).body.role).toBe(role);
  });

  it.each(['admin', 'OWNER', '', [], [5, null]])('makes them a member with the role %j', async (role) => {
    expect((await me({ ...somebody, role })).body.role).toBe('member');
  });

  it.each([5, null, true, { name: 'owner' }])('is 401 with the role %j, which is none', async (role) => {
    const { status, body } = await me({ ...somebody, role });
    expect([status, body.detail]).toEqual([401, 'The claim "role" of the token must be text or a list.']);
    expect(await countUsers(somebody.email)).toBe(0);
  });

  it.each([undefined, false, 'true', 1, null])(
    'is 401, saying so, when email_verified is %j',
    async (email_verified) => {
      const { status, body } = await me({ ...somebody, email_verified });
      expect([status, body.detail]).toEqual([401, expect.stringContaining('does not vouch for the e-mail address')]);
      expect(await countUsers(somebody.email)).toBe(0);
    },
  );

  it('shows them to the owner as any other user', async () => {
    const { body } = await me({ ...somebody, role: 'manager' });
    const shown = await app.as(org.owner).get(`${users}/${body.user.id}`);
    expect(shown.body).toMatchObject({ email: somebody.email, role: 'manager', state: 'active' });
  });

  it('lets them do at once what their role allows', async () => {
    const token = await sso.token({ ...somebody, role: 'owner' });
    const { status } = await app.withBearer(token).post('/api/v0/api-keys', { name: 'first' });
    expect(status).toBe(201);
  });

  it('keeps them out of what their role does not allow', async () => {
    const { status } = await app.withBearer(await sso.token({ ...somebody, role: 'guest' })).get(users);
    expect(status).toBe(403);
  });

  it('ten times at once adds one user', async () => {
    const token = await sso.token(somebody);
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.withBearer(token).get('/api/v0/me')));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(200));
    expect(new Set(answers.map(({ body }) => body.user.id)).size).toBe(1);
    expect(await countUsers(somebody.email)).toBe(1);
  });

  it('at once with another first token of theirs adds one user', async () => {
    const tokens = [await sso.token(somebody), await sso.token({ ...somebody, jti: 'another' })];
    const answers = await Promise.all(tokens.map((token) => app.withBearer(token).get('/api/v0/me')));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.user?.id}`)).size).toBe(1);
  });

  it('at once with others who claim the same e-mail lets in the one who is vouched for', async () => {
    const claimed: string[] = [];
    for (let i = 0; i < 5; i++) {
      claimed.push(await sso.token({ ...somebody, sub: randomUUID(), email_verified: i === 3 }));
    }
    const answers = await Promise.all(claimed.map((token) => app.withBearer(token).get('/api/v0/me')));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 200, 401]);
  });

  it('at once under several subjects with one verified e-mail adds one user', async () => {
    const verified: string[] = [];
    for (let i = 0; i < 5; i++) {
      verified.push(await sso.token({ ...somebody, sub: randomUUID(), email_verified: true }));
    }
    const answers = await Promise.all(verified.map((token) => app.withBearer(token).get('/api/v0/me')));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.user?.id}`)).size).toBe(1);
  });

  it.each([
    ['without an e-mail', { email: undefined }],
    ['with an e-mail that is none', { email: 'ada' }],
    ['with an e-mail that is not text', { email: ['ada@example.com'] }],
    ['with a NUL in the e-mail', { email: 'a\0da@example.com' }],
  ])('is 401 %s', async (_what, change) => {
    expect((await me({ ...somebody, ...change })).status).toBe(401);
  });
});

describe('a later token', () => {
  it('finds the user by issuer and subject, whatever e-mail it has', async () => {
    const first = await me(somebody);
    const second = await me({ ...somebody, email: 'renamed@example.com', email_verified: false });
    expect(second.body.user).toMatchObject({ id: first.body.user.id, email: somebody.email });
  });

  it('does not change the stored role', async () => {
    await me({ ...somebody, role: 'member' });
    expect((await me({ ...somebody, role: 'owner' })).body.role).toBe('member');
  });

  it('opens nothing that the stored role does not, whatever it claims', async () => {
    await me({ ...somebody, role: 'guest' });
    const { status } = await app.withBearer(await sso.token({ ...somebody, role: 'owner' })).get(users);
    expect(status).toBe(403);
  });

  it('opens all that the stored role does, whatever it claims', async () => {
    await me({ ...somebody, role: 'owner' });
    const { status } = await app.withBearer(await sso.token({ ...somebody, role: 'guest' })).get(users);
    expect(status).toBe(200);
  });

  it('has the role that an owner gave the user since', async () => {
    const { body } = await me({ ...somebody, role: 'member' });
    await app.as(org.owner).patch(`${users}/${body.user.id}`, { role: 'manager' });
    expect((await me({ ...somebody, role: 'member' })).body.role).toBe('manager');
  });

  it('does not change the stored names', async () => {
    await me({ ...somebody, given_name: 'Ada' });
    expect((await me({ ...somebody, given_name: 'Eve' })).body.user.firstName).toBe('Ada');
  });
});

describe('the first token with the e-mail of a known user', () => {
  it('is that user when the e-mail is verified', async () => {
    const known = await app.given.user(org, { role: Role.Manager });
    const { status, body } = await me({ ...somebody, email: known.email, email_verified: true, role: 'owner' });
    expect([status, body.user.id, body.role]).toEqual([200, known.id, 'manager']);
  });

  it('is that user whatever the letter case of the e-mail', async () => {
    const known = await app.given.user(org);
    const { body } = await me({ ...somebody, email: known.email.toUpperCase(), email_verified: true });
    expect(body.user.id).toBe(known.id);
  });

  it('makes the subject that user for good, without the e-mail', async () => {
    const known = await app.given.user(org);
    await me({ ...somebody, email: known.email, email_verified: true });
    const { body } = await me({ ...somebody, email: 'renamed@example.com', email_verified: false });
    expect(body.user.id).toBe(known.id);
  });

  it.each([undefined, false, 'true', 1, null])('is 401 when email_verified is %j', async (email_verified) => {
    const { status } = await me({ ...somebody, email: org.owner.email, email_verified });
    expect(status).toBe(401);
  });

  it('is 401 for a second time too', async () => {
    const token = await sso.token({ ...somebody, email: org.owner.email, email_verified: false });
    await app.withBearer(token).get('/api/v0/me');
    expect((await app.withBearer(token).get('/api/v0/me')).status).toBe(401);
  });
});

describe('somebody who claims the address of another person', () => {
  /** The address is not theirs, and the provider says so. */
  const claimed = () => ({ ...somebody, sub: 'attacker', email_verified: false });
  const real = () => ({ ...somebody, sub: 'real person', role: 'manager', given_name: 'Ada' });

  it('cannot take it before that person comes', async () => {
    const token = await sso.token(claimed());
    const before = await app.withBearer(token).get('/api/v0/me');
    const { body } = await me(real());
    expect([before.status, body.role, body.user.firstName]).toEqual([401, 'manager', 'Ada']);
    expect((await app.withBearer(token).get('/api/v0/me')).status).toBe(401);
  });

  it('cannot take it after that person came', async () => {
    const { body } = await me(real());
    expect((await me(claimed())).status).toBe(401);
    expect((await me({ ...real(), email_verified: false })).body.user.id).toBe(body.user.id);
  });
});

describe('a deactivated user', () => {
  async function deactivated() {
    const token = await sso.token(somebody);
    const { body } = await app.withBearer(token).get('/api/v0/me');
    await app.as(org.owner).delete(`${users}/${body.user.id}`);
    return { token, id: body.user.id as string };
  }

  it('is 401 with the token they had, within a second', async () => {
    const { token } = await deactivated();
    expect(await statusWithin(1_000, 401, () => app.withBearer(token).get('/api/v0/me'))).toBe(401);
  });

  it('is 401 with a new token', async () => {
    await deactivated();
    expect((await me(somebody)).status).toBe(401);
  });

  it('is 401 under a new subject with their verified e-mail', async () => {
    await deactivated();
    expect((await me({ ...somebody, sub: randomUUID(), email_verified: true })).status).toBe(401);
  });

  it('is not made anew by any of this', async () => {
    await deactivated();
    await me(somebody);
    await me({ ...somebody, sub: randomUUID(), email_verified: true });
    expect(await countUsers(somebody.email)).toBe(1);
  });

  it('is let in again after reactivation, as the same user', async () => {
    const { id } = await deactivated();
    await app.as(org.owner).patch(`${users}/${id}`, { state: 'active' });
    expect((await me(somebody)).body.user.id).toBe(id);
  });
});

describe('the same identity in two organizations', () => {
  it('is two users', async () => {
    const other = await app.given.organization();
    const here = await me(somebody);
    const there = await me({ ...somebody, org_id: other.id });
    expect([here.body.organization.id, there.body.organization.id]).toEqual([org.id, other.id]);
    expect(here.body.user.id).not.toBe(there.body.user.id);
  });

  it('has a role in each', async () => {
    const other = await app.given.organization();
    await me({ ...somebody, role: 'owner' });
    const there = await me({ ...somebody, org_id: other.id, role: 'guest' });
    expect(there.body.role).toBe('guest');
  });

  it('is deactivated in one alone', async () => {
    const other = await app.given.organization();
    const { body } = await me(somebody);
    await me({ ...somebody, org_id: other.id });
    await app.as(org.owner).delete(`${users}/${body.user.id}`);
    expect((await me({ ...somebody, org_id: other.id })).status).toBe(200);
  });
});
