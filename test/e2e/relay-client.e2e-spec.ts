import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SessionStreamRepository } from '../../src/modules/sessions/stream/session-stream.repository.js';
import { countReads, EventReader } from '../support/event-reader.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenAccess, givenComputer, givenMessage, givenSession, type GivenSession } from '../support/given-session.js';
import { itLong } from '../support/long.js';
import { RelayAgent, says } from '../support/relay-agent.js';
import { RelayClient } from '../support/relay-client.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const NOT_FOUND = -32004;
const INVALID = -32602;
const MOMENT_MS = 300;

let app: TestApp;
let replica: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let session: GivenSession;
let client: RelayClient;

beforeAll(async () => {
  app = await TestApp.start();
  replica = await TestApp.start({ database: app.database });
  org = await app.given.organization();
});
beforeEach(async () => {
  ada = await app.given.user(org);
  session = await givenSession(app, ada);
  client = await RelayClient.connect(app.url, ada.key, session.computerId);
});
afterEach(() => client.end());
afterAll(async () => {
  await replica.stop();
  await app.stop();
});

const refusal = (sessionId: string, after?: unknown) =>
  client.relay.refusal('session.follow', { sessionId, ...(after === undefined ? {} : { after }) });

/** A whole turn: five messages and changes of status. */
async function aTurn(on = app, beforeTheChange = (): Promise<unknown> => Promise.resolve()): Promise<void> {
  const agent = await RelayAgent.connect(on.url, ada.key, session.computerId);
  await givenMessage(app, session, 'Hello');
  const turn = await agent.turn();
  const answer = says('Hi');
  await agent.put(turn, answer);
  await beforeTheChange();
  await agent.put(turn, says('Hi there', answer.id));
  await agent.endTurn(turn);
  await agent.end();
}

describe('a client that follows a session', () => {
  it.each([
    ['the same replica', () => app],
    ['another replica', () => replica],
  ])('hears the events of the stream, when the work is done on %s', async (_, on) => {
    const reader = await EventReader.open(app, session);
    await client.follow(session.id);
    // An event shows its message as it is when the event is read.
    await aTurn(on(), () => Promise.all([reader.receive(4), client.receive(4)]));
    const expected = (await reader.receive(6)).map(({ id, event, data }) => ({ id: Number(id), event, data }));
    const heard = await client.receive(6);
    expect(heard).toEqual(expected.map((event) => ({ sessionId: session.id, ...event })));
    expect(heard.map(({ event, data }) => data.status ?? event)).toEqual([
      ...['message.created', 'pending', 'running', 'message.created', 'message.updated', 'idle'],
    ]);
    reader.close();
  });

  it('begins behind the event that it has seen', async () => {
    await aTurn();
    await client.follow(session.id, 2);
    expect((await client.receive(4)).map(({ id }) => id)).toEqual([3, 4, 5, 6]);
  });

  it('begins at the beginning with 0', async () => {
    await givenMessage(app, session, 'Hello');
    await client.follow(session.id, 0);
    expect((await client.receive(2)).map(({ id }) => id)).toEqual([1, 2]);
  });

  it('cannot begin behind an event that has not happened', async () => {
    await givenMessage(app, session, 'Hello');
    const { code, message } = await client.relay.refusal('session.follow', { sessionId: session.id, after: 3 });
    expect([code, message]).toEqual([-32602, 'The last event of this session is 2: there is none after 3.']);
    await client.follow(session.id, 2);
  });

  it('begins now when it says nothing', async () => {
    await givenMessage(app, session, 'before');
    await client.follow(session.id);
    await givenMessage(app, session, 'after');
    const [event] = await client.receive(1);
    expect(event?.id).toBe(3);
    expect(JSON.stringify(event?.data)).toContain('after');
  });

  it('hears the answer to its request before the first event', async () => {
    await givenMessage(app, session, 'Hello');
    const heardFirst: string[] = [];
    client.relay.socket.on('message', (data: Buffer) => {
      heardFirst.push('method' in (JSON.parse(data.toString()) as object) ? 'event' : 'answer');
    });
    await client.follow(session.id, 0);
    await client.receive(2);
    expect(heardFirst).toEqual(['answer', 'event', 'event']);
  });

  it('can follow several at once', async () => {
    const other = await givenSession(app, ada, session.computerId);
    await client.follow(session.id);
    await client.follow(other.id);
    await givenMessage(app, session, 'a');
    await givenMessage(app, other, 'b');
    const events = await client.receive(4);
    expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set([session.id, other.id]));
  });

  it('hears nothing more once it unfollows, and can follow again', async () => {
    await client.follow(session.id);
    await client.unfollow(session.id);
    await givenMessage(app, session, 'unheard');
    await delay(MOMENT_MS);
    expect([client.events, client.ended]).toEqual([[], []]);
    await client.follow(session.id);
    await givenMessage(app, session, 'heard');
    expect((await client.receive(1)).map(({ id }) => id)).toEqual([3]);
  });

  it('is told when the session is deleted', async () => {
    await client.follow(session.id);
    expect((await app.as(ada).delete(session.path)).status).toBe(204);
    await eventually('the end', () => client.ended.length > 0);
    expect([client.ended, client.relay.closed]).toEqual([[session.id], null]);
  });

  it('hears of large messages by their id', async () => {
    await client.follow(session.id);
    const messageId = await givenMessage(app, session, 'x'.repeat(300_000));
    const [event] = await client.receive(1);
    expect(event?.data).toEqual({ messageId });
  });

  it('sees what the agent said as GET shows it', async () => {
    await client.follow(session.id);
    await aTurn();
    const update = (await client.receive(6))[4];
    const { body } = await app.as(ada).get(`${session.path}/messages/${String(update?.data.messageId)}`);
    expect(update?.data.message).toEqual(body);
  });
});

describe('following is refused', () => {
  it('for a session of another user', async () => {
    await givenAccess(app, ada, session.computerId, { access: 'organization' });
    const theirs = await givenSession(app, org.owner, session.computerId);
    expect((await refusal(theirs.id)).code).toBe(NOT_FOUND);
  });

  it('for a session on another computer', async () => {
    const elsewhere = await givenSession(app, ada, await givenComputer(app, ada));
    expect((await refusal(elsewhere.id)).code).toBe(NOT_FOUND);
  });

  it('for a session that does not exist', async () => {
    expect((await refusal(randomUUID())).code).toBe(NOT_FOUND);
  });

  it('twice at a time', async () => {
    await client.follow(session.id);
    expect((await refusal(session.id)).code).toBe(INVALID);
  });

  it.each([-1, 1.5, '1', null])('after %p', async (after) => {
    const { code, message } = await refusal(session.id, after);
    expect([code, message]).toEqual([INVALID, expect.stringMatching(/^after/)]);
  });

  it('for more than a hundred sessions at a time', async () => {
    const ids = Array.from({ length: 101 }, () => randomUUID());
    await query(
      app.database.url,
      `INSERT INTO sessions (org_id, id, user_id, computer_id, status, settings, created_at, updated_at)
       SELECT s.org_id, x.id, s.user_id, s.computer_id, 'idle', '{}', now(), now()
         FROM sessions s, unnest($2::uuid[]) AS x (id) WHERE s.id = $1`,
      [session.id, ids],
    );
    for (const id of ids.slice(0, 100)) await client.follow(id);
    const { code, message } = await refusal(ids[100] ?? '');
    expect([code, message]).toEqual([INVALID, expect.stringContaining('100')]);
    await client.unfollow(ids[0] ?? '');
    await client.follow(ids[100] ?? '');
  });
});

describe('a client that does not read', () => {
  itLong(
    'has its events wait in the database, and gets them all when it reads again',
    async () => {
      const count = 30_000;
      await query(
        app.database.url,
        `WITH s AS (UPDATE sessions SET event_seq = $3 WHERE id = $2)
       INSERT INTO session_events
       SELECT $1, $2, n, repeat('x', 1000), NULL, 'idle', now() FROM generate_series(1, $3::int) n`,
        [session.orgId, session.id, count],
      );
      const reads = countReads(app.nest.get(SessionStreamRepository));
      await client.follow(session.id, 0);
      client.relay.socket.pause();
      let before = -1;
      await eventually('nothing more is read', async () => {
        if (before === reads() && before > 0) return true;
        before = reads();
        await delay(400);
        return false;
      });
      expect(reads()).toBeLessThan(200); // of the 300 that it takes to read all of them
      client.relay.socket.resume();
      await eventually('the last one', () => client.relay.heard.length >= count, 25_000);
      const ids = client.events.map(({ id }) => id);
      expect(ids).toEqual(Array.from({ length: count }, (_, i) => i + 1));
    },
    60_000,
  );
});
