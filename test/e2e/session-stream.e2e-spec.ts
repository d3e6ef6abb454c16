import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SessionStreamRepository } from '../../src/modules/sessions/stream/session-stream.repository.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { EventReader } from '../support/event-reader.js';
import {
  givenMessage,
  givenSession,
  type GivenSession,
  givenSharedComputer,
  storedSession,
} from '../support/given-session.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

let first: TestApp;
/** Another replica. */
let second: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let session: GivenSession;
let computerId: string;
const readers: EventReader[] = [];

beforeAll(async () => {
  first = await TestApp.start();
  second = await TestApp.start({ database: first.database });
  org = await first.given.organization();
  computerId = await givenSharedComputer(first, org.owner);
});
beforeEach(async () => {
  ada = await first.given.user(org);
  session = await givenSession(first, ada, computerId);
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

async function follow(app: TestApp, lastEventId?: string | number, isReading?: boolean): Promise<EventReader> {
  const reader = await EventReader.open(app, session, { lastEventId, isReading });
  readers.push(reader);
  return reader;
}

const post = (text: string, app = first) => givenMessage(app, session, text);
const interrupt = (app = first) => app.as(ada).post(`${session.path}/interrupt`);
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

describe('a stream', () => {
  it('tells of a message and of the status, numbered from 1', async () => {
    const reader = await follow(first);
    const messageId = await post('hello');
    const message = (await first.as(ada).get(`${session.path}/messages/${messageId}`)).body;
    expect(await reader.receive(2)).toEqual([
      { id: '1', event: 'message.created', data: { messageId, message } },
      { id: '2', event: 'status.changed', data: { status: 'pending' } },
    ]);
  });

  it('is one of server-sent events that nobody keeps', async () => {
    const { statusCode, headers } = (await follow(first)).response;
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no-store',
    ]);
  });

  it('tells what happens on another replica', async () => {
    const reader = await follow(first);
    await post('hello', second);
    await interrupt(second);
    const events = await reader.receive(3);
    expect(events.map(({ event, data }) => data.status ?? event)).toEqual(['message.created', 'pending', 'idle']);
  });

  it('without Last-Event-ID begins with what happens now', async () => {
    await post('before');
    const reader = await follow(first);
    const messageId = await post('now');
    expect((await reader.receive(1))[0]).toMatchObject({ id: '3', data: { messageId } });
  });

  it('with Last-Event-ID goes on behind that event', async () => {
    await post('one');
    await post('two');
    const reader = await follow(second, 2);
    await post('three');
    await reader.receive(2);
    expect(reader.ids).toEqual([3, 4]);
  });

  it('with Last-Event-ID 0 begins at the beginning', async () => {
    for (const text of ['one', 'two', 'three']) await post(text);
    const reader = await follow(first, 0);
    await reader.receive(4);
    expect(reader.ids).toEqual([1, 2, 3, 4]);
  });

  it('with the last Last-Event-ID repeats nothing', async () => {
    await post('one');
    const reader = await follow(first, 2);
    await post('two');
    await reader.receive(1);
    expect(reader.ids).toEqual([3]);
  });

  it('misses nothing that happens while it is reading', async () => {
    const repository = first.nest.get(SessionStreamRepository);
    const original = repository.listAfter.bind(repository);
    let messageId: string | null = null;
    repository.listAfter = async (...parameters) => {
      const events = await original(...parameters);
      if (messageId !== null) return events;
      messageId = await post('meanwhile', second);
      await delay(200); // until the first replica has heard of it
      return events;
    };
    const reader = await follow(first);
    const [created] = await reader.receive(1, 3_000);
    repository.listAfter = original;
    expect([created?.data.messageId, created?.id]).toEqual([messageId, '1']);
  });

  it('replays more events than are read at once', async () => {
    await query(
      first.database.url,
      `WITH s AS (UPDATE sessions SET event_seq = 350 WHERE id = $2)
       INSERT INTO session_events SELECT $1, $2, n, 'status.changed', NULL, 'idle', now() FROM generate_series(1, 350) n`,
      [org.id, session.id],
    );
    const reader = await follow(first, 0);
    await reader.receive(350);
    expect(reader.ids).toEqual(numbers(350));
  });

  it('announces a large message without its content', async () => {
    const reader = await follow(first);
    const data = Buffer.from(numbers(200_000).join()).toString('base64').slice(0, 1_000_000);
    const files = [{ type: 'base64', mediaType: 'text/plain', data }];
    const { body } = await first.as(ada).post(`${session.path}/messages`, { text: 'x', files });
    expect((await reader.receive(1))[0]?.data).toEqual({ messageId: body.messageId });
  });

  it('tells nothing of other sessions', async () => {
    const reader = await follow(first);
    const other = await givenSession(first, ada, computerId);
    await givenMessage(first, other, 'elsewhere');
    await post('here');
    await reader.receive(2);
    expect(reader.ids).toEqual([1, 2]);
  });

  it.each(['', ' ', '-1', '1.5', 'abc', '0x1', '1e3', '9'.repeat(16), '٥', '1,2'])(
    'with the Last-Event-ID "%s" is 400',
    async (lastEventId) => {
      const headers = { 'Last-Event-ID': Buffer.from(lastEventId).toString('latin1') };
      expect((await first.as(ada).get(`${session.path}/events`, headers)).status).toBe(400);
    },
  );

  it('with a Last-Event-ID ahead of the session is 400', async () => {
    await post('one event');
    const at = (lastEventId: number) =>
      first.as(ada).get(`${session.path}/events`, { 'Last-Event-ID': String(lastEventId) });
    const { eventSeq } = await storedSession(first, session);
    const { status, body } = await at(eventSeq + 1);
    expect([status, body.detail]).toEqual([
      400,
      `The last event of this session is ${eventSeq}: there is none after ${eventSeq + 1}.`,
    ]);
    expect((await at(999_999_999_999_999)).status).toBe(400);
  });

  it.each(['0', '5'])('of an unknown session is 404, with Last-Event-ID %s too', async (lastEventId) => {
    const path = `/api/v0/sessions/${randomUUID()}/events`;
    expect((await first.as(ada).get(path, { 'Last-Event-ID': lastEventId })).status).toBe(404);
  });
});

describe('a stream ends', () => {
  it('when the session is deleted, on every replica', async () => {
    const both = [await follow(first), await follow(second)];
    await first.as(ada).delete(session.path);
    expect(await Promise.all(both.map((reader) => reader.end(3_000)))).toEqual([true, true]);
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'the key is revoked',
      async () => {
        const { body } = await first.as(ada).get('/api/v0/api-keys');
        return first.as(org.owner).delete(`/api/v0/api-keys/${body.apiKeys[0].id}`);
      },
    ],
    ['the user is deactivated', () => first.as(org.owner).delete(`/api/v0/organization/users/${ada.id}`)],
    [
      'the user becomes a guest',
      () => first.as(org.owner).patch(`/api/v0/organization/users/${ada.id}`, { role: 'guest' }),
    ],
  ])('when %s, within a second, on every replica', async (_what, change) => {
    const both = [await follow(first), await follow(second)];
    await change();
    expect(await Promise.all(both.map((reader) => reader.end(1_000)))).toEqual([true, true]);
  });

  it('when the API key with which it was opened expires', async () => {
    const expiresAt = new Date(Date.now() + 1_500).toISOString();
    const { body } = await first.as(ada).post('/api/v0/api-keys', { name: 'short', expiresAt });
    const reader = await EventReader.open(first, { ...session, user: { ...ada, key: body.key } });
    readers.push(reader);
    expect(await reader.end(3_000)).toBe(true);
    expect(Date.now()).toBeGreaterThanOrEqual(new Date(expiresAt).getTime());
  });

  it('not when the credential of somebody else changes', async () => {
    const reader = await follow(first);
    await first.as(org.owner).delete(`/api/v0/organization/users/${(await first.given.user(org)).id}`);
    expect(await reader.end(300)).toBe(false);
  });

  it('when the service stops, which does not wait for its readers', async () => {
    const third = await TestApp.start({ database: first.database });
    const reader = await follow(third);
    const startedAt = performance.now();
    await third.stop();
    expect([await reader.end(1_000), performance.now() - startedAt < 3_000]).toEqual([true, true]);
  });
});

describe('a stream whose connection for notifications was cut', () => {
  const cut = () =>
    query(
      first.database.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'agent-platform notifications'`,
    );

  it('still tells what happens, within two seconds', async () => {
    const reader = await follow(second);
    await cut();
    const messageId = await post('hello');
    const [created] = await reader.receive(1, 2_500);
    expect(created?.data.messageId).toBe(messageId);
  });

  it('ends within two seconds when its session is deleted meanwhile', async () => {
    const reader = await follow(second);
    await cut();
    await first.as(ada).delete(session.path);
    expect(await reader.end(2_500)).toBe(true);
  });

  it('ends within two seconds when its key is revoked meanwhile', async () => {
    const { body } = await first.as(ada).get('/api/v0/api-keys');
    const reader = await follow(second);
    await cut();
    await first.as(org.owner).delete(`/api/v0/api-keys/${body.apiKeys[0].id}`);
    expect(await reader.end(2_500)).toBe(true);
  });
});

describe('readers that come and go', () => {
  /** Reads until the last event is known and has come, hanging up and coming back at random. */
  async function assemble(last: () => number | null): Promise<number[]> {
    const ids: number[] = [];
    const deadline = performance.now() + 20_000;
    while ((last() === null || (ids.at(-1) ?? 0) < (last() ?? 0)) && performance.now() < deadline) {
      const app = Math.random() < 0.5 ? first : second;
      const reader = await follow(app, ids.at(-1) ?? 0);
      await reader.receive(1 + Math.floor(Math.random() * 8), 50 + Math.random() * 200);
      reader.close();
      ids.push(...reader.ids);
    }
    return ids;
  }

  it('see every event exactly once and in order, whoever writes where', async () => {
    let last: number | null = null;
    const assembled = numbers(4).map(() => assemble(() => last));
    const writers = numbers(6).map(async (n) => {
      const app = n % 2 === 0 ? first : second;
      for (let i = 0; i < 12; i++) {
        if (Math.random() < 0.3) await interrupt(app);
        else await post(`${n}.${i}`, app);
        await delay(Math.random() * 10);
      }
    });
    await Promise.all(writers);
    const sql = `SELECT event_seq::int AS seq FROM sessions WHERE id = $1`;
    last = (await query<{ seq: number }>(first.database.url, sql, [session.id]))[0]?.seq ?? 0;
    expect(last).toBeGreaterThan(50);
    for (const ids of await Promise.all(assembled)) expect(ids).toEqual(numbers(last));
  });
});
