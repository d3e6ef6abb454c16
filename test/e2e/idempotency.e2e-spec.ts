import { randomUUID } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { sendRaw } from '../support/raw-http.js';
import { query } from '../support/test-database.js';
import { TestApp } from '../support/test-app.js';

const DAY_MS = 24 * 3600_000;
const users = '/api/v0/organization/users';
const apiKeys = '/api/v0/api-keys';
const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let org: GivenOrganization;
let owner: GivenUser;
let key: string;

beforeAll(async () => {
  app = await TestApp.start({ clock });
  org = await app.given.organization();
  owner = org.owner;
});
beforeEach(() => {
  key = randomUUID();
});
afterAll(() => app.stop());

const newUser = () => ({ email: `${randomUUID()}@example.com`, role: 'member' });
const post = (path: string, body: object | string, by = owner) =>
  app.as(by).post(path, body, { 'Idempotency-Key': key });

async function countUsers(email: string): Promise<number> {
  const sql = `SELECT count(*)::int AS count FROM users WHERE org_id = $1 AND email = $2`;
  const [row] = await query<{ count: number }>(app.database.url, sql, [org.id, email]);
  return row?.count ?? 0;
}

describe('a repeated POST with the same Idempotency-Key', () => {
  it('is answered like the first', async () => {
    const body = newUser();
    const first = await post(users, body);
    clock.advance(1_000);
    const second = await post(users, body);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
  });

  it('does its work once', async () => {
    const body = newUser();
    await post(users, body);
    await post(users, body);
    expect(await countUsers(body.email)).toBe(1);
  });

  it('is answered as it was then, whatever has changed since', async () => {
    const first = await post(users, { email: 'then@example.com', role: 'member' });
    await app.as(owner).patch(`${users}/${first.body.id}`, { role: 'guest' });
    const second = await post(users, { email: 'then@example.com', role: 'member' });
    expect(second.body.role).toBe('member');
  });

  it('counts as the same whatever the order of fields and the white space', async () => {
    const first = await post(users, '{"email":"order@example.com","role":"member","firstName":"A"}');
    const second = await post(users, '{ "firstName": "A", "role": "member",\n "email": "order@example.com" }');
    expect([second.status, second.text]).toEqual([201, first.text]);
  });

  it('twenty times at once does its work once and answers all alike', async () => {
    const body = newUser();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(users, body)));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(20).fill(201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await countUsers(body.email)).toBe(1);
  });

  it('with another body is 409 and does nothing', async () => {
    await post(users, newUser());
    const other = newUser();
    const { status } = await post(users, other);
    expect([status, await countUsers(other.email)]).toEqual([409, 0]);
  });

  it.each([
    ['a field more', { firstName: 'Ada' }],
    ['another e-mail', { email: 'ada@example.com' }],
    ['another value', { role: 'guest' }],
  ])('counts as another body with %s', async (_what, change) => {
    const body = newUser();
    await post(users, body);
    const { status, body: problem } = await post(users, { ...body, ...change });
    expect([status, problem.detail]).toEqual([409, 'This Idempotency-Key was used with another body.']);
  });
});

describe('an Idempotency-Key', () => {
  it('of another user is another key', async () => {
    const second = await app.given.user(org, { role: Role.Owner });
    await post(users, newUser());
    const { status } = await post(users, newUser(), second);
    expect(status).toBe(201);
  });

  it('of the same user with another of their API keys is the same key', async () => {
    const body = newUser();
    const first = await post(users, body);
    const { body: created } = await app.as(owner).post(apiKeys, { name: 'another' });
    const second = await app.withBearer(created.key).post(users, body, { 'Idempotency-Key': key });
    expect(second.text).toBe(first.text);
  });

  it('on another route is another key', async () => {
    await post(users, newUser());
    const { status } = await post(apiKeys, { name: 'x' });
    expect(status).toBe(201);
  });

  it('is kept for 24 hours', async () => {
    await post(users, newUser());
    clock.advance(DAY_MS);
    const { status } = await post(users, newUser());
    expect(status).toBe(409);
  });

  it('is free again after 24 hours', async () => {
    await post(users, newUser());
    clock.advance(DAY_MS + 1);
    const { status } = await post(users, newUser());
    expect(status).toBe(201);
  });

  it('that was free again holds for another 24 hours', async () => {
    await post(users, newUser());
    clock.advance(DAY_MS + 1);
    const body = newUser();
    const first = await post(users, body);
    clock.advance(DAY_MS);
    const second = await post(users, body);
    expect(second.text).toBe(first.text);
  });

  it('that is free again twenty times at once does its work once', async () => {
    await post(users, newUser());
    clock.advance(DAY_MS + 1);
    const body = newUser();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(users, body)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  });

  it.each([
    ['1 character', 'x'],
    ['255 characters', 'x'.repeat(255)],
    ['punctuation', '"a b", {c}; ~!'],
  ])('may have %s', async (_what, value) => {
    const { status } = await app.as(owner).post(users, newUser(), { 'Idempotency-Key': value });
    expect(status).toBe(201);
  });

  it.each([
    ['no characters', ''],
    ['256 characters', 'x'.repeat(256)],
    ['a letter beyond ASCII', 'clé'],
    ['a tab', 'a\tb'],
  ])('with %s is 400 and nothing is done', async (_what, value) => {
    const body = newUser();
    const headers = {
      Authorization: `Bearer ${owner.key}`,
      'Idempotency-Key': value,
      'Content-Type': 'application/json',
    };
    const { status } = await sendRaw(app.url, { method: 'POST', path: users, headers, body: JSON.stringify(body) });
    expect([status, await countUsers(body.email)]).toEqual([400, 0]);
  });
});

describe('a request that failed', () => {
  const idempotencyRows = () => query(app.database.url, `SELECT 1 FROM idempotency_keys WHERE key = $1`, [key]);

  it('is not remembered', async () => {
    await post(users, { email: owner.email, role: 'member' });
    expect(await idempotencyRows()).toEqual([]);
  });

  it('may be corrected under the same key', async () => {
    const refused = await post(users, { email: 'nobody', role: 'member' });
    const corrected = await post(users, newUser());
    expect([refused.status, corrected.status]).toEqual([400, 201]);
  });

  it('may be repeated under the same key once it can succeed', async () => {
    const user = await app.given.user(org);
    const body = { name: 'x', userId: user.id };
    await app.as(owner).delete(`${users}/${user.id}`);
    const refused = await post(apiKeys, body);
    await app.as(owner).patch(`${users}/${user.id}`, { state: 'active' });
    const repeated = await post(apiKeys, body);
    expect([refused.status, repeated.status]).toEqual([409, 201]);
  });
});

describe('a repeated creation of an API key', () => {
  it('is 409 and names the key that was created', async () => {
    const first = await post(apiKeys, { name: 'once' });
    const second = await post(apiKeys, { name: 'once' });
    expect(second.status).toBe(409);
    expect(second.body.detail).toContain(first.body.id);
    expect(second.text).not.toContain(first.body.key);
  });

  it('creates no second key', async () => {
    const user = await app.given.user(org);
    await post(apiKeys, { name: 'once' }, user);
    await post(apiKeys, { name: 'once' }, user);
    const { body } = await app.as(user).get(apiKeys);
    expect(body.apiKeys).toHaveLength(2); // with the one that the user calls with
  });

  it('keeps nothing of the key but its id', async () => {
    const { body } = await post(apiKeys, { name: 'once' });
    const sql = `SELECT response FROM idempotency_keys WHERE key = $1`;
    expect(await query(app.database.url, sql, [key])).toEqual([{ response: body.id }]);
  });

  it('twenty times at once shows one key', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(apiKeys, { name: 'once' })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array<number>(19).fill(409)]);
  });
});
