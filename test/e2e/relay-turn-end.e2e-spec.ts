import { END_REASONS, type TurnStart } from '../../src/protocol/relay-protocol.js';
import type { GivenUser } from '../support/given.js';
import { givenMessage, givenSession, type GivenSession, storedSession } from '../support/given-session.js';
import { ManualClock } from '../support/manual-clock.js';
import { refOf, RelayAgent, says } from '../support/relay-agent.js';
import { TestApp } from '../support/test-app.js';

const STALE = -32010;
const INVALID = -32602;
const clock = new ManualClock('2026-11-15T08:30:00.000Z');

let app: TestApp;
let ada: GivenUser;
let session: GivenSession;
let agent: RelayAgent;
let turn: TurnStart;

beforeAll(async () => {
  app = await TestApp.start({ clock });
  ada = await app.given.user(await app.given.organization());
});
beforeEach(async () => {
  session = await givenSession(app, ada);
  agent = await RelayAgent.connect(app.url, ada.key, session.computerId);
  await givenMessage(app, session, 'Hello');
  turn = await agent.turn();
});
afterEach(() => agent.end());
afterAll(() => app.stop());

const read = async () => (await app.as(ada).get(session.path)).body;
const texts = async () => {
  const { body } = await app.as(ada).get(`${session.path}/messages?limit=100`);
  return (body.messages as { content: { text: string }[] }[]).reverse().map(({ content }) => content[0]?.text);
};

describe('the end of a turn', () => {
  it.each(END_REASONS)('is stored with the reason %s', async (reason) => {
    await agent.endTurn(turn, reason);
    expect((await storedSession(app, session)).turns).toEqual([`ended ${reason}`]);
    expect(await read()).toMatchObject({ status: 'idle', completedAt: clock.now().getTime() });
  });

  it('brings the last messages with it', async () => {
    const message = says('Working');
    await agent.put(turn, message);
    await agent.endTurn(turn, 'completed', says('Worked', message.id), says('Bye'));
    expect(await texts()).toEqual(['Hello', 'Worked', 'Bye']);
    expect(await read()).toMatchObject({ status: 'idle', messageCount: 3 });
  });

  it('does not come without its last messages', async () => {
    const last = [says('fine'), says('not mine to change', turn.messageId)];
    const params = { turn: refOf(turn), reason: 'completed', messages: last };
    expect((await agent.relay.refusal('turn.end', params)).code).toBe(INVALID);
    expect(await read()).toMatchObject({ status: 'running', messageCount: 1 });
  });

  it('changes nothing when it is said again', async () => {
    const last = says('Bye');
    await agent.endTurn(turn, 'completed', last);
    const before = [await read(), await storedSession(app, session)];
    clock.advance(1);
    await agent.endTurn(turn, 'completed', last);
    await agent.endTurn(turn, 'error', says('something else'));
    expect([await read(), await storedSession(app, session)]).toEqual(before);
  });

  it('is refused for another attempt', async () => {
    const params = { turn: { ...refOf(turn), attempt: 2 }, reason: 'completed' };
    expect((await agent.relay.refusal('turn.end', params)).code).toBe(STALE);
    expect(await read()).toMatchObject({ status: 'running' });
  });

  it('needs a reason that is known', async () => {
    const { code, message } = await agent.relay.refusal('turn.end', { turn: refOf(turn), reason: 'tired' });
    expect([code, message]).toEqual([INVALID, expect.stringContaining('reason')]);
  });

  it('lets the next message of the session have its turn', async () => {
    await givenMessage(app, session, 'Next');
    await agent.endTurn(turn);
    const next = await agent.turn(1);
    expect(next.content[0]).toMatchObject({ text: 'Next' });
    expect(await read()).toMatchObject({ status: 'running' });
    await agent.endTurn(next);
    expect((await storedSession(app, session)).turns).toEqual(['ended completed', 'ended completed']);
  });

  it('after an interrupt changes nothing: the turn has ended already', async () => {
    await app.as(ada).post(`${session.path}/interrupt`);
    const before = await storedSession(app, session);
    await agent.endTurn(turn, 'completed', says('too late'));
    expect(await storedSession(app, session)).toEqual(before);
  });
});
