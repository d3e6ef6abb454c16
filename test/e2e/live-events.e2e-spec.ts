import { SchedulerRegistry } from '@nestjs/schedule';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../src/common/new-id.js';
import { Role } from '../../src/common/access/role.enum.js';
import { SourceCounts } from '../../src/modules/telemetry/sources/source-counts.js';
import { LiveReads } from '../../src/modules/live/live-reads.js';
import { EventReader, type ReceivedEvent } from '../support/event-reader.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenComputer, givenMessage, givenSession, givenSharedComputer } from '../support/given-session.js';
import { otlpSample, replaced, splitRequest } from '../support/otlp-requests.js';
import { RelayAgent, says } from '../support/relay-agent.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const EVENTS = '/api/v0/events';
/** Longer than changes are gathered. */
const MOMENT_MS = 600;

let app: TestApp;
let replica: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let bob: GivenUser;
const readers: EventReader[] = [];

beforeAll(async () => {
  app = await TestApp.start();
  replica = await TestApp.start({ database: app.database });
  for (const each of [app, replica]) each.nest.get(SchedulerRegistry).deleteInterval('replica-heartbeat');
});
beforeEach(async () => {
  org = await app.given.organization();
  ada = await app.given.user(org);
  bob = await app.given.user(org);
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(async () => {
  await replica.stop();
  await app.stop();
});

async function follow(user: GivenUser, on = app, lastEventId?: string | number): Promise<EventReader> {
  const reader = await EventReader.open(on, { path: '/api/v0', user }, { lastEventId });
  readers.push(reader);
  if (reader.response.statusCode === 200) await reader.receive(1);
  return reader;
}

const named = (reader: EventReader, event: string) => reader.events.filter((each) => each.event === event);
const until = (reader: EventReader, isMeant: (event: ReceivedEvent) => boolean) =>
  eventually('the event arrives', () => reader.events.find(isMeant));
const untilStatus = (reader: EventReader, status: string) =>
  until(reader, ({ event, data }) => event === 'session.changed' && data.status === status);

describe('a stream', () => {
  it('begins with ready, and with resync for a reader that comes back', async () => {
    const reader = await follow(ada);
    expect(reader.events).toEqual([{ id: expect.stringMatching(/^\d{13}$/), event: 'ready', data: {} }]);
    const back = await follow(ada, app, reader.ids[0]);
    expect(back.events).toMatchObject([{ event: 'resync', data: {} }]);
  });

  it('of whatever Last-Event-ID is no number is 400', async () => {
    expect((await follow(ada, app, 'x')).response.statusCode).toBe(400);
  });

  it('tells on every replica of a new session, its status and its end', async () => {
    const computerId = await givenComputer(app, ada);
    const streams = [await follow(ada), await follow(ada, replica)];
    const session = await givenSession(app, ada, computerId);
    for (const reader of streams) {
      const { data } = await untilStatus(reader, 'idle');
      expect(data).toEqual({ sessionId: session.id, status: 'idle', computerId });
    }
    await givenMessage(app, session, 'Hello');
    for (const reader of streams) {
      const { data } = await untilStatus(reader, 'pending');
      expect(data).toEqual({ sessionId: session.id, status: 'pending', computerId, title: 'Hello' });
    }
    await app.as(ada).delete(session.path);
    for (const reader of streams) {
      const { data } = await until(reader, ({ event }) => event === 'session.deleted');
      expect(data).toEqual({ sessionId: session.id });
    }
  });

  it('tells nothing of the sessions of others', async () => {
    const computerId = await givenSharedComputer(app, org.owner);
    const [own, others, foreign] = [
      await follow(ada),
      await follow(bob),
      await follow((await app.given.organization()).owner),
    ];
    await givenSession(app, ada, computerId);
    await untilStatus(own, 'idle');
    await delay(MOMENT_MS);
    expect(named(others, 'session.changed')).toEqual([]);
    expect(foreign.events.map(({ event }) => event)).toEqual(['ready']);
  });

  it('tells everybody of computers: registered, online, busy, offline, deleted', async () => {
    const reader = await follow(bob, replica);
    const computerId = await givenComputer(app, ada);
    const computer = (wanted: object) =>
      eventually('the computer is told of', () =>
        named(reader, 'computer.changed').find(
          ({ data }) => data.computerId === computerId && Object.entries(wanted).every(([k, v]) => data[k] === v),
        ),
      );
    await computer({ online: false });
    const agent = await RelayAgent.connect(app.url, ada.key, computerId);
    const { data } = await computer({ online: true });
    const { body } = await app.as(bob).get('/api/v0/computers/presence');
    expect(data).toEqual(body.computers[0]);
    const session = await givenSession(app, ada, computerId);
    await givenMessage(app, session, 'one');
    await computer({ runningTurns: 1 });
    await givenMessage(app, session, 'two');
    await computer({ waitingTurns: 1 });
    await agent.end();
    await computer({ online: false, runningTurns: 1 });
    await app.as(ada).post(`${session.path}/interrupt`);
    await app.as(ada).delete(`/api/v0/computers/${computerId}`);
    await until(reader, ({ event, data: told }) => event === 'computer.deleted' && told.computerId === computerId);
  });

  it('tells a user of new keys, and owners of everybody’s', async () => {
    const [own, owners, others] = [await follow(ada), await follow(org.owner), await follow(bob)];
    await app.as(ada).post('/api/v0/api-keys', { name: 'new' });
    await until(own, ({ event }) => event === 'keys.changed');
    await until(owners, ({ event }) => event === 'keys.changed');
    expect(named(others, 'keys.changed')).toEqual([]);
  });

  it('tells a user on every replica of telemetry that was counted, within two seconds', async () => {
    const streams = [await follow(ada), await follow(ada, replica)];
    const [others, foreign] = [await follow(bob), await follow((await app.given.organization()).owner)];
    const sentAt = performance.now();
    await app.as(ada).post('/api/otlp/v1/logs', otlpSample('claude-code-logs-http-json'));
    for (const reader of streams) {
      const { data } = await until(reader, ({ event }) => event === 'telemetry.seen');
      expect(data).toEqual({ agent: 'claude-code' });
    }
    expect(performance.now() - sentAt).toBeLessThan(2_000);
    for (const reader of [others, foreign]) expect(named(reader, 'telemetry.seen')).toEqual([]);
    const { body } = await app.as(ada).get('/api/v0/telemetry/sources');
    expect(body.sources).toMatchObject([{ agent: 'claude-code', counted: expect.any(Number) }]);
  });

  it('tells of telemetry less often than it comes, and of what was ignored nothing', async () => {
    const reader = await follow(ada);
    const prompt = splitRequest(otlpSample('claude-code-logs-http-json'))[0] ?? {};
    await app.as(ada).post('/api/otlp/v1/logs', replaced(prompt, '"user_prompt"', '"brand_new"'));
    await app.nest.get(SourceCounts).flush();
    for (const version of ['1.0.0', '1.0.1', '1.0.2']) {
      await app.as(ada).post('/api/otlp/v1/logs', replaced(prompt, '2.1.197', version));
    }
    await app.nest.get(SourceCounts).flush();
    await until(reader, ({ event }) => event === 'telemetry.seen');
    await delay(MOMENT_MS);
    // Sources are written once a second, which may fall between these requests.
    expect(named(reader, 'telemetry.seen').length).toBeLessThanOrEqual(2);
  });

  it('tells of the telemetry of hundreds of people at once', async () => {
    const [reader, now] = [await follow(ada), new Date()];
    const ids = [...Array.from({ length: 300 }, () => newId()), ada.id];
    for (const userId of ids) {
      const counts = { counted: 1, ignored: 0, refused: 0, refusal: null };
      const source = { userId, agent: 'codex', version: '1.0.0', firstSeenAt: now, seenAt: now, ...counts } as const;
      app.nest.get(SourceCounts).add(org.id, source);
    }
    await app.nest.get(SourceCounts).flush();
    const { data } = await until(reader, ({ event }) => event === 'telemetry.seen');
    expect(data).toEqual({ agent: 'codex' });
  });

  it('says resync after the service was cut off from its notifications', async () => {
    const reader = await follow(ada);
    await query(
      app.database.url,
      `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a
        WHERE a.datname = current_database() AND a.application_name = 'agent-platform notifications'`,
    );
    await until(reader, ({ event }) => event === 'resync');
  });
});

describe('the end of a stream', () => {
  it('comes within a second after its key was revoked, on every replica', async () => {
    const { body } = await app.as(ada).post('/api/v0/api-keys', { name: 'short' });
    const streams = [await follow({ ...ada, key: body.key }), await follow({ ...ada, key: body.key }, replica)];
    await app.as(ada).delete(`/api/v0/api-keys/${body.id}`);
    for (const reader of streams) expect(await reader.end(1_000)).toBe(true);
  });

  it('comes when the role of the user changes', async () => {
    const reader = await follow(bob, replica);
    await app.as(org.owner).patch(`/api/v0/organization/users/${bob.id}`, { role: Role.Guest });
    expect(await reader.end(1_000)).toBe(true);
    expect((await follow(bob, replica)).response.statusCode).toBe(403);
  });

  it('comes when the service stops', async () => {
    const third = await TestApp.start({ database: app.database });
    const reader = await follow(ada, third);
    await third.stop();
    expect(await reader.end()).toBe(true);
  });
});

describe('what streams cost', () => {
  it('a user holds as many as MAX_STREAMS_PER_USER, and gets them back', async () => {
    const small = await TestApp.start({ database: app.database, env: { MAX_STREAMS_PER_USER: '2' } });
    const [first] = [await follow(ada, small), await follow(ada, small)];
    expect((await follow(ada, small)).response.statusCode).toBe(429);
    first.close();
    await eventually('there is room again', async () => (await follow(ada, small)).response.statusCode === 200);
    for (const reader of readers.splice(0)) reader.close();
    await small.stop();
  });

  it('nothing is read for messages that leave the status as it is, and once for all tabs otherwise', async () => {
    const reads: number[] = [];
    const live = app.nest.get(LiveReads);
    const original = live.sessions.bind(live);
    live.sessions = (orgId, wanted) => {
      if (orgId === org.id) reads.push(wanted.length);
      return original(orgId, wanted);
    };
    const tabs = await Promise.all(Array.from({ length: 10 }, () => follow(ada)));
    const session = await givenSession(app, ada, await givenComputer(app, ada));
    const agent = await RelayAgent.connect(app.url, ada.key, session.computerId);
    await givenMessage(app, session, 'Hello');
    const turn = await agent.turn();
    for (const tab of tabs) await untilStatus(tab, 'running');
    await delay(MOMENT_MS);
    reads.length = 0;
    for (let i = 0; i < 20; i++) await agent.put(turn, says(`Message ${i}`));
    await delay(MOMENT_MS);
    expect(reads.reduce((sum, each) => sum + each, 0)).toBe(0);
    await agent.endTurn(turn);
    const told = () => tabs.every((tab) => named(tab, 'session.changed').at(-1)?.data.status === 'idle');
    await eventually('all tabs know', told);
    expect(reads.filter((each) => each > 0)).toEqual([1]);
    await agent.end();
    live.sessions = original;
  });
});

it('is for people who have sessions', async () => {
  const guest = await app.given.user(org, { role: Role.Guest });
  expect((await app.as(guest).get(EVENTS)).status).toBe(403);
});
