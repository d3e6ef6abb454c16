import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { EVENT_KIND } from '../../src/modules/ingest/event-codes.js';
import { EventWriter } from '../../src/modules/ingest/event-writer.js';
import type { ApiAnswer } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import {
  anEvent,
  dirtyDays,
  EVENT_AT,
  INGEST,
  NDJSON,
  type SentEvent,
  sendEvents,
  storedEvents,
} from '../support/given-events.js';
import { givenComputer, givenMessage, givenSession, SESSIONS } from '../support/given-session.js';
import { itLong } from '../support/long.js';
import { ManualClock } from '../support/manual-clock.js';
import { stopAggregation } from '../support/stop-aggregation.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let replica: TestApp;
let org: GivenOrganization;
let owner: GivenUser;

beforeAll(async () => {
  const options = { clock, env: { RATE_LIMIT_PER_MINUTE: '1000000' } };
  app = await TestApp.start(options);
  replica = await TestApp.start({ ...options, database: app.database });
  await Promise.all([stopAggregation(app), stopAggregation(replica)]);
});
beforeEach(async () => {
  org = await app.given.organization();
  owner = org.owner;
});
afterAll(async () => {
  await replica.stop();
  await app.stop();
});

const send = async (events: SentEvent[], through = app) => counts(await sendEvents(through, owner, events));
const counts = ({ status, body }: ApiAnswer) =>
  status === 200 ? [body.accepted, body.duplicates, body.rejectedCount] : status;
const some = (count: number, fields: Record<string, unknown> = {}) =>
  Array.from({ length: count }, () => anEvent('model_call', fields));
const storedIds = async () => (await storedEvents(app, org.id)).map(({ id }) => id);
const monthUsage = async () => (await app.as(owner).get('/api/v0/me')).body.usage.used as number;

describe('an event that comes again', () => {
  it('in the same request counts once', async () => {
    const [a, b] = some(2) as [SentEvent, SentEvent];
    expect(await send([a, b, a, a])).toEqual([2, 2, 0]);
    expect(await storedIds()).toHaveLength(2);
  });

  it('in another request counts once, beside events that are new', async () => {
    const events = some(3);
    expect(await send(events)).toEqual([3, 0, 0]);
    expect(await send([...events, ...some(1)])).toEqual([1, 3, 0]);
    expect(await send(events)).toEqual([0, 3, 0]);
    expect([await storedIds(), await dirtyDays(app, org.id)]).toEqual([expect.any(Array), { '2026-11-14': 4 }]);
  });

  it('with another letter case in its id is the same event', async () => {
    const event = anEvent();
    expect(await send([event])).toEqual([1, 0, 0]);
    expect(await send([{ ...event, id: event.id.toUpperCase() }])).toEqual([0, 1, 0]);
  });

  it('with other content stays as it was', async () => {
    const event = anEvent('tool_call', { tool: 'Read' });
    await send([event]);
    expect(await send([{ ...event, tool: 'Write', at: '2026-11-14T23:00:00Z' }])).toEqual([0, 1, 0]);
    expect((await storedEvents(app, org.id)).map(({ name, at }) => [name, at])).toEqual([['Read', EVENT_AT]]);
  });

  it('on another day is another event, in the same request as well', async () => {
    const event = anEvent();
    const nextDay = { ...event, at: '2026-11-15T00:00:00.000Z' };
    expect(await send([event, nextDay, { ...event, at: '2026-11-15T01:00:00+02:00' }])).toEqual([2, 1, 0]);
    expect(await send([nextDay, event])).toEqual([0, 2, 0]);
    expect(await dirtyDays(app, org.id)).toEqual({ '2026-11-14': 1, '2026-11-15': 1 });
  });

  it('from another organization is another event', async () => {
    const event = anEvent();
    await send([event]);
    const other = await app.given.organization();
    expect(counts(await sendEvents(app, other.owner, [event]))).toEqual([1, 0, 0]);
  });

  it('in many requests at once, through two replicas and in any order, counts once', async () => {
    const events = some(300);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => {
        const own = [...events.slice(i * 20), ...events.slice(0, i * 20)];
        return send(i % 3 === 0 ? own.reverse() : own, i % 2 === 0 ? app : replica);
      }),
    );
    const sum = (index: number) => answers.reduce<number>((all, answer) => all + ((answer as number[])[index] ?? 0), 0);
    expect([sum(0), sum(1), sum(2)]).toEqual([300, 11 * 300, 0]);
    expect((await storedIds()).sort()).toEqual(events.map(({ id }) => id).sort());
    expect([await monthUsage(), await dirtyDays(app, org.id)]).toEqual([300 * 110, { '2026-11-14': 300 }]);
  });

  it('in a later batch of the same lines counts once', async () => {
    const events = some(5_001);
    const body = [...events, events[0]].map((event) => JSON.stringify(event)).join('\n');
    expect(counts(await app.as(owner).post(INGEST, body, { 'Content-Type': NDJSON }))).toEqual([5_001, 1, 0]);
  });

  it('together with new ones from other requests of the same moment is told to the one who repeated it', async () => {
    const known = some(1);
    await send(known);
    const answers = await Promise.all([send(known), send(some(2)), send([...known, ...some(3)]), send(known)]);
    expect(answers).toEqual([
      [0, 1, 0],
      [2, 0, 0],
      [3, 1, 0],
      [0, 1, 0],
    ]);
  });
});

describe('what a model call has used', () => {
  const call = { inputTokens: 1000, outputTokens: 50, cacheReadTokens: 600, cacheWriteTokens: 100, thinkingTokens: 20 };

  it('is in the month of its user and in its session, once however often it is sent', async () => {
    const session = await givenSession(app, owner);
    const events = [...some(2, { ...call, sessionId: session.id }), anEvent('tool_call', { sessionId: session.id })];
    for (let i = 0; i < 3; i++) await send(events);
    const { body } = await app.as(owner).get(session.path);
    expect(body.sessionSettings.tokenUsage ?? body.tokenUsage).toMatchObject({
      inputTokens: 2000,
      outputTokens: 100,
      cacheReadTokens: 1200,
      cacheCreationTokens: 200,
      thinkingTokens: 40,
    });
    expect(await monthUsage()).toBe(2 * 535);
  });

  it('is of the user whom it names and of the month in which it was', async () => {
    const member = await app.given.user(org);
    const at = '2026-10-31T23:59:59.999Z';
    await send(some(1, { ...call, userId: member.id }).concat(some(3, { ...call, at })));
    expect([await monthUsage(), (await app.as(member).get('/api/v0/me')).body.usage.used]).toEqual([0, 535]);
    const months = await query(
      app.database.url,
      `SELECT month::text, billable_tokens::int AS used FROM user_month_usage WHERE user_id = $1`,
      [owner.id],
    );
    expect(months).toEqual([{ month: '2026-10-01', used: 3 * 535 }]);
  });

  it('does not touch the session of somebody else', async () => {
    const session = await givenSession(app, await app.given.user(org));
    await send(some(1, { ...call, sessionId: session.id }));
    const { body } = await app.as(session.user).get(session.path);
    expect(JSON.stringify(body)).not.toContain('1000');
  });
});

describe('what happens through the v0 API', () => {
  const recorded = async () =>
    (await storedEvents(app, org.id)).map(({ type, client, userId }) => [type, client, userId]);

  it('is recorded with the thing itself: a session once', async () => {
    const session = await givenSession(app, owner);
    expect(await storedEvents(app, org.id)).toMatchObject([
      { type: 'session_started', sessionKey: session.id, userId: owner.id, client: 'non-interactive-cli' },
    ]);
    expect(await dirtyDays(app, org.id)).toEqual({ '2026-11-15': 1 });
  });

  it('is recorded with the thing itself: each message once, also when it is replayed', async () => {
    const session = await givenSession(app, owner);
    const key = { 'Idempotency-Key': randomUUID() };
    for (let i = 0; i < 2; i++) await app.as(owner).post(`${session.path}/messages`, { text: 'hello' }, key);
    await givenMessage(app, session, 'again');
    expect((await recorded()).map(([type]) => type).sort()).toEqual([
      'session_started',
      'user_message',
      'user_message',
    ]);
    expect(await dirtyDays(app, org.id)).toEqual({ '2026-11-15': 3 });
  });

  it('leaves nothing when it fails', async () => {
    const session = await givenSession(app, owner);
    await query(app.database.url, `INSERT INTO session_events VALUES ($1, $2, 1, 'x', NULL, NULL, now())`, [
      org.id,
      session.id,
    ]);
    expect((await app.as(owner).post(`${session.path}/messages`, { text: 'hello' })).status).toBeGreaterThan(400);
    expect((await app.as(owner).post(SESSIONS, { computerId: randomUUID() })).status).toBe(404);
    expect([(await recorded()).length, await dirtyDays(app, org.id)]).toEqual([1, { '2026-11-15': 1 }]);
  });

  it('is itself undone when it cannot be recorded', async () => {
    const computerId = await givenComputer(app, owner);
    await query(app.database.url, `ALTER TABLE dirty_days ADD CONSTRAINT no_marks CHECK (events > 1) NOT VALID`);
    const { status } = await app.as(owner).post(SESSIONS, { computerId });
    await query(app.database.url, `ALTER TABLE dirty_days DROP CONSTRAINT no_marks`);
    expect([status, (await app.as(owner).get(SESSIONS)).body.sessions]).toEqual([500, []]);
  });
});

describe('when more comes than can be written', () => {
  itLong('the rest is turned away with 429 and Retry-After, and nothing is lost or doubled', async () => {
    const [first, ...events] = some(31) as [SentEvent, ...SentEvent[]];
    await send([first]); // there is a partition now
    const [row] = await query<{ nameId: number; detailId: number }>(
      app.database.url,
      `SELECT name_id AS "nameId", detail_id AS "detailId" FROM events WHERE org_id = $1`,
      [org.id],
    );
    const { writing, release } = await whileWriting(events.slice(0, 10));
    // 60,000 may wait.
    const crowd = Array.from({ length: 59_990 }, () => ({ ...aRow(), ...row, id: randomUUID() }));
    const crowded = app.nest.get(EventWriter).write(org.id, crowd);
    const waiting = send(events.slice(10, 20));
    await eventually('there is room for none', async () => (await send(events.slice(20, 21))) === 429);
    const refused = await sendEvents(app, owner, events.slice(20));
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    const lines = events.map((event) => JSON.stringify(event)).join('\n');
    expect((await app.as(owner).post(INGEST, lines, { 'Content-Type': NDJSON })).status).toBe(429);
    expect(counts(await sendEvents(app, owner, []))).toEqual([0, 0, 0]);

    await release();
    expect([await writing, (await crowded).length, await waiting]).toEqual([[10, 0, 0], 59_990, [10, 0, 0]]);
    expect(await send(events)).toEqual([10, 20, 0]);
    expect(new Set(await storedIds()).size).toBe(60_021);
    expect([await monthUsage(), await dirtyDays(app, org.id)]).toEqual([60_021 * 110, { '2026-11-14': 60_021 }]);
  });

  it('what waits is written together, and an event that several bring is new for the first of them', async () => {
    const [first, writtenNow, twice] = some(3) as [SentEvent, SentEvent, SentEvent];
    await send([first]);
    const { writing, release } = await whileWriting([writtenNow]);
    const waiting = [send([twice, ...some(1)]), send([twice]), send([first, twice])];
    await delay(300);
    await release();
    expect([await writing, ...(await Promise.all(waiting))]).toEqual([
      [1, 0, 0],
      [2, 0, 0],
      [0, 1, 0],
      [0, 2, 0],
    ]);
    expect([await monthUsage(), await dirtyDays(app, org.id)]).toEqual([4 * 110, { '2026-11-14': 4 }]);
  });

  it('a full batch is written beside the one before', async () => {
    const [first, writtenNow, ...events] = some(4) as [SentEvent, SentEvent, ...SentEvent[]];
    await send([first]);
    const { writing, waitingForLock, release } = await whileWriting([writtenNow]);
    const batch = Array.from({ length: 5_000 }, () => ({ ...aRow(), id: randomUUID() }));
    const small = send(events);
    const full = app.nest.get(EventWriter).write(org.id, batch);
    await eventually('both write', async () => (await waitingForLock()) === 2);
    await release();
    expect([await writing, await small, (await full).length]).toEqual([[1, 0, 0], [2, 0, 0], 5_000]);
    expect([await monthUsage(), await dirtyDays(app, org.id)]).toEqual([5_004 * 110, { '2026-11-14': 5_004 }]);
  });

  /** Sends events and keeps them from being written until they are released. */
  async function whileWriting(events: SentEvent[]) {
    const lock = new pg.Client({ connectionString: app.database.url });
    await lock.connect();
    await lock.query('BEGIN; LOCK TABLE events_20261114 IN SHARE MODE');
    const writing = send(events);
    const waits = `SELECT 1 FROM pg_locks l WHERE NOT l.granted AND l.relation = 'events_20261114'::regclass`;
    const waitingForLock = async () => (await lock.query(waits)).rowCount;
    await eventually('a writer waits for the lock', async () => (await waitingForLock()) === 1);
    const release = async () => {
      await lock.query('COMMIT');
      await lock.end();
    };
    return { writing, waitingForLock, release };
  }

  const aRow = () => ({
    id: '',
    kind: EVENT_KIND.model_call,
    at: EVENT_AT,
    userId: owner.id,
    sessionKey: null,
    client: 1,
    autonomy: null,
    tier: 1,
    nameId: 1,
    detailId: 1,
    inputTokens: 100,
    outputTokens: 10,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: null,
    thinkingTokens: 0,
    billableTokens: 110,
    reportedCost: null,
    isSum: false,
  });
});
