import { setTimeout as delay } from 'node:timers/promises';
import { SystemClock } from '../../src/common/time/clock.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenAccess, givenComputer, givenMessage, givenSession, storedSession } from '../support/given-session.js';
import { agentPath, RelayAgent } from '../support/relay-agent.js';
import { clientPath } from '../support/relay-client.js';
import { Refused, RelaySocket } from '../support/relay-socket.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestApp } from '../support/test-app.js';

/** What the service promises, and what the machine may need on top. */
const PROMISE_MS = 1_000;
const MOMENT_MS = 400;
const USERS = '/api/v0/organization/users';

/** Lets a test move time forward without waiting for it. */
class ShiftedClock extends SystemClock {
  shiftMs = 0;

  override now(): Date {
    return new Date(super.now().getTime() + this.shiftMs);
  }
}

const clock = new ShiftedClock();
let app: TestApp;
let replica: TestApp;
let line: TcpProxy;
let org: GivenOrganization;
let ada: GivenUser;
let computerId: string;

beforeAll(async () => {
  app = await TestApp.start({ clock });
  line = await TcpProxy.start(app.database.url);
  replica = await TestApp.start({ clock, database: app.database, env: { DATABASE_DIRECT_URL: line.url } });
  org = await app.given.organization();
});
beforeEach(async () => {
  ada = await app.given.user(org);
  computerId = await givenComputer(app, ada);
});
afterEach(() => line.heal());
afterAll(async () => {
  await replica.stop();
  await line.stop();
  await app.stop();
});

const keyId = async (user: GivenUser) => (await app.as(user).get('/api/v0/api-keys')).body.apiKeys[0].id;
const openBoth = (on: TestApp, key = ada.key, computer = computerId) =>
  Promise.all([agentPath, clientPath].map((path) => RelaySocket.open(on.url, path(computer), key)));
const newToken = () => app.as(ada).post(`/api/v0/computers/${computerId}/token`);

const CHANGES: [string, () => Promise<{ status: number }>][] = [
  ['its key is revoked', async () => app.as(org.owner).delete(`/api/v0/api-keys/${await keyId(ada)}`)],
  ['its user is deactivated', () => app.as(org.owner).delete(`${USERS}/${ada.id}`)],
  ['the role of its user changes', () => app.as(org.owner).patch(`${USERS}/${ada.id}`, { role: 'manager' })],
];

const ENDS_OF_TOKENS: [string, () => Promise<{ status: number }>][] = [
  ['there is a newer token', newToken],
  ['its user is deactivated', () => app.as(org.owner).delete(`${USERS}/${ada.id}`)],
  [
    'its computer is given to somebody else',
    () => app.as(org.owner).put(`/api/v0/computers/${computerId}/access`, { registeredBy: org.owner.id }),
  ],
];

describe.each<[string, () => TestApp, () => unknown]>([
  ['on the same replica', () => app, () => undefined],
  ['on another replica', () => replica, () => undefined],
  ['on a replica that gets no notifications', () => replica, () => line.refuse()],
  ['on a replica whose connection for notifications is silent', () => replica, () => line.blackHole()],
])('a socket %s', (_, on, disturb) => {
  it.each(CHANGES)('is closed within a second when %s', async (_what, change) => {
    const sockets = await openBoth(on());
    await disturb();
    expect((await change()).status).toBeLessThan(300);
    const changedAt = performance.now();
    for (const socket of sockets) {
      const { code, reason } = await socket.untilClosed();
      expect([code, reason]).toEqual([4001, 'The credential was revoked or has changed.']);
      expect(socket.notifications.at(-1)).toEqual({ method: 'bye', params: { reason } });
    }
    expect(performance.now() - changedAt).toBeLessThan(PROMISE_MS + MOMENT_MS);
  });

  it.each(ENDS_OF_TOKENS)('that a computer token opened is closed within a second when %s', async (_what, end) => {
    const { token } = (await newToken()).body;
    const socket = await RelaySocket.open(on().url, agentPath(computerId), token);
    await disturb();
    expect((await end()).status).toBeLessThan(300);
    const endedAt = performance.now();
    expect((await socket.untilClosed()).code).toBe(4001);
    expect(performance.now() - endedAt).toBeLessThan(PROMISE_MS + MOMENT_MS);
    await eventually('it opens nothing any more', async () => {
      const again = await RelaySocket.open(on().url, agentPath(computerId), token).catch((error: unknown) => error);
      if (again instanceof RelaySocket) await again.end();
      return again instanceof Refused && again.status === 401;
    });
  });

  it('of somebody else stays open', async () => {
    const bystander = await app.given.user(org, { role: org.owner.role });
    const sockets = await openBoth(on(), bystander.key, await givenComputer(app, bystander));
    await disturb();
    await app.as(org.owner).delete(`${USERS}/${ada.id}`);
    await delay(PROMISE_MS);
    expect(sockets.map(({ closed }) => closed)).toEqual([null, null]);
    await Promise.all(sockets.map((socket) => socket.end()));
  });
});

describe('a socket whose credential is over', () => {
  it('is closed when its key expires', async () => {
    const expiresAt = new Date(clock.now().getTime() + 60_000).toISOString();
    const { body } = await app.as(ada).post('/api/v0/api-keys', { name: 'short', expiresAt });
    const sockets = await openBoth(app, body.key);
    await delay(PROMISE_MS);
    expect(sockets.map(({ closed }) => closed)).toEqual([null, null]);
    clock.shiftMs += 61_000;
    for (const socket of sockets) {
      expect(await socket.untilClosed()).toEqual({ code: 4001, reason: 'The credential has expired.' });
    }
  });

  it('gets no further turn, even if it does not hang up', async () => {
    await givenAccess(app, ada, computerId, { access: 'organization' });
    const session = await givenSession(app, org.owner, computerId);
    const agent = await RelayAgent.connect(app.url, ada.key, computerId);
    agent.relay.socket.pause();
    await app.as(org.owner).delete(`${USERS}/${ada.id}`);
    await delay(MOMENT_MS);
    await givenMessage(app, session, 'Hello');
    await delay(MOMENT_MS);
    expect((await storedSession(app, session)).turns).toEqual(['queued']);
    agent.relay.socket.resume();
    await agent.relay.untilClosed();
  });
});

describe('when the service stops', () => {
  it('sockets are closed and told to come again', async () => {
    const stopping = await TestApp.start({ clock, database: app.database });
    const sockets = await openBoth(stopping);
    await stopping.stop();
    for (const socket of sockets) {
      expect(await socket.untilClosed()).toEqual({ code: 1001, reason: 'The service stops.' });
      expect(socket.notifications).toEqual([{ method: 'bye', params: { reason: 'The service stops.' } }]);
    }
  });

  it('a turn that runs can be gone on with elsewhere', async () => {
    const stopping = await TestApp.start({ clock, database: app.database });
    const agent = await RelayAgent.connect(stopping.url, ada.key, computerId);
    const session = await givenSession(app, ada, computerId);
    await givenMessage(app, session, 'Hello');
    const { sessionId, messageId, attempt } = await agent.turn();
    await stopping.stop();
    const turns = [{ sessionId, messageId, attempt }];
    const again = await RelayAgent.connect(app.url, ada.key, computerId, { turns });
    expect(again.greeting.lostTurns).toEqual([]);
    await again.endTurn({ sessionId, messageId, attempt });
    expect((await storedSession(app, session)).turns).toEqual(['ended completed']);
    await again.end();
  });
});
