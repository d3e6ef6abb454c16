import { Role } from '../../src/common/access/role.enum.js';
import type { ApiClient } from '../support/api-client.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { givenMessage, givenSession, givenSharedComputer } from '../support/given-session.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';

const SESSIONS = '/api/v0/organization/sessions';
const SETTINGS = '/api/v0/organization/settings';
const AUDIT_LOG = '/api/v0/organization/audit-log';
const clock = new ManualClock('2026-11-15T08:30:00.000Z');

let app: TestApp;
let org: GivenOrganization;
let owner: ApiClient;
let ada: GivenUser;
let bob: GivenUser;
let computerId: string;

beforeAll(async () => {
  app = await TestApp.start({ clock });
});
beforeEach(async () => {
  org = await app.given.organization();
  owner = app.as(org.owner);
  ada = await app.given.user(org);
  bob = await app.given.user(org);
  computerId = await givenSharedComputer(app, org.owner);
});
afterAll(() => app.stop());

const idsOf = (body: { sessions: { sessionId: string }[] }) => body.sessions.map(({ sessionId }) => sessionId);
const list = async (query = '') => idsOf((await owner.get(SESSIONS + query)).body);
const allowOwners = () => owner.put(SETTINGS, { sessionContentAccess: 'owners' });
const looks = async () =>
  (await owner.get(`${AUDIT_LOG}?limit=100`)).body.entries.filter(
    ({ action }: { action: string }) => action === 'session.content_read',
  );

describe('the sessions of the organization', () => {
  it('are those of everybody, newest first, without title', async () => {
    const first = await givenSession(app, ada, computerId);
    clock.advance(1_000);
    const second = await givenSession(app, bob, computerId);
    await givenMessage(app, second, 'A secret plan');
    const { body, text } = await owner.get(SESSIONS);
    expect(idsOf(body)).toEqual([second.id, first.id]);
    expect(body.sessions[0]).toEqual({
      sessionId: second.id,
      userId: bob.id,
      userEmail: bob.email,
      computerId,
      computerName: expect.any(String),
      status: 'pending',
      messageCount: 1,
      tokenUsage: {
        inputTokens: 0,
        outputTokens: 0,
        cacheCreationTokens: 0,
        cacheReadTokens: 0,
        thinkingTokens: 0,
      },
      createdAt: clock.now().toISOString(),
      updatedAt: clock.now().toISOString(),
    });
    expect(text).not.toContain('secret');
  });

  it('can be chosen by user, computer, status and time', async () => {
    const elsewhere = await givenSharedComputer(app, org.owner);
    const from = clock.now().toISOString();
    const one = await givenSession(app, ada, computerId);
    clock.advance(1_000);
    const to = clock.now().toISOString();
    const two = await givenSession(app, bob, elsewhere);
    await givenMessage(app, two, 'Hello');
    expect(await list(`?userId=${ada.id}`)).toEqual([one.id]);
    expect(await list(`?computerId=${elsewhere}`)).toEqual([two.id]);
    expect(await list('?computerId=nowhere')).toEqual([]);
    expect(await list('?status=pending')).toEqual([two.id]);
    expect(await list(`?from=${to}`)).toEqual([two.id]);
    expect(await list(`?from=${from}&to=${to}`)).toEqual([one.id]);
    expect(await list(`?userId=${ada.id}&status=pending`)).toEqual([]);
  });

  it('are paged to their end, also when they were created in one millisecond', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await givenSession(app, i % 2 ? ada : bob, computerId)).id);
    const seen: string[] = [];
    for (let query = '?limit=2'; query !== '';) {
      const { body } = await owner.get(SESSIONS + query);
      seen.push(...idsOf(body));
      query = body.pagination.hasMore ? `?limit=2&cursor=${body.pagination.nextCursor}` : '';
    }
    expect([...seen].sort()).toEqual([...ids].sort());
    expect(new Set(seen).size).toBe(ids.length);
  });

  it('do not go on with the cursor of another query', async () => {
    for (let i = 0; i < 2; i++) await givenSession(app, ada, computerId);
    const { body } = await owner.get(`${SESSIONS}?limit=1`);
    const { status } = await owner.get(`${SESSIONS}?limit=1&status=idle&cursor=${body.pagination.nextCursor}`);
    expect(status).toBe(400);
  });

  it.each([
    ['userId', 'userId=x', 'must be a UUID'],
    ['status', 'status=done', 'must be one of idle, pending, running'],
    ['from', 'from=2026-02-30T00:00:00Z', 'must be an ISO 8601 date-time'],
    ['to', 'from=2026-11-15T00:00:00Z&to=2026-11-15T00:00:00Z', 'must be later than from'],
    ['title', 'title=plan', ''],
  ])('with a wrong %s are 400', async (field, query, message) => {
    const { status, body } = await owner.get(`${SESSIONS}?${query}`);
    expect([status, body.detail]).toEqual([400, expect.stringContaining(message)]);
    expect(body.detail).toContain(field);
  });

  it('of another organization are not shown', async () => {
    await givenSession(app, ada, computerId);
    const other = await app.given.organization();
    expect((await app.as(other.owner).get(SESSIONS)).body.sessions).toEqual([]);
    expect((await app.as(other.owner).get(`${SESSIONS}?userId=${ada.id}`)).body.sessions).toEqual([]);
  });

  it('stay when their computer is deleted', async () => {
    const session = await givenSession(app, ada, computerId);
    await owner.delete(`/api/v0/computers/${computerId}`);
    const { body } = await owner.get(SESSIONS);
    expect(body.sessions).toEqual([expect.objectContaining({ sessionId: session.id, computerId })]);
    expect(body.sessions[0]).not.toHaveProperty('computerName');
  });
});

describe('the settings of the organization', () => {
  it('let nobody but its user read a session at first', async () => {
    expect((await owner.get(SETTINGS)).body).toEqual({ sessionContentAccess: 'own' });
  });

  it('are replaced, and the change is audited once', async () => {
    const { status, body } = await allowOwners();
    expect([status, body]).toEqual([200, { sessionContentAccess: 'owners' }]);
    await allowOwners();
    expect((await owner.get(SETTINGS)).body).toEqual({ sessionContentAccess: 'owners' });
    const { entries } = (await owner.get(`${AUDIT_LOG}?limit=100`)).body;
    const changes = entries.filter(({ action }: { action: string }) => action === 'organization_settings.changed');
    expect(changes).toEqual([
      expect.objectContaining({
        actor: { id: org.owner.id, email: org.owner.email },
        target: org.id,
        before: { sessionContentAccess: 'own' },
        after: { sessionContentAccess: 'owners' },
      }),
    ]);
  });

  it.each([
    [{}, 'sessionContentAccess'],
    [{ sessionContentAccess: 'everybody' }, 'must be one of own, owners'],
    [{ sessionContentAccess: null }, 'must be one of own, owners'],
    [{ sessionContentAccess: 'own', more: true }, 'more'],
  ])('%j is 400', async (body, message) => {
    const answer = await owner.put(SETTINGS, body);
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(message)]);
  });

  it('of another organization stay as they are', async () => {
    const other = await app.given.organization();
    await allowOwners();
    expect((await app.as(other.owner).get(SETTINGS)).body).toEqual({ sessionContentAccess: 'own' });
  });
});

describe('the messages of anybody’s session', () => {
  it('are 403 for an owner unless the setting allows it, and that leaves no entry', async () => {
    const session = await givenSession(app, ada, computerId);
    const { status, body } = await owner.get(`${SESSIONS}/${session.id}/messages`);
    expect([status, body.detail]).toEqual([403, expect.stringContaining('sessionContentAccess')]);
    expect(await looks()).toEqual([]);
  });

  it('are what its user sees, and every page that is read is an entry', async () => {
    const session = await givenSession(app, ada, computerId);
    for (let i = 0; i < 3; i++) await givenMessage(app, session, `Message ${i}`);
    await allowOwners();
    const path = `${SESSIONS}/${session.id}/messages`;
    const { body: first } = await owner.get(`${path}?limit=2`);
    const { body: rest } = await owner.get(`${path}?limit=2&cursor=${first.pagination.nextCursor}`);
    const { body: own } = await app.as(ada).get(`${session.path}/messages`);
    expect([...first.messages, ...rest.messages]).toEqual(own.messages);
    const entry = {
      actor: { id: org.owner.id, email: org.owner.email },
      target: session.id,
      after: { userId: ada.id },
    };
    expect(await looks()).toEqual([expect.objectContaining(entry), expect.objectContaining(entry)]);
  });

  it('can be chosen by role', async () => {
    const session = await givenSession(app, ada, computerId);
    await givenMessage(app, session, 'Hello');
    await allowOwners();
    const { body } = await owner.get(`${SESSIONS}/${session.id}/messages?role=assistant`);
    expect(body.messages).toEqual([]);
    expect((await owner.get(`${SESSIONS}/${session.id}/messages?role=system`)).status).toBe(400);
  });

  it('are closed to managers, and the route of the session stays 404 for owners', async () => {
    const session = await givenSession(app, ada, computerId);
    await allowOwners();
    const manager = await app.given.user(org, { role: Role.Manager });
    expect((await app.as(manager).get(`${SESSIONS}/${session.id}/messages`)).status).toBe(403);
    expect((await owner.get(`${session.path}/messages`)).status).toBe(404);
  });

  it('of an unknown session or of another organization are 404', async () => {
    const session = await givenSession(app, ada, computerId);
    const other = await app.given.organization();
    await app.as(other.owner).put(SETTINGS, { sessionContentAccess: 'owners' });
    expect((await app.as(other.owner).get(`${SESSIONS}/${session.id}/messages`)).status).toBe(404);
    expect((await owner.get(`${SESSIONS}/nothing/messages`)).status).toBe(404);
  });
});
