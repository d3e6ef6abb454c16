import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import type { GivenUser } from '../support/given.js';
import { givenComputer, givenMessage, givenSession, storedSession } from '../support/given-session.js';
import { agentPath, hello, refOf, RelayAgent } from '../support/relay-agent.js';
import { RelaySocket } from '../support/relay-socket.js';
import { TestApp } from '../support/test-app.js';

const INVALID_REQUEST = -32600;
const INVALID = -32602;
const NO_HELLO = -32011;
const MOMENT_MS = 300;

let app: TestApp;
let replica: TestApp;
let ada: GivenUser;
let computerId: string;

beforeAll(async () => {
  app = await TestApp.start();
  replica = await TestApp.start({ database: app.database });
  ada = await app.given.user(await app.given.organization());
});
beforeEach(async () => {
  computerId = await givenComputer(app, ada);
});
afterAll(async () => {
  await replica.stop();
  await app.stop();
});

const connect = (options: Parameters<typeof RelayAgent.connect>[3] = {}, on = app) =>
  RelayAgent.connect(on.url, ada.key, computerId, options);
const open = (on = app) => RelaySocket.open(on.url, agentPath(computerId), ada.key);
const byes = ({ notifications }: RelaySocket) => notifications.filter(({ method }) => method === 'bye');

describe.each([
  ['the same replica', () => app],
  ['another replica', () => replica],
])('a newer connection on %s', (_, second) => {
  it('takes over: the older one is told why and closed', async () => {
    const older = await connect();
    const newer = await connect({}, second());
    const reason = 'A newer connection speaks for this computer.';
    expect(await older.relay.untilClosed()).toEqual({ code: 4002, reason });
    expect(byes(older.relay)).toEqual([{ method: 'bye', params: { reason } }]);
    await delay(MOMENT_MS);
    expect(newer.relay.closed).toBeNull();
    await newer.end();
  });

  it('gets the turns from then on', async () => {
    const older = await connect();
    const newer = await connect({}, second());
    await givenMessage(app, await givenSession(app, ada, computerId), 'Hello');
    await newer.turn();
    expect(older.turns).toEqual([]);
    await newer.end();
  });

  it('can go on with the turns of the older one', async () => {
    const older = await connect();
    const session = await givenSession(app, ada, computerId);
    await givenMessage(app, session, 'Hello');
    const turn = await older.turn();
    const newer = await connect({ turns: [refOf(turn)] }, second());
    expect(newer.greeting.lostTurns).toEqual([]);
    await newer.endTurn(turn);
    expect((await storedSession(app, session)).turns).toEqual(['ended completed']);
    await newer.end();
  });

  it('leaves one alone when both come at once', async () => {
    for (let i = 0; i < 5; i++) {
      const sockets = await Promise.all([open(), open(second()), open()]);
      await Promise.allSettled(sockets.map((socket) => socket.call('hello', hello())));
      await eventually(
        'the others are closed',
        () => sockets.filter(({ closed }) => closed?.code === 4002).length === 2,
      );
      await Promise.all(sockets.filter(({ closed }) => !closed).map((socket) => socket.end()));
    }
  });
});

describe('a connection that has been told to go', () => {
  it('is not heard any more, however long it takes to hang up', async () => {
    const session = await givenSession(app, ada, computerId);
    const older = await connect();
    await givenMessage(app, session, 'Hello');
    const turn = refOf(await older.turn());
    older.relay.socket.pause(); // it does not read the request to close, so it does not close
    const newer = await connect({ turns: [turn] });
    await delay(MOMENT_MS);
    older.relay.socket.send(
      JSON.stringify({ jsonrpc: '2.0', id: 99, method: 'turn.end', params: { turn, reason: 'error' } }),
    );
    await delay(MOMENT_MS);
    expect((await storedSession(app, session)).turns).toEqual(['running']);
    older.relay.socket.resume();
    await older.relay.untilClosed();
    await newer.end();
  });
});

describe('hello', () => {
  it('has to come first', async () => {
    const socket = await open();
    expect((await socket.refusal('turn.renew', { turns: [] })).code).toBe(NO_HELLO);
    await socket.call('hello', hello());
    expect(await socket.call('turn.renew', { turns: [] })).toEqual({ lostTurns: [] });
    await socket.end();
  });

  it('is said once', async () => {
    const agent = await connect();
    expect((await agent.relay.refusal('hello', hello())).code).toBe(INVALID_REQUEST);
    expect(await agent.renew()).toEqual([]);
    await agent.end();
  });

  it.each([
    ['the next protocol', { ...hello(), protocol: 2 }],
    ['a protocol that looks quite different', { protocol: 7, greetings: 'from the future' }],
  ])('in %s is refused, and the socket closed', async (_, params) => {
    const socket = await open();
    const { code, message } = await socket.refusal('hello', params);
    expect([code, message]).toEqual([INVALID, 'protocol: this service speaks 1']);
    expect((await socket.untilClosed()).code).toBe(4004);
  });

  it('in another protocol does not push out the agent that is there', async () => {
    const agent = await connect();
    await (await open()).refusal('hello', { ...hello(), protocol: 2 });
    await delay(MOMENT_MS);
    expect(agent.relay.closed).toBeNull();
    await agent.end();
  });
});

describe('deleting a computer', () => {
  it.each([
    ['the same replica', () => app],
    ['another replica', () => replica],
  ])('closes the socket of its agent on %s', async (_, on) => {
    const agent = await connect({}, on());
    expect((await app.as(ada).delete(`/api/v0/computers/${computerId}`)).status).toBe(204);
    expect(await agent.relay.untilClosed()).toMatchObject({ code: 4003, reason: 'The computer was deleted.' });
    await expect(connect()).rejects.toMatchObject({ status: 404 });
  });

  it('closes a socket on which nobody has said hello yet', async () => {
    const socket = await open();
    await app.as(ada).delete(`/api/v0/computers/${computerId}`);
    expect((await socket.untilClosed()).code).toBe(4003);
  });
});

describe('the status of a computer', () => {
  const computer = async () => (await app.as(ada).get(`/api/v0/computers/${computerId}`)).body;
  const connectStep = async () => (await computer()).provisioningSteps[1];

  it('is provisioning until its agent says hello, then active', async () => {
    expect(await computer()).toMatchObject({ status: 'provisioning' });
    expect(await connectStep()).toMatchObject({ id: 'connect-agent', status: 'pending' });
    const socket = await open();
    expect((await computer()).status).toBe('provisioning');
    await socket.call('hello', hello({ hostname: 'laptop.local' }));
    expect(await computer()).toMatchObject({ status: 'active', hostname: 'laptop.local' });
    const step = await connectStep();
    expect(step).toMatchObject({ id: 'connect-agent', status: 'completed' });
    expect(step.completedAt).toBeGreaterThanOrEqual(step.startedAt);
    await socket.end();
  });

  it('stays active when the agent goes and comes back', async () => {
    await (await connect()).end();
    const before = await computer();
    expect(before.status).toBe('active');
    const agent = await connect();
    expect(await computer()).toEqual(before);
    await agent.end();
  });

  it('is error while the agent cannot work, with its reason', async () => {
    const agent = await connect({ problem: 'The command "acme" was not found.' });
    expect((await computer()).status).toBe('error');
    const step = await connectStep();
    expect(step).toMatchObject({ status: 'failed', error: 'The command "acme" was not found.' });
    expect(step).not.toHaveProperty('completedAt');
    await agent.end();
  });

  it('is active again when the agent comes back without its problem', async () => {
    await (await connect({ problem: 'Nothing works.' })).end();
    const agent = await connect();
    expect((await computer()).status).toBe('active');
    const step = await connectStep();
    expect(step).toMatchObject({ status: 'completed' });
    expect(step).not.toHaveProperty('error');
    await agent.end();
  });

  it('error means that its agent gets no turns: neither those that wait nor new ones', async () => {
    const session = await givenSession(app, ada, computerId);
    await givenMessage(app, session, 'before');
    const agent = await connect({ problem: 'Nothing works.' });
    await givenMessage(app, session, 'after');
    await delay(MOMENT_MS);
    expect([agent.turns, (await storedSession(app, session)).turns]).toEqual([[], ['queued', 'queued']]);
    await agent.end();
  });
});
