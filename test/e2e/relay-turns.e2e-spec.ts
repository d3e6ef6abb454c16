import { setTimeout as delay } from 'node:timers/promises';
import type { GivenUser } from '../support/given.js';
import {
  givenAccess,
  givenComputer,
  givenMessage,
  givenSession,
  type GivenSession,
  storedSession,
} from '../support/given-session.js';
import { eventually } from '../support/eventually.js';
import { agentPath, hello, RelayAgent, says } from '../support/relay-agent.js';
import { RelaySocket } from '../support/relay-socket.js';
import { TestApp } from '../support/test-app.js';

/** Long enough for a turn that should not come to have come. */
const MOMENT_MS = 300;

let app: TestApp;
let ada: GivenUser;
let computerId: string;
let agents: RelayAgent[] = [];

beforeAll(async () => {
  app = await TestApp.start();
  ada = await app.given.user(await app.given.organization());
});
beforeEach(async () => {
  computerId = await givenComputer(app, ada);
});
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.end()));
  agents = [];
});
afterAll(() => app.stop());

const session = () => givenSession(app, ada, computerId);
const post = (to: GivenSession, text: string) => givenMessage(app, to, text);
const statusOf = async ({ path }: GivenSession) => (await app.as(ada).get(path)).body.status;
const connect = async (options: { slots?: number } = {}) => {
  const agent = await RelayAgent.connect(app.url, ada.key, computerId, options);
  agents.push(agent);
  return agent;
};
const words = (agent: RelayAgent) => agent.turns.map(({ content }) => content[0]?.text);

describe('a posted message', () => {
  it('reaches the connected agent as a turn', async () => {
    const agent = await connect();
    const { id, ...rest } = await session();
    const messageId = await post({ id, ...rest }, 'Hello');
    expect(await agent.turn()).toMatchObject({
      sessionId: id,
      messageId,
      attempt: 1,
      content: [{ type: 'text', text: 'Hello' }],
    });
  });

  it('waits for an agent to connect, without limit', async () => {
    const one = await session();
    await post(one, 'Hello');
    expect(await statusOf(one)).toBe('pending');
    expect((await (await connect()).turn()).sessionId).toBe(one.id);
  });

  it('is not given to an agent that has not said hello', async () => {
    await post(await session(), 'Hello');
    const silent = await RelaySocket.open(app.url, agentPath(computerId), ada.key);
    await delay(MOMENT_MS);
    expect(silent.heard).toEqual([]);
    await silent.call('hello', hello());
    await eventually('the turn', () => silent.heard[0]);
    await silent.end();
  });

  it('is not given to the agent of another computer', async () => {
    const other = await RelayAgent.connect(app.url, ada.key, await givenComputer(app, ada));
    agents.push(other);
    await post(await session(), 'Hello');
    await (await connect()).turn();
    expect(other.turns).toEqual([]);
  });

  it('is given to the computer to which it moved its session', async () => {
    const one = await session();
    const elsewhere = await givenComputer(app, ada);
    const agent = await RelayAgent.connect(app.url, ada.key, elsewhere);
    agents.push(agent);
    await app.as(ada).post(`${one.path}/messages`, { text: 'Hello', computerId: elsewhere });
    expect((await agent.turn()).sessionId).toBe(one.id);
  });

  it('of another user reaches the agent of the computer that both use', async () => {
    const bob = await app.given.user({ ...(await app.given.organization()), id: ada.orgId });
    const agent = await connect();
    await givenAccess(app, ada, computerId, { access: 'organization' });
    const theirs = await givenSession(app, bob, computerId);
    await givenMessage(app, theirs, 'Hello');
    expect(await agent.turn()).toMatchObject({ sessionId: theirs.id, userId: bob.id });
  });
});

describe('turns', () => {
  it('are given oldest first, whatever session they belong to', async () => {
    const [first, second, third] = [await session(), await session(), await session()];
    await post(second, 'a');
    await delay(5);
    await post(third, 'b');
    await delay(5);
    await post(first, 'c');
    const agent = await connect({ slots: 1 });
    for (let i = 0; i < 3; i++) await agent.endTurn(await agent.turn(i));
    expect(words(agent)).toEqual(['a', 'b', 'c']);
  });

  it('of one session are given one at a time, in the order of their messages', async () => {
    const one = await session();
    for (const text of ['a', 'b', 'c']) await post(one, text);
    const agent = await connect({ slots: 4 });
    for (let i = 0; i < 3; i++) {
      const turn = await agent.turn(i);
      await delay(i === 0 ? MOMENT_MS : 0);
      expect(agent.turns).toHaveLength(i + 1);
      await agent.endTurn(turn);
    }
    expect(words(agent)).toEqual(['a', 'b', 'c']);
  });

  it('that arrive while one runs wait for its end', async () => {
    const agent = await connect();
    const one = await session();
    await post(one, 'a');
    const turn = await agent.turn();
    await post(one, 'b');
    await delay(MOMENT_MS);
    expect(words(agent)).toEqual(['a']);
    await agent.endTurn(turn);
    expect((await agent.turn(1)).content[0]).toMatchObject({ text: 'b' });
  });

  it('of several sessions run at the same time, as many as the agent has slots', async () => {
    const agent = await connect({ slots: 2 });
    for (const text of ['a', 'b', 'c']) await post(await session(), text);
    await agent.turn(1);
    await delay(MOMENT_MS);
    expect(words(agent)).toEqual(['a', 'b']);
    await agent.endTurn(await agent.turn(0));
    expect((await agent.turn(2)).content[0]).toMatchObject({ text: 'c' });
  });

  it('that wait behind a running one do not keep those of other sessions waiting', async () => {
    const agent = await connect({ slots: 2 });
    const one = await session();
    await post(one, 'a');
    await agent.turn();
    await post(one, 'b');
    await post(await session(), 'c');
    expect((await agent.turn(1)).content[0]).toMatchObject({ text: 'c' });
  });

  it('that an agent kept when it came back count for its slots', async () => {
    const agent = await connect({ slots: 1 });
    await post(await session(), 'a');
    const { sessionId, messageId, attempt } = await agent.turn();
    await agent.end();
    const turns = [{ sessionId, messageId, attempt }];
    const again = await RelayAgent.connect(app.url, ada.key, computerId, { slots: 1, turns });
    agents = [again];
    await post(await session(), 'b');
    await delay(MOMENT_MS);
    expect(again.turns).toEqual([]);
  });

  it('are given once, however many messages arrive at once', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, session));
    const agent = await connect({ slots: 10 });
    await Promise.all(sessions.flatMap((one) => ['a', 'b', 'c'].map((text) => post(one, text))));
    for (let i = 0; i < 15; i++) await agent.endTurn(await agent.turn(i));
    expect(new Set(agent.turns.map(({ messageId }) => messageId)).size).toBe(15);
    expect(agent.cancelled).toEqual([]);
    for (const one of sessions) expect((await storedSession(app, one)).turns).toEqual(Array(3).fill('ended completed'));
  });
});

describe('the status of a session', () => {
  const read = async ({ path }: GivenSession) => (await app.as(ada).get(path)).body;

  it('goes from idle over pending and running back to idle', async () => {
    const one = await session();
    const statuses = [await statusOf(one)];
    await post(one, 'Hello');
    statuses.push(await statusOf(one));
    const agent = await connect();
    const turn = await agent.turn();
    statuses.push(await statusOf(one));
    await agent.endTurn(turn);
    statuses.push(await statusOf(one));
    expect(statuses).toEqual(['idle', 'pending', 'running', 'idle']);
  });

  it('is pending between two turns', async () => {
    const agent = await connect({ slots: 1 });
    const one = await session();
    const other = await session();
    await post(one, 'a');
    const turn = await agent.turn();
    await post(other, 'b');
    await delay(5);
    await post(one, 'c');
    expect(await statusOf(one)).toBe('running');
    await agent.endTurn(turn);
    await agent.turn(1);
    expect([await statusOf(one), await statusOf(other)]).toEqual(['pending', 'running']);
  });

  it('goes with completedAt: the end of the last turn, cleared while one runs', async () => {
    const agent = await connect();
    const one = await session();
    await post(one, 'a');
    await agent.endTurn(await agent.turn());
    const { completedAt } = await read(one);
    expect(completedAt).toBeLessThanOrEqual(Date.now());
    await post(one, 'b');
    const turn = await agent.turn(1);
    expect(await read(one)).not.toHaveProperty('completedAt');
    await agent.endTurn(turn);
    expect((await read(one)).completedAt).toBeGreaterThanOrEqual(completedAt);
  });

  it('changes without a change to its title, its settings or its computer', async () => {
    const agent = await connect();
    const one = await session();
    await post(one, 'Fix the test');
    const turn = await agent.turn();
    const { title, sessionSettings } = await read(one);
    await agent.endTurn(turn, 'completed', says('Done'));
    expect(title).toBe('Fix the test');
    expect(await read(one)).toMatchObject({ title, sessionSettings, computerId });
  });
});
