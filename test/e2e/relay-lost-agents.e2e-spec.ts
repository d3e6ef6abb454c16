import { setTimeout as delay } from 'node:timers/promises';
import { EventReader } from '../support/event-reader.js';
import { eventually } from '../support/eventually.js';
import type { GivenUser } from '../support/given.js';
import { givenMessage, givenSession, type GivenSession, storedSession } from '../support/given-session.js';
import { ManualClock } from '../support/manual-clock.js';
import { refOf, RelayAgent, says, toolSays } from '../support/relay-agent.js';
import { TestApp } from '../support/test-app.js';

const STALE = -32010;
const LEASE_MS = 1_000;
/** Leases are looked at four times in their time. */
const MOMENT_MS = 600;

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let ada: GivenUser;
let session: GivenSession;
let agents: RelayAgent[] = [];

beforeAll(async () => {
  app = await TestApp.start({ clock, env: { TURN_LEASE_SECONDS: '1' } });
  ada = await app.given.user(await app.given.organization());
});
beforeEach(async () => {
  session = await givenSession(app, ada);
});
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.end()));
  agents = [];
});
afterAll(() => app.stop());

const connect = async (options: Parameters<typeof RelayAgent.connect>[3] = {}) => {
  const agent = await RelayAgent.connect(app.url, ada.key, session.computerId, options);
  agents.push(agent);
  return agent;
};
const read = async () => (await app.as(ada).get(session.path)).body;
const turns = async () => (await storedSession(app, session)).turns;
const statusBecomes = (status: string) => eventually(status, async () => (await read()).status === status);
const lastMessage = async () => (await app.as(ada).get(`${session.path}/messages?limit=1`)).body.messages[0];
const leaseRunsOut = () => clock.advance(LEASE_MS + 1);

/** An agent that has begun a turn. */
async function working() {
  const agent = await connect();
  await givenMessage(app, session, 'Hello');
  return { agent, turn: await agent.turn() };
}

describe('a turn whose lease runs out', () => {
  it('waits for an agent once more', async () => {
    const { agent } = await working();
    await agent.end();
    leaseRunsOut();
    await statusBecomes('pending');
    expect(await turns()).toEqual(['queued']);
  });

  it('does not run out before its time', async () => {
    const { agent, turn } = await working();
    clock.advance(LEASE_MS);
    await delay(MOMENT_MS);
    expect(await read()).toMatchObject({ status: 'running' });
    await agent.put(turn, says('still here'));
  });

  it('is offered as the second attempt, with what was appended still there', async () => {
    const { agent, turn } = await working();
    await agent.put(turn, says('half an answer'));
    await agent.end();
    leaseRunsOut();
    await statusBecomes('pending');
    const second = await (await connect()).turn();
    expect(second).toMatchObject({ ...refOf(turn), attempt: 2, content: [{ type: 'text', text: 'Hello' }] });
    expect(await read()).toMatchObject({ status: 'running', messageCount: 2 });
  });

  it('is no longer that of the agent that had it', async () => {
    const { agent, turn } = await working();
    leaseRunsOut();
    const second = await agent.turn(1);
    expect((await agent.putRefusal(turn, says('late'))).code).toBe(STALE);
    expect(await agent.renew(turn)).toEqual([refOf(turn)]);
    expect((await agent.relay.refusal('turn.end', { turn: refOf(turn), reason: 'completed' })).code).toBe(STALE);
    await agent.put(second, says('in time'));
    expect(await read()).toMatchObject({ status: 'running', messageCount: 2 });
  });

  it('is cancelled at the agent that had it, before it gets it anew', async () => {
    const { agent, turn } = await working();
    leaseRunsOut();
    await agent.turn(1);
    expect(agent.cancelled).toEqual([refOf(turn)]);
    expect(agent.relay.heard.map(({ method }) => method)).toEqual(['turn.start', 'turn.cancel', 'turn.start']);
  });

  it('ends with an error when the second attempt is lost too', async () => {
    const { agent } = await working();
    leaseRunsOut();
    await agent.turn(1);
    await agent.end();
    leaseRunsOut();
    await statusBecomes('idle');
    expect(await turns()).toEqual(['ended process_exit']);
    expect(await lastMessage()).toMatchObject({ role: 'assistant', isError: true });
    expect(await read()).toMatchObject({ messageCount: 2, completedAt: clock.now().getTime() });
  });

  it('ends with an error at once when a tool was at work', async () => {
    const { agent, turn } = await working();
    await agent.put(turn, says('let me see'), toolSays('rm -rf'));
    await agent.end();
    leaseRunsOut();
    await statusBecomes('idle');
    expect(await turns()).toEqual(['ended process_exit']);
    expect(await lastMessage()).toMatchObject({ role: 'assistant', isError: true });
    expect(await read()).toMatchObject({ messageCount: 4 });
  });

  it('goes before the messages behind it', async () => {
    const { agent } = await working();
    await givenMessage(app, session, 'Next');
    await agent.end();
    leaseRunsOut();
    await statusBecomes('pending');
    expect((await (await connect()).turn()).content[0]).toMatchObject({ text: 'Hello' });
  });

  it('lets the messages behind it have their turn when it is given up', async () => {
    const { agent, turn } = await working();
    await agent.put(turn, toolSays('rm -rf'));
    await givenMessage(app, session, 'Next');
    leaseRunsOut();
    expect((await agent.turn(1)).content[0]).toMatchObject({ text: 'Next' });
    expect(await turns()).toEqual(['ended process_exit', 'running']);
  });

  it('is seen by followers as pending, then running', async () => {
    const { agent } = await working();
    const reader = await EventReader.open(app, session);
    leaseRunsOut();
    await agent.turn(1);
    const events = await reader.receive(2);
    expect(events.map(({ data }) => data.status)).toEqual(['pending', 'running']);
    reader.close();
  });

  it('can be interrupted while it waits', async () => {
    const { agent } = await working();
    await agent.end();
    leaseRunsOut();
    await statusBecomes('pending');
    await app.as(ada).post(`${session.path}/interrupt`);
    const again = await connect();
    await delay(MOMENT_MS);
    expect([again.turns, await turns()]).toEqual([[], ['ended cancelled']]);
  });
});

describe('renewing', () => {
  it('keeps a turn for another lease', async () => {
    const { agent, turn } = await working();
    for (let i = 0; i < 3; i++) {
      clock.advance(LEASE_MS - 1);
      expect(await agent.renew(turn)).toEqual([]);
      await delay(MOMENT_MS / 2);
    }
    expect([await turns(), agent.turns.length]).toEqual([['running'], 1]);
  });

  it('tells which turns are lost, and keeps the others', async () => {
    const { agent, turn } = await working();
    const other = await givenSession(app, ada, session.computerId);
    await givenMessage(app, other, 'Hello');
    const interrupted = await agent.turn(1);
    await app.as(ada).post(`${other.path}/interrupt`);
    expect(await agent.renew(turn, interrupted)).toEqual([refOf(interrupted)]);
  });

  it('of nothing is fine', async () => {
    const agent = await connect();
    expect(await agent.renew()).toEqual([]);
  });
});

describe('an agent that comes back', () => {
  it('keeps the turns that it mentions', async () => {
    const { agent, turn } = await working();
    await agent.end();
    const again = await connect({ turns: [refOf(turn)] });
    expect(again.greeting.lostTurns).toEqual([]);
    await again.put(turn, says('as if nothing had happened'));
    await again.endTurn(turn);
    expect([await turns(), again.turns]).toEqual([['ended completed'], []]);
  });

  it('has a whole lease for the turns that it mentions', async () => {
    const { agent, turn } = await working();
    await agent.end();
    clock.advance(LEASE_MS - 1);
    await connect({ turns: [refOf(turn)] });
    clock.advance(LEASE_MS - 1);
    await delay(MOMENT_MS);
    expect(await turns()).toEqual(['running']);
  });

  it('loses at once the turns that it does not mention', async () => {
    const { agent, turn } = await working();
    await agent.end();
    const again = await connect();
    expect(await again.turn()).toMatchObject({ ...refOf(turn), attempt: 2 });
  });

  it('hears which of its turns are not its own any more', async () => {
    const { agent, turn } = await working();
    await agent.end();
    await app.as(ada).post(`${session.path}/interrupt`);
    const again = await connect({ turns: [refOf(turn)] });
    expect(again.greeting.lostTurns).toEqual([refOf(turn)]);
  });

  it('loses an old attempt though the turn runs', async () => {
    const { agent, turn } = await working();
    leaseRunsOut();
    const second = await agent.turn(1);
    await agent.end();
    const again = await connect({ turns: [refOf(turn), refOf(second)] });
    expect(again.greeting.lostTurns).toEqual([refOf(turn)]);
  });

  it('is told how long a lease lasts and what time it is', async () => {
    const { greeting } = await connect();
    expect(greeting).toMatchObject({ leaseSeconds: LEASE_MS / 1000, now: clock.now().getTime(), protocol: 1 });
    expect(greeting.computer.id).toBe(session.computerId);
  });
});
