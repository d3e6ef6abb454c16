import { RpcError } from '../../src/protocol/json-rpc.js';
import { eventually } from '../support/eventually.js';
import type { GivenUser } from '../support/given.js';
import { givenMessage, givenSession, type GivenSession, storedSession } from '../support/given-session.js';
import { hurry } from '../support/hurry.js';
import { refOf, RelayAgent, toolSays } from '../support/relay-agent.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let ada: GivenUser;
let session: GivenSession;
let agent: RelayAgent;

beforeAll(async () => {
  app = await TestApp.start();
  ada = await app.given.user(await app.given.organization());
});
beforeEach(async () => {
  session = await givenSession(app, ada);
});
afterEach(() => agent.end());
afterAll(() => app.stop());

const connect = async (options: Parameters<typeof RelayAgent.connect>[3] = {}) =>
  (agent = await RelayAgent.connect(app.url, ada.key, session.computerId, options));
const turns = async () => (await storedSession(app, session)).turns;
const isIdle = () => eventually('idle', async () => (await app.as(ada).get(session.path)).body.status === 'idle');

describe('a turn that the agent abandons', () => {
  it('is offered once more, then ends with an error', async () => {
    await connect();
    await givenMessage(app, session, 'Hello');
    await agent.abandon(await agent.turn());
    const second = await agent.turn(1);
    expect(second.attempt).toBe(2);
    await agent.abandon(second);
    expect(await turns()).toEqual(['ended process_exit']);
    const { body } = await app.as(ada).get(`${session.path}/messages?limit=1`);
    expect(body.messages[0]).toMatchObject({ role: 'assistant', isError: true });
  });

  it('ends at once when a tool was at work', async () => {
    await connect();
    await givenMessage(app, session, 'Hello');
    const turn = await agent.turn();
    await agent.put(turn, toolSays('rm -rf'));
    await agent.abandon(turn);
    expect(await turns()).toEqual(['ended process_exit']);
  });

  it('may be one that has ended already', async () => {
    await connect();
    await givenMessage(app, session, 'Hello');
    const turn = await agent.turn();
    await agent.endTurn(turn);
    await agent.abandon(turn);
    expect(await turns()).toEqual(['ended completed']);
  });
});

describe('a turn that the agent refuses to take', () => {
  it('is offered once more, then ends with an error', async () => {
    await connect({ onRequest: () => Promise.reject(new RpcError(-32000, 'no room')) });
    await givenMessage(app, session, 'Hello');
    await isIdle();
    expect(agent.turns.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(await turns()).toEqual(['ended process_exit']);
  });
});

describe('a turn that the agent never acknowledges', () => {
  let stopHurrying: () => void = () => undefined;
  afterEach(() => stopHurrying());

  it('is offered once more after ten seconds', async () => {
    stopHurrying = hurry('setTimeout', { fromMs: 10_000, toMs: 100 });
    await connect({ onRequest: () => new Promise(() => undefined) });
    await givenMessage(app, session, 'Hello');
    const turn = await agent.turn();
    const second = await eventually('the second attempt', () => agent.turns[1]);
    expect([turn.attempt, second.attempt]).toEqual([1, 2]);
    expect(refOf(second)).toEqual({ ...refOf(turn), attempt: 2 });
  });

  it('is left alone when the socket closes before: the agent may have it', async () => {
    await connect({ onRequest: () => new Promise(() => undefined) });
    await givenMessage(app, session, 'Hello');
    const turn = await agent.turn();
    await agent.end();
    await connect({ turns: [refOf(turn)] });
    expect(agent.greeting.lostTurns).toEqual([]);
    await agent.endTurn(turn);
    expect(await turns()).toEqual(['ended completed']);
  });
});
