import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenMessage, givenSession, type GivenSession, storedSession } from '../support/given-session.js';
import { refOf, RelayAgent, says } from '../support/relay-agent.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestApp } from '../support/test-app.js';

const STALE = -32010;

/** Where requests arrive. */
let front: TestApp;
/** Where the agent is connected; it has a single connection to the database, and hears over a line that can be broken. */
let back: TestApp;
let line: TcpProxy;
let org: GivenOrganization;
let ada: GivenUser;
let session: GivenSession;
let agent: RelayAgent;

beforeAll(async () => {
  front = await TestApp.start();
  line = await TcpProxy.start(front.database.url);
  const env = { DATABASE_POOL_SIZE: '1', DATABASE_DIRECT_URL: line.url };
  back = await TestApp.start({ database: front.database, env });
  org = await front.given.organization();
  ada = await front.given.user(org);
});
beforeEach(async () => {
  session = await givenSession(front, ada);
  agent = await RelayAgent.connect(back.url, ada.key, session.computerId);
});
afterEach(async () => {
  await line.heal();
  await agent.end();
});
afterAll(async () => {
  await back.stop();
  await line.stop();
  await front.stop();
});

const interrupt = (on: TestApp) => on.as(ada).post(`${session.path}/interrupt`);

describe('an agent on another replica', () => {
  it('gets the turn of a message that was posted here', async () => {
    const messageId = await givenMessage(front, session, 'Hello');
    expect((await agent.turn()).messageId).toBe(messageId);
  });

  it('has its answers read here', async () => {
    await givenMessage(front, session, 'Hello');
    const turn = await agent.turn();
    await agent.endTurn(turn, 'completed', says('Hi'));
    const { body } = await front.as(ada).get(`${session.path}/messages?limit=1`);
    expect(body.messages[0].content[0].text).toBe('Hi');
  });

  it('works by what was decided here, with one connection to the database', async () => {
    const controls = { commandDenylist: ['rm -rf'] };
    await front.as(org.owner).put('/api/v0/organization/enterprise-controls', controls);
    await givenMessage(front, session, 'Hello');
    expect((await agent.turn()).controls).toEqual(controls);
  });
});

describe.each([
  ['at the replica of its agent', () => back],
  ['at another replica', () => front],
])('an interrupt %s', (_, on) => {
  it('cancels the turn at its agent', async () => {
    await givenMessage(front, session, 'Hello');
    const turn = await agent.turn();
    await interrupt(on());
    await eventually('the cancellation', () => agent.cancelled.length > 0);
    expect(agent.cancelled).toEqual([refOf(turn)]);
  });

  it('makes the agent let go: what it appends is refused', async () => {
    await givenMessage(front, session, 'Hello');
    const turn = await agent.turn();
    await interrupt(on());
    expect((await agent.putRefusal(turn, says('late'))).code).toBe(STALE);
    expect(await agent.renew(turn)).toEqual([refOf(turn)]);
    expect((await storedSession(front, session)).messages).toBe(1);
  });

  it('cancels only the turn of that session', async () => {
    const other = await givenSession(front, ada, session.computerId);
    await givenMessage(front, other, 'a');
    const kept = await agent.turn();
    await givenMessage(front, session, 'b');
    const turn = await agent.turn(1);
    await interrupt(on());
    await eventually('the cancellation', () => agent.cancelled.length > 0);
    expect(agent.cancelled).toEqual([refOf(turn)]);
    await agent.put(kept, says('still at work'));
  });

  it('frees the slot for the next message, which comes behind the cancellation', async () => {
    await givenMessage(front, session, 'a');
    const turn = await agent.turn();
    await interrupt(on());
    await givenMessage(front, session, 'b');
    const next = await agent.turn(1);
    expect(next.content[0]).toMatchObject({ text: 'b' });
    const told = agent.relay.heard.map(({ method, params }) => [method, params.messageId]);
    expect(told).toEqual([
      ['turn.start', turn.messageId],
      ['turn.cancel', turn.messageId],
      ['turn.start', next.messageId],
    ]);
  });

  it('drops the messages that wait', async () => {
    await givenMessage(front, session, 'a');
    await givenMessage(front, session, 'b');
    await agent.turn();
    await interrupt(on());
    await eventually('the cancellation', () => agent.cancelled.length > 0);
    expect((await storedSession(front, session)).turns).toEqual(['ended cancelled', 'ended cancelled']);
    expect(agent.turns).toHaveLength(1);
  });
});

describe('while the replica of the agent gets no notifications', () => {
  it('it looks for turns, and for what became of them, by itself', async () => {
    await line.refuse();
    await givenMessage(front, session, 'Hello');
    const turn = await agent.turn();
    await interrupt(front);
    await eventually('the cancellation', () => agent.cancelled.length > 0);
    expect(agent.cancelled).toEqual([refOf(turn)]);
  });

  it('it notices that a newer connection has taken over elsewhere', async () => {
    await line.refuse();
    const newer = await RelayAgent.connect(front.url, ada.key, session.computerId);
    expect((await agent.relay.untilClosed()).code).toBe(4002);
    await newer.end();
  });
});
