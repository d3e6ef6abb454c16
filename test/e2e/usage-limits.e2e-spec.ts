import { randomUUID } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { query } from '../support/test-database.js';
import { TestApp } from '../support/test-app.js';

const limits = '/api/v0/organization/usage/limits/users';
const NOVEMBER = '2026-11-15T08:30:00.000Z';
const MAX = Number.MAX_SAFE_INTEGER;
const clock = new ManualClock(NOVEMBER);
let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;

beforeAll(async () => {
  app = await TestApp.start({ clock });
});
beforeEach(async () => {
  clock.set(NOVEMBER);
  org = await app.given.organization();
  ada = await app.given.user(org);
});
afterAll(() => app.stop());

const put = (users: unknown, by: GivenUser = org.owner) => app.as(by).put(limits, { users });
const setLimit = (limit: unknown, email = ada.email) => put([{ email, limit }]);
const unknownEmails = (count: number) =>
  Array.from({ length: count }, () => ({ email: `${randomUUID()}@example.com`, limit: 1 }));

async function ofAda(): Promise<{ limit: number | null; used: number; resetsAt: string }> {
  const { body } = await app.as(org.owner).get(`${limits}?limit=100`);
  return body.users.find((user: { userId: string }) => user.userId === ada.id);
}

/** What model calls of the month have cost the user. */
const use = (tokens: number, month = '2026-11-01') =>
  query(
    app.database.url,
    `INSERT INTO user_month_usage (org_id, user_id, month, billable_tokens) VALUES ($1, $2, $3, $4)
     ON CONFLICT (org_id, user_id, month) DO UPDATE SET billable_tokens = excluded.billable_tokens`,
    [org.id, ada.id, month, tokens],
  );

describe('setting limits', () => {
  it('tells which were set', async () => {
    const { status, body } = await put([
      { email: ada.email, limit: 5 },
      { email: org.owner.email, limit: 0 },
    ]);
    const updated = [
      { email: ada.email, limit: 5 },
      { email: org.owner.email, limit: 0 },
    ];
    expect([status, body]).toEqual([200, { updated, errors: [] }]);
  });

  it('sets the rest when some cannot be set', async () => {
    const { body } = await put([
      { email: 'nobody@example.com', limit: 1 },
      { email: ada.email, limit: 2 },
      { email: 'nobody', limit: 3 },
    ]);
    expect(body).toEqual({
      updated: [{ email: ada.email, limit: 2 }],
      errors: [
        { email: 'nobody@example.com', error: 'There is no user with this e-mail address.' },
        { email: 'nobody', error: 'This is not an e-mail address.' },
      ],
    });
  });

  it('finds users whatever the letter case, and echoes the address as it was sent', async () => {
    const email = ada.email.toUpperCase();
    const { body } = await setLimit(7, email);
    expect([body.updated, (await ofAda()).limit]).toEqual([[{ email, limit: 7 }], 7]);
  });

  it('takes the first mention of an address and refuses the second', async () => {
    const again = ada.email.toUpperCase();
    const { body } = await put([
      { email: ada.email, limit: 1 },
      { email: again, limit: 2 },
    ]);
    expect(body.updated).toEqual([{ email: ada.email, limit: 1 }]);
    expect(body.errors).toEqual([{ email: again, error: 'This e-mail address is mentioned more than once.' }]);
    expect((await ofAda()).limit).toBe(1);
  });

  it.each([0, 1, MAX])('takes the limit %d', async (limit) => {
    const { body } = await setLimit(limit);
    expect([body.updated, (await ofAda()).limit]).toEqual([[{ email: ada.email, limit }], limit]);
  });

  it.each([-1, 1.5, -0.1])('refuses the limit %d, and only that', async (limit) => {
    await setLimit(3);
    const { body } = await put([
      { email: ada.email, limit },
      { email: org.owner.email, limit: 9 },
    ]);
    const error = 'The limit must be a whole number from 0 to 9007199254740991, or null.';
    expect(body).toEqual({ updated: [{ email: org.owner.email, limit: 9 }], errors: [{ email: ada.email, error }] });
    expect((await ofAda()).limit).toBe(3);
  });

  it('to null takes the limit away', async () => {
    await setLimit(3);
    const { body } = await setLimit(null);
    expect([body.updated, (await ofAda()).limit]).toEqual([[{ email: ada.email, limit: null }], null]);
  });

  it('does not find a user of another organization', async () => {
    const other = await app.given.organization();
    const { body } = await setLimit(1, other.owner.email);
    expect(body.errors).toEqual([{ email: other.owner.email, error: 'There is no user with this e-mail address.' }]);
  });

  it('does not find a deactivated user', async () => {
    await app.as(org.owner).delete(`/api/v0/organization/users/${ada.id}`);
    expect((await setLimit(1)).body.updated).toEqual([]);
  });

  it.each([1, 100])('takes %d entries', async (count) => {
    const { status, body } = await put(unknownEmails(count));
    expect([status, body.errors.length]).toEqual([200, count]);
  });

  it.each([
    ['no entry', []],
    ['101 entries', unknownEmails(101)],
    ['no list', { email: 'a@example.com', limit: 1 }],
    ['nothing', undefined],
  ])('with %s is 400', async (_, users) => {
    const { status, body } = await put(users);
    expect([status, body.errors[0].field]).toEqual([400, 'users']);
  });

  it.each([
    ['a limit as text', { limit: '5' }, 'limit'],
    ['true for a limit', { limit: true }, 'limit'],
    ['a list for a limit', { limit: [5] }, 'limit'],
    ['no limit', { limit: undefined }, 'limit'],
    ['a number for an address', { email: 5 }, 'email'],
    ['null for an address', { email: null }, 'email'],
    ['no address', { email: undefined }, 'email'],
    ['an unknown field', { userId: randomUUID() }, 'userId'],
  ])('with %s is 400 and sets nothing', async (_, change, field) => {
    const { status, body } = await put([
      { email: ada.email, limit: 5 },
      { email: org.owner.email, limit: 5, ...change },
    ]);
    expect([status, body.errors[0].field, (await ofAda()).limit]).toEqual([400, `users.1.${field}`, null]);
  });

  it('is open to managers', async () => {
    const manager = await app.given.user(org, { role: Role.Manager });
    expect((await put([{ email: ada.email, limit: 5 }], manager)).body.updated).toHaveLength(1);
  });

  it('is 403 for members', async () => {
    const { status } = await put([{ email: ada.email, limit: 5 }], ada);
    expect([status, (await ofAda()).limit]).toEqual([403, null]);
  });
});

describe('the list of limits', () => {
  it('shows who has no limit and has used nothing', async () => {
    const entry = { userId: ada.id, email: ada.email, limit: null, used: 0, resetsAt: '2026-12-01T00:00:00.000Z' };
    expect(await ofAda()).toEqual(entry);
  });

  it('shows what was used this month', async () => {
    await use(99, '2026-10-01');
    await use(MAX);
    expect((await ofAda()).used).toBe(MAX);
  });

  it('starts again with the first millisecond of a month', async () => {
    await use(5);
    clock.set('2026-11-30T23:59:59.999Z');
    const before = await ofAda();
    clock.set('2026-12-01T00:00:00.000Z');
    const after = await ofAda();
    expect([before.used, after.used, after.resetsAt]).toEqual([5, 0, '2027-01-01T00:00:00.000Z']);
  });

  it('has only users of the own organization', async () => {
    const other = await app.given.organization();
    const { body } = await app.as(other.owner).get(limits);
    expect(body.users.map((user: { email: string }) => user.email)).toEqual([other.owner.email]);
  });

  it('is 403 for members', async () => {
    expect((await app.as(ada).get(limits)).status).toBe(403);
  });
});

describe('a message', () => {
  let messages: string;

  beforeEach(async () => {
    const { body: computer } = await app.as(ada).post('/api/v0/computers', { name: 'build-server' });
    const { body: session } = await app.as(ada).post('/api/v0/sessions', { computerId: computer.id });
    messages = `/api/v0/sessions/${session.sessionId}/messages`;
  });

  const post = () => app.as(ada).post(messages, { text: 'Hello' });

  it('is taken without a limit, whatever was used', async () => {
    await use(MAX);
    expect((await post()).status).toBe(200);
  });

  it('is taken one token below the limit', async () => {
    await setLimit(100);
    await use(99);
    expect((await post()).status).toBe(200);
  });

  it.each([100, 101])('is 402 with %d of 100 tokens used', async (used) => {
    await setLimit(100);
    await use(used);
    const { status, body } = await post();
    expect(status).toBe(402);
    expect(body.detail).toBe(
      `The credit limit of 100 tokens a month is reached: ${used} are used. It resets at 2026-12-01T00:00:00.000Z.`,
    );
  });

  it('that is 402 is not stored', async () => {
    await setLimit(0);
    await post();
    expect((await app.as(ada).get(messages)).body.messages).toEqual([]);
  });

  it('is 402 with a limit of 0 although nothing was used', async () => {
    await setLimit(0);
    expect((await post()).status).toBe(402);
  });

  it('is taken again once the limit is raised', async () => {
    await setLimit(100);
    await use(100);
    await setLimit(101);
    expect((await post()).status).toBe(200);
  });

  it('is taken again next month', async () => {
    await setLimit(100);
    await use(100);
    clock.set('2026-11-30T23:59:59.999Z');
    const before = await post();
    clock.set('2026-12-01T00:00:00.000Z');
    const after = await post();
    expect([before.status, after.status]).toEqual([402, 200]);
  });

  it('of another user is not held up by it', async () => {
    await setLimit(0);
    const { body: computer } = await app.as(org.owner).post('/api/v0/computers', { name: 'other' });
    const { body: session } = await app.as(org.owner).post('/api/v0/sessions', { computerId: computer.id });
    const { status } = await app
      .as(org.owner)
      .post(`/api/v0/sessions/${session.sessionId}/messages`, { text: 'Hello' });
    expect(status).toBe(200);
  });
});
