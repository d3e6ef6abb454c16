import { randomUUID } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import { OperatorCommands } from '../../src/modules/organization/operator-commands.js';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { query } from '../support/test-database.js';
import { TestApp } from '../support/test-app.js';

const auditLog = '/api/v0/organization/audit-log';
const users = '/api/v0/organization/users';
const controls = '/api/v0/organization/enterprise-controls';
const limits = '/api/v0/organization/usage/limits/users';
const computers = '/api/v0/computers';
const apiKeys = '/api/v0/api-keys';
const clock = new ManualClock('2026-11-15T08:30:00.000Z');

interface Entry {
  action: string;
  target: string;
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

let app: TestApp;
let org: GivenOrganization;
let owner: ApiClient;
let ada: GivenUser;

beforeAll(async () => {
  app = await TestApp.start({ clock });
});
beforeEach(async () => {
  org = await app.given.organization();
  ada = await app.given.user(org);
  owner = app.as(org.owner);
  clock.advance(1_000);
});
afterAll(() => app.stop());

const entries = async (): Promise<Entry[]> => (await owner.get(`${auditLog}?limit=100`)).body.entries;
const count = async () => (await entries()).length;

/** Makes a change and returns its answer with the entries that it added. */
async function added(change: () => Promise<ApiAnswer>): Promise<{ answer: ApiAnswer; entries: Entry[] }> {
  const before = await count();
  const answer = await change();
  const after = await entries();
  return { answer, entries: after.slice(0, after.length - before) };
}

const registered = async (name = 'build') => (await owner.post(computers, { name })).body.id as string;
const issued = async () => (await owner.post(apiKeys, { name: 'ci', userId: ada.id })).body.id as string;

type Change = () => Promise<{ send: () => Promise<ApiAnswer>; target?: string; before?: object; after?: object }>;

const CHANGES: [action: string, prepare: Change][] = [
  [
    'user.created',
    () =>
      Promise.resolve({
        send: () => owner.post(users, { email: 'eve@example.com', role: 'guest' }),
        after: { email: 'eve@example.com', role: 'guest' },
      }),
  ],
  [
    'user.changed',
    () =>
      Promise.resolve({
        send: () => owner.patch(`${users}/${ada.id}`, { role: 'manager' }),
        target: ada.id,
        before: { role: 'member' },
        after: { role: 'manager' },
      }),
  ],
  ['user.deactivated', () => Promise.resolve({ send: () => owner.delete(`${users}/${ada.id}`), target: ada.id })],
  [
    'user.changed',
    async () => {
      await owner.delete(`${users}/${ada.id}`);
      return {
        send: () => owner.patch(`${users}/${ada.id}`, { state: 'active' }),
        target: ada.id,
        before: { state: 'deactivated' },
        after: { state: 'active' },
      };
    },
  ],
  [
    'api_key.created',
    () => Promise.resolve({ send: () => owner.post(apiKeys, { name: 'ci', userId: ada.id }), after: { name: 'ci' } }),
  ],
  [
    'api_key.revoked',
    async () => {
      const id = await issued();
      return { send: () => owner.delete(`${apiKeys}/${id}`), target: id, before: { name: 'ci' } };
    },
  ],
  [
    'enterprise_controls.changed',
    async () => {
      await owner.put(controls, { sessionRetentionDays: 30 });
      return {
        send: () => owner.put(controls, { sessionRetentionDays: 60 }),
        target: '2',
        before: { sessionRetentionDays: 30 },
        after: { sessionRetentionDays: 60 },
      };
    },
  ],
  [
    'user.credit_limit_changed',
    async () => {
      await owner.put(limits, { users: [{ email: ada.email, limit: 5 }] });
      return {
        send: () => owner.put(limits, { users: [{ email: ada.email, limit: null }] }),
        target: ada.id,
        before: { limit: 5 },
        after: { limit: null },
      };
    },
  ],
  [
    'computer.registered',
    () => Promise.resolve({ send: () => owner.post(computers, { name: 'build' }), after: { name: 'build' } }),
  ],
  [
    'computer.changed',
    async () => {
      const id = await registered();
      return {
        send: () => owner.patch(`${computers}/${id}`, { name: 'other' }),
        target: id,
        before: { name: 'build' },
        after: { name: 'other' },
      };
    },
  ],
  [
    'computer.deleted',
    async () => {
      const id = await registered();
      return { send: () => owner.delete(`${computers}/${id}`), target: id, before: { name: 'build' } };
    },
  ],
];

describe('the audit log has one entry', () => {
  it.each(CHANGES)('%s, with actor, target, states and request id', async (action, prepare) => {
    const { send, target, before, after } = await prepare();
    const { answer, entries: made } = await added(send);
    expect(answer.status).toBeLessThan(300);
    expect(made).toEqual([
      expect.objectContaining({
        at: clock.now().toISOString(),
        actor: { id: org.owner.id, email: org.owner.email },
        action,
        target: target ?? answer.body.id,
        requestId: answer.headers['x-request-id'],
        ...(before ? { before: expect.objectContaining(before) } : {}),
        ...(after ? { after: expect.objectContaining(after) } : {}),
      }),
    ]);
  });

  it('for each user whose limit was set, and none for the others', async () => {
    const { entries: made } = await added(() =>
      owner.put(limits, {
        users: [
          { email: ada.email, limit: 1 },
          { email: org.owner.email, limit: 2 },
          { email: 'nobody@example.com', limit: 3 },
          { email: ada.email, limit: 4 },
        ],
      }),
    );
    expect(made.map(({ target }) => target).sort()).toEqual([ada.id, org.owner.id].sort());
  });

  it('with the caller as its actor, not the owner', async () => {
    const manager = await app.given.user(org, { role: Role.Manager });
    await app.as(manager).put(limits, { users: [{ email: ada.email, limit: 1 }] });
    expect((await entries())[0]).toMatchObject({ actor: { id: manager.id, email: manager.email } });
  });

  it('without actor and request when an operator made the change', async () => {
    await app.nest.get(OperatorCommands).resetControls({ org: org.id });
    const [entry] = await entries();
    expect(entry).toMatchObject({ action: 'enterprise_controls.changed', target: '1', after: {} });
    expect(Object.keys(entry ?? {})).not.toEqual(expect.arrayContaining(['actor']));
    expect(Object.keys(entry ?? {})).not.toEqual(expect.arrayContaining(['requestId']));
  });

  it('never with the secret of an API key', async () => {
    const { body } = await owner.post(apiKeys, { name: 'ci' });
    expect((await owner.get(auditLog)).text).not.toContain(body.key);
  });
});

describe('a change that fails leaves no entry', () => {
  const FAILURES: [what: string, status: number, send: () => Promise<ApiAnswer>][] = [
    ['a user with a taken e-mail', 409, () => owner.post(users, { email: org.owner.email, role: 'member' })],
    ['an invalid user', 400, () => owner.post(users, { email: 'x', role: 'member' })],
    ['a change of the last owner', 409, () => owner.patch(`${users}/${org.owner.id}`, { role: 'member' })],
    ['a user by a member', 403, () => app.as(ada).post(users, { email: 'eve@example.com', role: 'member' })],
    ['controls that are invalid', 400, () => owner.put(controls, { sessionRetentionDays: 1 })],
    ['controls of another revision', 412, () => owner.put(controls, {}, { 'If-Match': '"9"' })],
    ['controls that lock out', 409, () => owner.put(controls, { networkPolicy: { allowedIps: ['203.0.113.1'] } })],
    ['limits that are invalid', 400, () => owner.put(limits, { users: [{ email: ada.email, limit: '1' }] })],
    ['the limit of nobody', 200, () => owner.put(limits, { users: [{ email: 'nobody@example.com', limit: 1 }] })],
    ['a managed computer', 400, () => owner.post(computers, { name: 'x', providerType: 'managed' })],
    ['a computer that is not there', 404, () => owner.delete(`${computers}/${randomUUID()}`)],
    ['a key that is not there', 404, () => owner.delete(`${apiKeys}/${randomUUID()}`)],
  ];

  it.each(FAILURES)('%s: %d', async (_, status, send) => {
    const { answer, entries: made } = await added(send);
    expect([answer.status, made]).toEqual([status, []]);
  });

  it('a computer with a taken name', async () => {
    await registered('taken');
    const id = await registered('free');
    const { entries: made } = await added(() => owner.patch(`${computers}/${id}`, { name: 'TAKEN' }));
    expect(made).toEqual([]);
  });
});

describe('a change and its entry are one', () => {
  afterEach(() => query(app.database.url, `ALTER TABLE audit_log DROP CONSTRAINT IF EXISTS test_full`));

  it.each(CHANGES)('%s does not happen when its entry cannot be written', async (_, prepare) => {
    const { send } = await prepare();
    const state = () =>
      query(
        app.database.url,
        `SELECT (SELECT json_agg(u ORDER BY u.id) FROM (SELECT id, email, role, deactivated_at FROM users) u)::text AS users,
                (SELECT json_agg(k.id ORDER BY k.id) FROM api_keys k)::text AS keys,
                (SELECT json_agg(c ORDER BY c.id) FROM computers c)::text AS computers,
                (SELECT json_agg(l ORDER BY l.user_id) FROM user_credit_limits l)::text AS limits,
                (SELECT count(*) FROM enterprise_controls)::int AS revisions,
                (SELECT count(*) FROM audit_log)::int AS entries`,
      );
    await owner.get('/api/v0/me');
    const before = await state();
    await query(app.database.url, `ALTER TABLE audit_log ADD CONSTRAINT test_full CHECK (false) NOT VALID`);
    const { status } = await send().catch(() => ({ status: 500 })); // a 500 is in no API document
    expect([status, await state()]).toEqual([500, before]);
  });
});

describe('the audit log', () => {
  it.each([Role.Manager, Role.Member, Role.Guest])('is 403 for the role %s', async (role) => {
    const user = await app.given.user(org, { role });
    expect((await app.as(user).get(auditLog)).status).toBe(403);
  });

  it('of another organization is not shown', async () => {
    await registered();
    const other = await app.given.organization();
    const { text } = await app.as(other.owner).get(`${auditLog}?limit=100`);
    expect([org.id, org.owner.id, org.owner.email].filter((mark) => text.includes(mark))).toEqual([]);
  });

  it('is paged newest first to its end, also within one millisecond and while entries are added', async () => {
    for (let i = 0; i < 6; i++) await registered(`computer-${i}`);
    const expected = (await entries()).map(({ target }) => target);
    const seen: string[] = [];
    for (let query = '?limit=4', i = 0; query !== ''; i++) {
      const { body } = await owner.get(auditLog + query);
      seen.push(...body.entries.map((entry: Entry) => entry.target));
      query = body.pagination.hasMore ? `?limit=4&cursor=${body.pagination.nextCursor}` : '';
      await registered(`later-${i}`);
    }
    expect(seen).toEqual(expected);
  });
});
