import { SessionStreamRepository } from '../../src/modules/sessions/stream/session-stream.repository.js';
import { EventReader } from '../support/event-reader.js';
import { eventually } from '../support/eventually.js';
import type { GivenUser } from '../support/given.js';
import { givenSession, type GivenSession, givenStoredMessage } from '../support/given-session.js';
import { agentPath } from '../support/relay-agent.js';
import { clientPath, RelayClient } from '../support/relay-client.js';
import { Refused, RelaySocket } from '../support/relay-socket.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const MAX = 4;
let app: TestApp;
let ada: GivenUser;
let bob: GivenUser;
let session: GivenSession;
let open: { close: () => Promise<void> }[] = [];

beforeAll(async () => {
  app = await TestApp.start({ env: { MAX_STREAMS_PER_USER: String(MAX) } });
  const org = await app.given.organization();
  ada = await app.given.user(org);
  bob = await app.given.user(org);
  session = await givenSession(app, ada);
});
afterEach(async () => {
  await Promise.all(open.map((stream) => stream.close()));
  open = [];
});
afterAll(() => app.stop());

async function stream(of = session): Promise<number> {
  const reader = await EventReader.open(app, of);
  if (reader.response.statusCode === 200) open.push({ close: () => Promise.resolve(reader.close()) });
  else reader.close();
  return reader.response.statusCode ?? 0;
}

/** The status with which the socket was refused; 101 when it was not. */
async function socket(path: string, user = ada): Promise<number> {
  try {
    const opened = await RelaySocket.open(app.url, path, user.key);
    open.push({ close: () => opened.end() });
    return 101;
  } catch (error) {
    if (error instanceof Refused) return error.status;
    throw error;
  }
}
const client = () => socket(clientPath(session.computerId));
const agent = (of = session) => socket(agentPath(of.computerId));

describe('the streams of a user', () => {
  it('are as many as they may be, sockets of clients among them, and not one more', async () => {
    expect([await stream(), await client(), await stream(), await client()]).toEqual([200, 101, 200, 101]);
    expect([await stream(), await client()]).toEqual([429, 429]);
    const { status, headers, body } = await app.as(ada).get(`${session.path}/events`);
    expect([status, headers['retry-after'], body.detail]).toEqual([
      429,
      '5',
      `At most ${MAX} event streams and sockets at a time for one user (MAX_STREAMS_PER_USER); close one first.`,
    ]);
  });

  it('do not count for others', async () => {
    for (let i = 0; i < MAX; i++) await stream();
    expect(await stream()).toBe(429);
    expect(await stream(await givenSession(app, bob))).toBe(200);
  });

  it.each([
    ['a stream', stream],
    ['a socket', client],
  ])('make room when %s ends', async (_, start) => {
    for (let i = 0; i < MAX; i++) await start();
    expect(await stream()).toBe(429);
    await open.shift()?.close();
    expect(await eventually('there is room', async () => (await stream()) === 200)).toBe(true);
    expect(await stream()).toBe(429);
  });

  it('are not used up by requests that are refused', async () => {
    const unknown = '01980f73-6d55-7e6f-9071-8c9d0e1f2a3b';
    for (let i = 0; i < 2 * MAX; i++) {
      expect((await app.as(ada).get(`/api/v0/sessions/${unknown}/events`)).status).toBe(404);
      expect((await app.as(ada).get(clientPath(session.computerId))).status).toBe(400);
      expect(await socket(clientPath(unknown))).toBe(404);
    }
    expect(await stream()).toBe(200);
  });

  it('leave one socket to the agent of each computer', async () => {
    for (let i = 0; i < MAX; i++) await client();
    expect([await agent(), await agent()]).toEqual([101, 429]);
    expect(await agent(await givenSession(app, ada))).toBe(101);
  });

  it('count every further socket of a computer’s agent', async () => {
    for (let i = 0; i <= MAX; i++) expect(await agent()).toBe(101);
    expect([await agent(), await client()]).toEqual([429, 429]);
  });
});

describe('a reader that reads nothing', () => {
  const LARGE = JSON.stringify([{ type: 'text', text: 'x'.repeat(250_000) }]);
  const MESSAGES = 30;
  let large: GivenSession;

  beforeAll(async () => {
    large = await givenLargeSession();
  });

  async function givenLargeSession(): Promise<GivenSession> {
    const given = await givenSession(app, ada, session.computerId);
    const id = await givenStoredMessage(app, given, { role: 'assistant', content: LARGE });
    await query(
      app.database.url,
      `WITH s AS (UPDATE sessions SET event_seq = $4 WHERE id = $2)
       INSERT INTO session_events SELECT $1, $2, n, 'message.updated', $3, NULL, now() FROM generate_series(1, $4) n`,
      [given.orgId, given.id, id, MESSAGES],
    );
    return given;
  }

  it('has little more than one message in memory', async () => {
    const repository = app.nest.get(SessionStreamRepository);
    const { events, hasMore } = await repository.listAfter(large.orgId, large.id, 0);
    expect([events.length, hasMore]).toEqual([1, true]);
    const { events: last, hasMore: more } = await repository.listAfter(large.orgId, large.id, MESSAGES - 1);
    expect([last.length, more]).toEqual([1, false]);
  });

  it('has all events in the end, each once', async () => {
    const reader = await EventReader.open(app, large, { lastEventId: 0 });
    await reader.receive(MESSAGES);
    expect(reader.ids).toEqual(Array.from({ length: MESSAGES }, (_, i) => i + 1));
    reader.close();
  });

  it('of many sessions over one socket holds the batches of two', async () => {
    const others = [large, ...(await Promise.all(Array.from({ length: 5 }, givenLargeSession)))];
    const repository = app.nest.get(SessionStreamRepository);
    const original = repository.listAfter.bind(repository);
    const asked = new Map<string, number>();
    repository.listAfter = (orgId, sessionId, after) => {
      asked.set(sessionId, (asked.get(sessionId) ?? 0) + 1);
      return original(orgId, sessionId, after);
    };
    const watcher = await RelayClient.connect(app.url, ada.key, session.computerId);
    watcher.relay.socket.pause();
    const follow = (sessionId: string, id: number) =>
      watcher.relay.socket.send(
        JSON.stringify({ jsonrpc: '2.0', id: `f${id}`, method: 'session.follow', params: { sessionId, after: 0 } }),
      );
    others.forEach(({ id }, index) => follow(id, index));
    let before = -1;
    const reads = () => [...asked.values()].reduce((sum, count) => sum + count, 0);
    await eventually('nothing more is read', async () => {
      if (before === reads() && before > 0) return true;
      before = reads();
      await new Promise((resolve) => setTimeout(resolve, 300));
      return false;
    });
    expect(reads()).toBeLessThan(others.length * MESSAGES);
    watcher.relay.socket.resume();
    await eventually('all events arrive', () => watcher.events.length === others.length * MESSAGES, 25_000);
    repository.listAfter = original;
    await watcher.end();
  });
});
