import { randomUUID } from 'node:crypto';
import type { GivenUser } from '../support/given.js';
import {
  givenComputer,
  givenMessage,
  givenSession,
  type GivenSession,
  storedSession,
} from '../support/given-session.js';
import { eventually } from '../support/eventually.js';
import { refOf, RelayAgent } from '../support/relay-agent.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let ada: GivenUser;
let session: GivenSession;

beforeAll(async () => {
  app = await TestApp.start();
  ada = await app.given.user(await app.given.organization());
});
beforeEach(async () => {
  session = await givenSession(app, ada);
});
afterAll(() => app.stop());

const read = async () => (await app.as(ada).get(session.path)).body;
const messages = async () => (await app.as(ada).get(`${session.path}/messages?limit=100`)).body.messages.reverse();
const connect = (options = {}) => RelayAgent.connect(app.url, ada.key, session.computerId, options);
const says = (text: string, id: string = randomUUID()) => ({
  id,
  role: 'assistant',
  content: [{ type: 'text', text }],
});

describe('an agent', () => {
  it('takes a turn, answers and ends it', async () => {
    const agent = await connect();
    const messageId = await givenMessage(app, session, 'Hello');
    const turn = await agent.turn();
    expect(turn).toMatchObject({
      sessionId: session.id,
      messageId,
      attempt: 1,
      content: [{ type: 'text', text: 'Hello' }],
    });
    expect(await read()).toMatchObject({ status: 'running' });
    const answer = says('Hi');
    await agent.relay.call('message.put', { turn: refOf(turn), messages: [answer] });
    await agent.relay.call('turn.end', { turn: refOf(turn), reason: 'completed', messages: [says('Bye')] });
    expect((await messages()).map((m: any) => [m.role, m.content[0].text])).toEqual([
      ['user', 'Hello'],
      ['assistant', 'Hi'],
      ['assistant', 'Bye'],
    ]);
    expect(await read()).toMatchObject({ status: 'idle', messageCount: 3 });
    expect((await storedSession(app, session)).turns).toEqual(['ended completed']);
    agent.relay.end();
  });

  it('is told to stop when its turn is interrupted', async () => {
    const agent = await connect();
    await givenMessage(app, session, 'Hello');
    const turn = await agent.turn();
    await app.as(ada).post(`${session.path}/interrupt`);
    const cancel = await eventually('the cancellation', () => agent.relay.notifications[0]);
    expect(cancel).toEqual({ method: 'turn.cancel', params: refOf(turn) });
    agent.relay.end();
  });

  it('gives way to a newer connection', async () => {
    const older = await connect();
    const newer = await connect();
    expect((await older.relay.untilClosed()).code).toBe(4002);
    expect(newer.relay.closed).toBeNull();
    newer.relay.end();
  });
});

describe('a socket', () => {
  it('is refused for a computer that does not exist', async () => {
    await expect(RelayAgent.connect(app.url, ada.key, await Promise.resolve(randomUUID()))).rejects.toMatchObject({
      status: 404,
    });
    expect(await givenComputer(app, ada)).toBeDefined();
  });
});
