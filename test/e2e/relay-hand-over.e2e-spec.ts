import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { EventReader } from '../support/event-reader.js';
import { eventually } from '../support/eventually.js';
import type { GivenUser } from '../support/given.js';
import { givenComputer, givenSession, type GivenSession, storedSession } from '../support/given-session.js';
import { RelayAgent } from '../support/relay-agent.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

/** Long enough for a turn that should not come to have come. */
const MOMENT_MS = 300;

/** Lock 1 is the gate, lock 2 says that somebody stands in front of it. Not a wait for a lock: those are cut off early. */
const PASS_GATE = `PERFORM pg_advisory_xact_lock_shared(2);
  WHILE NOT pg_try_advisory_xact_lock_shared(1) LOOP PERFORM pg_sleep(0.02); END LOOP`;

let app: TestApp;
let ada: GivenUser;
let computerId: string;
let agents: RelayAgent[] = [];

beforeAll(async () => {
  app = await TestApp.start();
  ada = await app.given.user(await app.given.organization());
  await whenStored('fail', `RAISE EXCEPTION 'as the test wants it'`);
  await whenStored('wait', PASS_GATE);
  await whenStored('fail_late', `${PASS_GATE}; RAISE EXCEPTION 'as the test wants it'`);
});
beforeEach(async () => {
  computerId = await givenComputer(app, ada);
});
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.end()));
  agents = [];
});
afterAll(() => app.stop());

/** What Postgres does when a message is stored that consists of this word. */
async function whenStored(word: string, action: string): Promise<void> {
  await query(
    app.database.url,
    `CREATE FUNCTION on_${word}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${action}; RETURN NEW; END $$`,
  );
  await query(
    app.database.url,
    `CREATE TRIGGER on_${word} BEFORE INSERT ON messages FOR EACH ROW
       WHEN (NEW.content -> 0 ->> 'text' = '${word}') EXECUTE FUNCTION on_${word}()`,
  );
}

/** Keeps messages that wait from being stored until it is opened. */
async function closedGate() {
  const client = new pg.Client({ connectionString: app.database.url });
  await client.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  const sql = `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                WHERE l.locktype = 'advisory' AND l.objid = 2 AND d.datname = current_database()`;
  return {
    reached: () => eventually('a message is being stored', async () => (await client.query(sql)).rowCount === 1),
    open: () => client.end(),
  };
}

const session = () => givenSession(app, ada, computerId);
const post = (to: GivenSession, text: string) => app.as(ada).post(`${to.path}/messages`, { text });
const connect = async (options: { slots?: number } = {}) => {
  const agent = await RelayAgent.connect(app.url, ada.key, computerId, options);
  agents.push(agent);
  return agent;
};

describe('a message for an agent that is connected and has time', () => {
  it('is taken at once: the answer to the POST says that it runs', async () => {
    const agent = await connect();
    const one = await session();
    const { status, body } = await post(one, 'Hello');
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'running' } });
    const turn = await agent.turn();
    expect(turn).toMatchObject({ sessionId: one.id, messageId: body.messageId, attempt: 1 });
    await agent.endTurn(turn);
    expect((await storedSession(app, one)).turns).toEqual(['ended completed']);
  });

  it('is seen by followers as accepted, then as running', async () => {
    await connect();
    const one = await session();
    const reader = await EventReader.open(app, one);
    await post(one, 'Hello');
    const events = await reader.receive(3);
    expect(events.map(({ event, data }) => data.status ?? event)).toEqual(['message.created', 'pending', 'running']);
    reader.close();
  });

  it('clears when the session was last done', async () => {
    const agent = await connect();
    const one = await session();
    await post(one, 'Hello');
    await agent.endTurn(await agent.turn());
    await post(one, 'Once more');
    expect((await app.as(ada).get(one.path)).body).not.toHaveProperty('completedAt');
  });

  it('goes to the connection that speaks for the computer, not to the one before', async () => {
    const before = await connect();
    const now = await connect();
    await post(await session(), 'Hello');
    await now.turn();
    expect(before.turns).toEqual([]);
  });
});

describe('a message that cannot be taken at once', () => {
  it('waits: all slots are taken', async () => {
    const agent = await connect({ slots: 1 });
    await post(await session(), 'a');
    const { body } = await post(await session(), 'b');
    expect(body.status).toBe('pending');
    await agent.endTurn(await agent.turn());
    expect((await agent.turn(1)).messageId).toBe(body.messageId);
  });

  it('waits: another turn of its session runs', async () => {
    const agent = await connect();
    const one = await session();
    await post(one, 'a');
    const { body } = await post(one, 'b');
    expect(body.status).toBe('running');
    await delay(MOMENT_MS);
    expect(agent.turns).toHaveLength(1);
    await agent.endTurn(await agent.turn());
    expect((await agent.turn(1)).messageId).toBe(body.messageId);
  });

  it('waits: the slot is kept for one that is being stored', async () => {
    const agent = await connect({ slots: 1 });
    const [slow, other] = [await session(), await session()];
    const gate = await closedGate();
    const posting = post(slow, 'wait');
    await gate.reached();
    expect((await post(other, 'a')).body.status).toBe('pending');
    await gate.open();
    expect((await posting).body.status).toBe('running');
    await agent.endTurn(await agent.turn());
    expect((await agent.turn(1)).sessionId).toBe(other.id);
  });
});

describe('a message that was not stored', () => {
  it('takes no slot: the next one is taken at once', async () => {
    const agent = await connect({ slots: 1 });
    const one = await session();
    expect((await post(one, 'fail')).status).toBe(500);
    expect((await post(one, 'Hello')).body.status).toBe('running');
    expect((await agent.turn()).content[0]).toMatchObject({ text: 'Hello' });
    expect(await storedSession(app, one)).toMatchObject({ turns: ['running'] });
  });

  it('gives its slot to one that has come meanwhile', async () => {
    const agent = await connect({ slots: 1 });
    const gate = await closedGate();
    const posting = post(await session(), 'fail_late');
    await gate.reached();
    const { body } = await post(await session(), 'a');
    expect(body.status).toBe('pending');
    await gate.open();
    expect((await posting).status).toBe(500);
    expect((await agent.turn()).messageId).toBe(body.messageId);
  });
});

describe('an agent that hangs up while its message is being stored', () => {
  it('gets the turn when it is back', async () => {
    const gone = await connect();
    const one = await session();
    const gate = await closedGate();
    const posting = post(one, 'wait');
    await gate.reached();
    await gone.end();
    await gate.open();
    await posting;
    const back = await connect();
    expect(await back.turn()).toMatchObject({ sessionId: one.id, attempt: 2 });
  });
});
