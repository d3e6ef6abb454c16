import { createHash, randomUUID } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import { isApiKey } from '../../src/common/access/api-key-format.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { query } from '../support/test-database.js';
import { TestApp } from '../support/test-app.js';

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let org: GivenOrganization;
let member: GivenUser;

beforeAll(async () => {
  app = await TestApp.start({ clock });
  org = await app.given.organization();
});
beforeEach(async () => {
  member = await app.given.user(org);
});
afterAll(() => app.stop());

const create = (user: GivenUser, body: object) => app.as(user).post('/api/v0/api-keys', body);
const listed = async (user: GivenUser) => (await app.as(user).get('/api/v0/api-keys?limit=100')).body.apiKeys;

describe('creating an API key', () => {
  it('shows the key and what is known about it', async () => {
    const { status, body } = await create(member, { name: 'nightly report' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      name: 'nightly report',
      userId: member.id,
      key: expect.stringMatching(/^apk_[0-9A-Za-z]{49}$/),
      prefix: body.key.slice(0, 10),
      scope: 'full',
      createdAt: clock.now().toISOString(),
    });
  });

  it('gives a key whose checksum is right', async () => {
    const { body } = await create(member, { name: 'x' });
    expect(isApiKey(body.key)).toBe(true);
  });

  it('gives a key that works at once', async () => {
    const { body } = await create(member, { name: 'x' });
    const me = await app.withBearer(body.key).get('/api/v0/me');
    expect(me.body.user.id).toBe(member.id);
  });

  it('shows an expiry in UTC', async () => {
    const { body } = await create(member, { name: 'x', expiresAt: '2027-01-31T01:00:00.5+01:00' });
    expect(body.expiresAt).toBe('2027-01-31T00:00:00.500Z');
  });

  it('stores the key nowhere, in no table of the database', async () => {
    const { body } = await app.as(member).post('/api/v0/api-keys', { name: 'x' }, { 'Idempotency-Key': randomUUID() });
    const tables = await query<{ name: string }>(
      app.database.url,
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
        WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
    );
    const secret = body.key.slice(10);
    const hex = Buffer.from(secret as string).toString('hex');
    for (const { name } of tables) {
      const rows = await query(app.database.url, `SELECT 1 FROM ${name} t WHERE t::text LIKE $1 OR t::text LIKE $2`, [
        `%${secret}%`,
        `%${hex}%`,
      ]);
      expect({ name, rows }).toEqual({ name, rows: [] });
    }
  });

  it('stores the SHA-256 of the key', async () => {
    const { body } = await create(member, { name: 'x' });
    const rows = await query<{ hash: Buffer }>(
      app.database.url,
      `SELECT k.key_hash AS hash FROM api_keys k JOIN api_key_directory d USING (key_hash) WHERE k.id = $1`,
      [body.id],
    );
    expect(rows).toEqual([{ hash: createHash('sha256').update(body.key).digest() }]);
  });

  it('is possible for an owner on behalf of others', async () => {
    const { body } = await create(org.owner, { name: 'x', userId: member.id });
    const me = await app.withBearer(body.key).get('/api/v0/me');
    expect([body.userId, me.body.user.id]).toEqual([member.id, member.id]);
  });

  it('is possible for oneself by id, in any spelling of it', async () => {
    const { status } = await create(member, { name: 'x', userId: member.id.toUpperCase() });
    expect(status).toBe(201);
  });

  it.each([Role.Manager, Role.Member])('on behalf of others is 403 for a %s', async (role) => {
    const user = await app.given.user(org, { role });
    const { status } = await create(user, { name: 'x', userId: member.id });
    expect(status).toBe(403);
  });

  it('for a user that does not exist is 404', async () => {
    const { status } = await create(org.owner, { name: 'x', userId: randomUUID() });
    expect(status).toBe(404);
  });

  it('for a deactivated user is 409', async () => {
    await app.as(org.owner).delete(`/api/v0/organization/users/${member.id}`);
    const { status } = await create(org.owner, { name: 'x', userId: member.id });
    expect(status).toBe(409);
  });

  it.each([
    ['a name of 100 code points', { name: '🔑'.repeat(100) }],
    ['a name with all sorts of characters', { name: 'ключ "\\\' <b> \u202e %s' }],
    ['an expiry in one millisecond', { name: 'x', expiresAt: '2026-11-15T08:30:00.001Z' }],
    ['an expiry on a leap day', { name: 'x', expiresAt: '2028-02-29T00:00:00Z' }],
  ])('takes %s', async (_what, body) => {
    const { status, body: created } = await create(member, body);
    expect([status, created.name]).toEqual([201, body.name]);
  });

  it.each([
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of 101 code points', { name: '🔑'.repeat(101) }, 'name'],
    ['a name that is a number', { name: 5 }, 'name'],
    ['a name that is null', { name: null }, 'name'],
    ['an expiry that is now', { name: 'x', expiresAt: '2026-11-15T08:30:00.000Z' }, 'expiresAt'],
    ['an expiry in the past', { name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    ['an expiry without a time zone', { name: 'x', expiresAt: '2027-01-01T00:00:00' }, 'expiresAt'],
    ['an expiry that is a day', { name: 'x', expiresAt: '2027-01-01' }, 'expiresAt'],
    ['an expiry on 30 February', { name: 'x', expiresAt: '2027-02-30T00:00:00Z' }, 'expiresAt'],
    ['an expiry in seconds', { name: 'x', expiresAt: 1_900_000_000 }, 'expiresAt'],
    ['an expiry that is null', { name: 'x', expiresAt: null }, 'expiresAt'],
    ['a user id that is none', { name: 'x', userId: 'me' }, 'userId'],
    ['a user id in a list', { name: 'x', userId: [randomUUID()] }, 'userId'],
    ['a key of the own choice', { name: 'x', key: 'apk_mine' }, 'key'],
    ['a role', { name: 'x', role: 'owner' }, 'role'],
  ])('with %s is 400 naming the field', async (_what, body, field) => {
    const answer = await create(org.owner, body);
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field]);
  });
});

describe('the list of API keys', () => {
  it('shows a member their own', async () => {
    const { body } = await create(member, { name: 'mine' });
    await create(org.owner, { name: 'not mine' });
    const keys = await listed(member);
    expect(keys.map((key: { name: string }) => key.name)).toEqual(['mine', 'test']);
    expect(keys[0].id).toBe(body.id);
  });

  it('shows an owner those of everybody', async () => {
    const small = await app.given.organization();
    const user = await app.given.user(small);
    const keys = await listed(small.owner);
    expect(keys.map((key: { userId: string }) => key.userId)).toEqual([user.id, small.owner.id]);
    expect(keys.map((key: { userEmail: string }) => key.userEmail)).toEqual([user.email, small.owner.email]);
  });

  it('never shows a key', async () => {
    const { body } = await create(member, { name: 'x' });
    const { text } = await app.as(org.owner).get('/api/v0/api-keys');
    expect(text).not.toContain(body.key.slice(10));
  });

  it('has no time of use for a key that was never used', async () => {
    await create(member, { name: 'unused' });
    const [key] = await listed(member);
    expect(key).toEqual(expect.not.objectContaining({ lastUsedAt: expect.anything() }));
  });

  it('tells the last use to the hour', async () => {
    const { body } = await create(member, { name: 'used' });
    clock.set('2026-11-15T09:59:59.999Z');
    await app.withBearer(body.key).get('/api/v0/me');
    const [key] = await listed(member);
    clock.set('2026-11-15T08:30:00.000Z');
    expect(key.lastUsedAt).toBe('2026-11-15T09:00:00.000Z');
  });
});

describe('revoking an API key', () => {
  it('is 204 and takes it from the list', async () => {
    const { body } = await create(member, { name: 'x' });
    const { status, text } = await app.as(member).delete(`/api/v0/api-keys/${body.id}`);
    const keys = await listed(member);
    expect([status, text, keys.length]).toEqual([204, '', 1]);
  });

  it('a second time is 404', async () => {
    const { body } = await create(member, { name: 'x' });
    await app.as(member).delete(`/api/v0/api-keys/${body.id}`);
    const { status } = await app.as(member).delete(`/api/v0/api-keys/${body.id}`);
    expect(status).toBe(404);
  });

  it('is possible for an owner with any key', async () => {
    const { body } = await create(member, { name: 'x' });
    const { status } = await app.as(org.owner).delete(`/api/v0/api-keys/${body.id}`);
    expect(status).toBe(204);
  });

  it.each([Role.Manager, Role.Member])('of somebody else is 404 for a %s, like an id of nothing', async (role) => {
    const { body } = await create(member, { name: 'x' });
    const user = await app.given.user(org, { role });
    const { status } = await app.as(user).delete(`/api/v0/api-keys/${body.id}`);
    expect([status, (await listed(member)).length]).toEqual([404, 2]);
  });

  it('is possible with the key itself', async () => {
    const { body } = await create(member, { name: 'x' });
    const { status } = await app.withBearer(body.key).delete(`/api/v0/api-keys/${body.id}`);
    expect(status).toBe(204);
  });

  it('leaves nothing by which the key could be found', async () => {
    const { body } = await create(member, { name: 'x' });
    await app.as(member).delete(`/api/v0/api-keys/${body.id}`);
    const rows = await query(app.database.url, 'SELECT 1 FROM api_key_directory WHERE api_key_id = $1', [body.id]);
    expect(rows).toEqual([]);
  });

  it.each(['x', '1', '00000000-0000-0000-0000-00000000000g', '%00', '..%2f..'])('named %s is 404', async (id) => {
    const { status } = await app.as(org.owner).delete(`/api/v0/api-keys/${id}`);
    expect(status).toBe(404);
  });
});
