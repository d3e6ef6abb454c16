import { randomUUID } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import type { EventType } from '../../src/modules/ingest/event-codes.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { anEvent, dirtyDays, sendEvents, storedEvents } from '../support/given-events.js';
import { givenSession } from '../support/given-session.js';
import { ManualClock } from '../support/manual-clock.js';
import { stopAggregation } from '../support/stop-aggregation.js';
import { TestApp } from '../support/test-app.js';
import { query } from '../support/test-database.js';

const NOW = '2026-11-15T08:30:00.000Z';
const clock = new ManualClock(NOW);
let app: TestApp;
let org: GivenOrganization;
let owner: GivenUser;

beforeAll(async () => {
  app = await TestApp.start({ clock, env: { EVENT_RETENTION_DAYS: '100', ANALYTICS_FIRST_DAY: '2026-08-01' } });
  await stopAggregation(app);
});
beforeEach(async () => {
  clock.set(NOW);
  org = await app.given.organization();
  owner = org.owner;
});
afterAll(() => app.stop());

const stored = () => storedEvents(app, org.id);
/** Sends one event that has to be accepted and returns how it is stored. */
async function store(type: EventType, fields: Record<string, unknown>, user = owner) {
  const event = anEvent(type, fields);
  const { body } = await sendEvents(app, user, [event]);
  expect(body).toEqual({ accepted: 1, duplicates: 0, rejectedCount: 0, rejected: [] });
  return (await storedEvents(app, user.orgId, [event.id]))[0];
}
/** Sends one event beside a good one and returns why it was rejected. */
async function rejection(event: unknown, user = owner): Promise<string> {
  const { status, body } = await sendEvents(app, user, [anEvent(), event]);
  expect([status, body.accepted, body.rejectedCount, body.rejected.length]).toEqual([200, 1, 1, 1]);
  expect(body.rejected[0].index).toBe(1);
  return body.rejected[0].error;
}

describe('the day of an event', () => {
  it.each([
    ['2026-11-15T08:35:00.000Z', 'five minutes ahead'],
    ['2026-11-14T23:59:59.999Z', 'the last millisecond of a day'],
    ['2026-11-15T01:59:59.999+02:00', 'another day where it was'],
    ['2026-08-07T00:00:00.000Z', 'the first day of retention'],
  ])('%s is taken: %s', async (at) => {
    const day = new Date(at).toISOString().slice(0, 10);
    expect(await store('user_message', { at })).toMatchObject({ at: new Date(at).toISOString() });
    expect(await dirtyDays(app, org.id)).toEqual({ [day]: 1 });
    const partition = `events_${day.replaceAll('-', '')}`;
    const [found] = await query<{ n: number }>(
      app.database.url,
      `SELECT count(*)::int AS n FROM ${partition} e WHERE e.org_id = $1`,
      [org.id],
    );
    expect(found?.n).toBe(1);
  });

  it.each([
    ['2026-11-15T08:35:00.001Z', 'at lies in the future'],
    ['2026-11-15T06:35:00.001-02:00', 'at lies in the future'],
    ['2026-08-06T23:59:59.999Z', 'at lies before 2026-08-07, the first day that is kept'],
    ['2026-08-07T00:00:00+00:01', 'at lies before 2026-08-07, the first day that is kept'],
    ['2020-01-01T00:00:00Z', 'at lies before 2026-08-07, the first day that is kept'],
  ])('%s is rejected: %s', async (at, error) => {
    expect(await rejection(anEvent('user_message', { at }))).toBe(error);
  });

  it.each(['9999-12-31T23:59:59-01:00', '0000-01-01T00:00:00+01:00'])(
    '%s is no instant of this calendar',
    async (at) => {
      expect(await rejection(anEvent('user_message', { at }))).toContain('at must be an ISO 8601 date-time');
    },
  );

  it('before the first day of analytics is rejected, though retention would reach further', async () => {
    clock.set('2026-08-10T12:00:00Z');
    const ats = ['2026-08-01T00:00:00Z', '2026-07-31T23:59:59.999Z'];
    const { body } = await sendEvents(
      app,
      owner,
      ats.map((at) => anEvent('user_message', { at })),
    );
    expect([body.accepted, body.rejected[0].error]).toEqual([
      1,
      'at lies before 2026-08-01, the first day that is kept',
    ]);
  });

  it('that was dropped stays closed, and says so', async () => {
    const at = '2026-09-09T12:00:00Z';
    await query(app.database.url, `INSERT INTO event_days (day, dropped_at) VALUES ('2026-09-09', now())`);
    expect(await rejection(anEvent('user_message', { at }))).toBe('the events of 2026-09-09 have been dropped');
    await query(app.database.url, `DELETE FROM event_days WHERE day = '2026-09-09'`);
  });
});

describe('whose an event is', () => {
  let member: GivenUser;
  beforeEach(async () => {
    member = await app.given.user(org, { email: `Ada.${randomUUID()}@Example.com` });
  });

  it.each([Role.Owner, Role.Manager])('is for %s to say, by id or address in any letter case', async (role) => {
    const reporter = await app.given.user(org, { role });
    for (const user of [
      { userId: member.id },
      { userId: member.id.toUpperCase() },
      { userEmail: member.email },
      { userEmail: member.email.toUpperCase() },
    ]) {
      expect(await store('user_message', user, reporter)).toMatchObject({ userId: member.id });
    }
  });

  it.each(['userId', 'userEmail'])('is the caller when a member names themselves by %s', async (field) => {
    const value = field === 'userId' ? member.id.toUpperCase() : member.email.toUpperCase();
    expect(await store('user_message', { [field]: value }, member)).toMatchObject({ userId: member.id });
  });

  it.each(['userId', 'userEmail'])('is not for a member to say of others by %s', async (field) => {
    const event = anEvent('user_message', { [field]: field === 'userId' ? owner.id : owner.email });
    expect(await rejection(event, member)).toBe('only an owner or a manager may report for other users');
    expect((await stored()).map(({ userId }) => userId)).toEqual([member.id]);
  });

  it.each([
    ['address', () => ({ userEmail: 'nobody@example.com' })],
    ['id', () => ({ userId: randomUUID() })],
    ['address of another organization', async () => ({ userEmail: (await app.given.organization()).owner.email })],
    ['id of another organization', async () => ({ userId: (await app.given.organization()).owner.id })],
  ])('is rejected singly for an unknown %s', async (_what, user) => {
    expect(await rejection(anEvent('user_message', await user()))).toBe('the organization has no such user');
  });

  it('may be somebody who has left, since events come late', async () => {
    await app.as(owner).delete(`/api/v0/organization/users/${member.id}`);
    expect(await store('user_message', { userEmail: member.email })).toMatchObject({ userId: member.id });
  });

  it('is of no interest for a guest: nothing is taken', async () => {
    const guest = await app.given.user(org, { role: Role.Guest });
    expect((await sendEvents(app, guest, [anEvent()])).status).toBe(403);
    expect(await stored()).toEqual([]);
  });
});

describe('the client of an event', () => {
  /** Sends these events in requests of their own and returns the clients that they are stored with. */
  async function clientsOf(requests: (string | undefined)[][], sessionId = 's-1', user = owner): Promise<string[]> {
    const sent: string[] = [];
    for (const clients of requests) {
      const events = clients.map((client) => anEvent('user_message', { sessionId, client }));
      sent.push(...events.map(({ id }) => id));
      expect((await sendEvents(app, user, events)).body.accepted).toBe(events.length);
    }
    const rows = await storedEvents(app, org.id, sent);
    return sent.map((id) => rows.find((row) => row.id === id)?.client ?? 'lost');
  }

  it.each<[string, (string | undefined)[][], string[]]>([
    ['the one it names', [['web', 'terminal-ui']], ['web', 'terminal-ui']],
    ['for automated runs when none was ever seen', [[undefined]], ['non-interactive-cli']],
    ['the first of its session in the request', [['web', 'terminal-ui', undefined]], ['web', 'terminal-ui', 'web']],
    [
      'the first of its session in an earlier request',
      [['web'], ['terminal-ui', undefined], [undefined]],
      ['web', 'terminal-ui', 'web', 'web'],
    ],
    [
      'for automated runs as long as none was seen, in the order of arrival',
      [[undefined, 'web', undefined], [undefined]],
      ['non-interactive-cli', 'web', 'web', 'web'],
    ],
    [
      'not settled by an event that names none',
      [[undefined], ['terminal-ui'], [undefined]],
      ['non-interactive-cli', 'terminal-ui', 'terminal-ui'],
    ],
  ])('is %s', async (_what, requests, clients) => {
    expect(await clientsOf(requests)).toEqual(clients);
  });

  it('is remembered in the database, for replicas and restarts', async () => {
    await clientsOf([['web']]);
    const replica = await TestApp.start({ clock, database: app.database });
    const event = anEvent('user_message', { sessionId: 's-1' });
    await sendEvents(replica, owner, [event]);
    await replica.stop();
    expect((await storedEvents(app, org.id, [event.id]))[0]?.client).toBe('web');
  });

  it('is that of the session of this user, not of another one with the same sessionId', async () => {
    const other = await app.given.user(org);
    await clientsOf([['web']]);
    expect(await clientsOf([[undefined]], 's-1', other)).toEqual(['non-interactive-cli']);
    expect(await clientsOf([[undefined]], 's-2')).toEqual(['non-interactive-cli']);
  });

  it('is the one for automated runs in sessions of this service, whatever comes later', async () => {
    const session = await givenSession(app, owner);
    expect(await clientsOf([['web', undefined], [undefined]], session.id)).toEqual([
      'web',
      'non-interactive-cli',
      'non-interactive-cli',
    ]);
  });

  it('is the one it names or the usual one without a session', async () => {
    expect(await store('user_message', { client: 'web' })).toMatchObject({ client: 'web', sessionKey: null });
    expect(await store('user_message', {})).toMatchObject({ client: 'non-interactive-cli' });
  });
});
