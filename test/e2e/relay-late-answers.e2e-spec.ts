import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { ComputerAgentsService } from '../../src/modules/computers/computer-agents.service.js';
import { TurnsService } from '../../src/modules/turns/turns.service.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenComputer, givenMessage, givenSession } from '../support/given-session.js';
import { agentPath, hello, RelayAgent, says } from '../support/relay-agent.js';
import { RelaySocket } from '../support/relay-socket.js';
import { TestApp } from '../support/test-app.js';

const LATE_MS = 400;

/** What an answer of the database says may have changed by the time that it arrives. */
let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let computerId: string;

beforeAll(async () => {
  app = await TestApp.start();
  org = await app.given.organization();
});
beforeEach(async () => {
  ada = await app.given.user(org);
  computerId = await givenComputer(app, ada);
});
afterAll(() => app.stop());

/** Makes the next answer about running turns a late one. */
function delayNextList(): void {
  const turns = app.nest.get(TurnsService);
  const original = turns.listRunning.bind(turns);
  turns.listRunning = async (agent) => {
    turns.listRunning = original;
    const running = await original(agent);
    await delay(LATE_MS);
    return running;
  };
}

it('a turn that is begun while the running ones are being listed is not taken for one that has ended', async () => {
  const agent = await RelayAgent.connect(app.url, ada.key, computerId);
  const session = await givenSession(app, ada, computerId);
  await givenMessage(app, session, 'a');
  await agent.turn();
  await delay(LATE_MS / 4); // until the agent has been looked after
  delayNextList();
  await givenMessage(app, session, 'behind a');
  await delay(LATE_MS / 4);
  await givenMessage(app, await givenSession(app, ada, computerId), 'b');
  const turn = await agent.turn(1);
  await delay(2 * LATE_MS);
  expect(agent.cancelled).toEqual([]);
  await agent.put(turn, says('at work'));
  await agent.end();
});

it('of two connections, the older one goes even if it is greeted later', async () => {
  const older = await RelaySocket.open(app.url, agentPath(computerId), ada.key);
  delayNextList();
  const greeting = older.call('hello', hello());
  await delay(LATE_MS / 4);
  const newer = await RelayAgent.connect(app.url, ada.key, computerId);
  await greeting;
  expect((await older.untilClosed()).code).toBe(4002);
  expect(newer.relay.closed).toBeNull();
  await newer.end();
});

it('a connection that does not know yet that a newer one has taken over gets no turns', async () => {
  await (await RelayAgent.connect(app.url, ada.key, computerId)).end();
  await givenMessage(app, await givenSession(app, ada, computerId), 'Hello');
  const older = { orgId: org.id, computerId, connectionId: randomUUID() };
  expect(await app.nest.get(TurnsService).startNext(older)).toBeNull();
});

it('a turn that the newer of two connections has begun is not lost by the greeting of the older one', async () => {
  const agents = app.nest.get(ComputerAgentsService);
  const original = agents.connect.bind(agents);
  agents.connect = async (...parameters) => {
    agents.connect = original;
    const connected = await original(...parameters);
    await delay(LATE_MS);
    return connected;
  };
  const older = await RelaySocket.open(app.url, agentPath(computerId), ada.key);
  const greeting = older.call('hello', hello()).catch(() => undefined);
  await delay(LATE_MS / 4);
  const newer = await RelayAgent.connect(app.url, ada.key, computerId);
  await givenMessage(app, await givenSession(app, ada, computerId), 'Hello');
  const turn = await newer.turn();
  await greeting;
  await older.untilClosed();
  await newer.put(turn, says('at work'));
  expect([newer.cancelled, newer.turns.length]).toEqual([[], 1]);
  await newer.end();
});

it('a socket whose credential is revoked while it is being opened does not stay open', async () => {
  const { body } = await app.as(ada).get('/api/v0/api-keys');
  const agents = app.nest.get(ComputerAgentsService);
  const original = agents.requireAgent.bind(agents);
  agents.requireAgent = async (...parameters) => {
    agents.requireAgent = original;
    await original(...parameters);
    await app.as(org.owner).delete(`/api/v0/api-keys/${body.apiKeys[0].id}`);
    await delay(LATE_MS); // the notification has gone by
  };
  const socket = await RelaySocket.open(app.url, agentPath(computerId), ada.key);
  const closed = await eventually('it is closed', () => socket.closed, 1_000);
  expect(closed.code).toBe(4001);
});

it('a turn that is deleted while its session is waited for does not hide those behind it', async () => {
  const [deleted, next] = [await givenSession(app, ada, computerId), await givenSession(app, ada, computerId)];
  await givenMessage(app, deleted, 'a');
  await delay(5);
  await givenMessage(app, next, 'b');
  const client = new pg.Client({ connectionString: app.database.url });
  await client.connect();
  await client.query('BEGIN');
  await client.query('DELETE FROM sessions WHERE id = $1', [deleted.id]);
  const agent = await RelayAgent.connect(app.url, ada.key, computerId);
  await delay(LATE_MS);
  expect(agent.turns).toEqual([]);
  await client.query('COMMIT');
  await client.end();
  expect((await agent.turn()).sessionId).toBe(next.id);
  await agent.end();
});

it('a turn that could not be read is looked for again', async () => {
  const agent = await RelayAgent.connect(app.url, ada.key, computerId);
  const turns = app.nest.get(TurnsService);
  const original = turns.startNext.bind(turns);
  turns.startNext = () => {
    turns.startNext = original;
    return Promise.reject(new Error('timeout exceeded when trying to connect'));
  };
  await givenMessage(app, await givenSession(app, ada, computerId), 'Hello');
  expect((await agent.turn()).attempt).toBe(1);
  await agent.end();
});
