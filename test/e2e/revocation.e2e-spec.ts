import { setTimeout as delay } from 'node:timers/promises';
import { Role } from '../../src/common/access/role.enum.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';
import { statusWithin } from '../support/within.js';

/** What the service promises: a change holds on every replica after this time. */
const PROMISE_MS = 1_000;
const users = '/api/v0/organization/users';
const TERMINATE_LINES = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'agent-platform notifications'`;

let first: TestApp;
/** Hears the first over a line that can be broken. */
let second: TestApp;
let line: TcpProxy;
let org: GivenOrganization;

beforeAll(async () => {
  first = await TestApp.start();
  line = await TcpProxy.start(first.database.url);
  second = await TestApp.start({ database: first.database, env: { DATABASE_DIRECT_URL: line.url } });
  org = await first.given.organization();
});
afterAll(async () => {
  await second.stop();
  await line.stop();
  await first.stop();
});

interface KnownUser {
  readonly user: GivenUser;
  readonly keyId: string;
}

/** A member whom the second replica has seen often enough to answer from what it remembers. */
async function knownUser(): Promise<KnownUser> {
  const user = await first.given.user(org);
  for (let i = 0; i < 4; i++) await second.as(user).get('/api/v0/me');
  const { body } = await second.as(user).get('/api/v0/api-keys');
  return { user, keyId: body.apiKeys[0].id };
}

interface Change {
  readonly what: string;
  readonly expected: number;
  readonly apply: (known: KnownUser) => Promise<{ status: number }>;
}

const changes: Change[] = [
  {
    what: 'a revoked key',
    expected: 401,
    apply: ({ keyId }) => first.as(org.owner).delete(`/api/v0/api-keys/${keyId}`),
  },
  {
    what: 'a deactivated user',
    expected: 401,
    apply: ({ user }) => first.as(org.owner).delete(`${users}/${user.id}`),
  },
  {
    what: 'a user who became a guest',
    expected: 403,
    apply: ({ user }) => first.as(org.owner).patch(`${users}/${user.id}`, { role: 'guest' }),
  },
];

/** What the second replica answers a known user once the change on the first is a second old. */
async function statusAfter(change: Change, known: KnownUser): Promise<number> {
  const { status } = await change.apply(known);
  if (status >= 300) throw new Error(`The change was refused: ${status}`);
  return statusWithin(PROMISE_MS, change.expected, () => second.as(known.user).get('/api/v0/api-keys'));
}

async function lineIsUp(): Promise<void> {
  const sql = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'agent-platform notifications' AND query = 'SELECT 1'`;
  while ((await query(first.database.url, sql)).length < 2) await delay(50);
  await delay(350); // until the next sign of life
}

describe('on another replica that knows the credential', () => {
  it.each(changes)('$what is refused within a second', async (change) => {
    expect(await statusAfter(change, await knownUser())).toBe(change.expected);
  });

  it('a user who became a manager is let in within a second', async () => {
    const guest = await first.given.user(org, { role: Role.Guest });
    await second.as(guest).get('/api/v0/me');
    await first.as(org.owner).patch(`${users}/${guest.id}`, { role: 'manager' });
    const status = await statusWithin(PROMISE_MS, 200, () => second.as(guest).get('/api/v0/api-keys'));
    expect(status).toBe(200);
  });

  it.each(changes)('others of the organization are not disturbed by $what', async (change) => {
    const { user } = await knownUser();
    await statusAfter(change, await knownUser());
    expect((await second.as(user).get('/api/v0/api-keys')).status).toBe(200);
  });
});

describe('on the replica where the change was made', () => {
  it.each(changes)('$what is refused within a second', async ({ expected, apply }) => {
    const known = await knownUser();
    await first.as(known.user).get('/api/v0/api-keys');
    await apply(known);
    const status = await statusWithin(PROMISE_MS, expected, () => first.as(known.user).get('/api/v0/api-keys'));
    expect(status).toBe(expected);
  });
});

describe.each<[string, () => unknown]>([
  ['that was just cut off from notifications', () => query(first.database.url, TERMINATE_LINES)],
  ['that stays cut off from notifications', () => line.refuse()],
  ['whose connection for notifications has gone silent', () => line.blackHole()],
])('on another replica %s', (_what, disturb) => {
  const statuses = new Map<Change, number>();
  let bystander: KnownUser;

  beforeAll(async () => {
    await lineIsUp();
    bystander = await knownUser();
    const known = await Promise.all(changes.map(() => knownUser()));
    await disturb();
    const afterChange = changes.map((change, i) => statusAfter(change, known[i] ?? bystander));
    for (const [i, status] of (await Promise.all(afterChange)).entries()) {
      const change = changes[i];
      if (change) statuses.set(change, status);
    }
  });
  afterAll(() => line.heal());

  it.each(changes)('$what is refused within a second', (change) => {
    expect(statuses.get(change)).toBe(change.expected);
  });

  it('others go on working', async () => {
    expect((await second.as(bystander.user).get('/api/v0/api-keys')).status).toBe(200);
  });

  it('changes are heard again once the line is back', async () => {
    await line.heal();
    await lineIsUp();
    const [revoked] = changes;
    if (revoked) expect(await statusAfter(revoked, bystander)).toBe(revoked.expected);
  });
});
