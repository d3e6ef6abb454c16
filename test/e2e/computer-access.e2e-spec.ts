import { randomUUID } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import { eventually } from '../support/eventually.js';
import {
  givenAccess,
  givenComputer,
  givenMessage,
  givenSession,
  type GivenSession,
  SESSIONS,
  storedSession,
} from '../support/given-session.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { RelayAgent, refOf, says, toolSays } from '../support/relay-agent.js';
import { TestApp } from '../support/test-app.js';

const COMPUTERS = '/api/v0/computers';
const AUDIT = '/api/v0/organization/audit-log';

const clock = new ManualClock('2026-11-15T08:30:00.000Z');
let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let bob: GivenUser;
let computerId: string;
const agents: RelayAgent[] = [];

beforeAll(async () => {
  app = await TestApp.start({ clock, env: { MAX_COMPUTERS_PER_USER: '3', MAX_QUEUED_TURNS: '3' } });
});
beforeEach(async () => {
  org = await app.given.organization();
  ada = await app.given.user(org);
  bob = await app.given.user(org);
  computerId = await givenComputer(app, ada);
});
afterEach(() => Promise.all(agents.splice(0).map((agent) => agent.end())));
afterAll(() => app.stop());

const accessPath = (id = computerId) => `${COMPUTERS}/${id}/access`;
const accessOf = async (id = computerId) => (await app.as(org.owner).get(accessPath(id))).body;
const change = (by: GivenUser, body: object) => app.as(by).put(accessPath(), body);
const share = () => givenAccess(app, ada, computerId, { access: 'organization' });
const create = (by: GivenUser, on = computerId) => app.as(by).post(SESSIONS, { computerId: on });
const post = (session: GivenSession, body: object) => app.as(session.user).post(`${session.path}/messages`, body);
const statusOf = async (session: GivenSession) => (await app.as(session.user).get(session.path)).body.status;
const lastMessage = async (session: GivenSession) =>
  (await app.as(session.user).get(`${session.path}/messages?limit=1`)).body.messages[0];
const audited = async (action: string) =>
  (await app.as(org.owner).get(`${AUDIT}?limit=100`)).body.entries.filter(
    (one: { action: string }) => one.action === action,
  );

async function connect(computer = computerId, user = ada): Promise<RelayAgent> {
  const agent = await RelayAgent.connect(app.url, user.key, computer);
  agents.push(agent);
  return agent;
}

describe('a computer', () => {
  it('is private to whoever registered it, and not trusted, owners included', async () => {
    expect(await accessOf()).toEqual({ access: 'private', trusted: false, registeredBy: ada.id });
    const owned = await givenComputer(app, org.owner);
    expect(await accessOf(owned)).toEqual({ access: 'private', trusted: false, registeredBy: org.owner.id });
  });

  it('is seen by everybody in the organization all the same', async () => {
    const { body } = await app.as(bob).get(COMPUTERS);
    expect(body.computers.map(({ id }: { id: string }) => id)).toContain(computerId);
    expect((await app.as(bob).get(accessPath())).status).toBe(200);
  });

  it('shows nothing more of itself than it always did', async () => {
    const { body } = await app.as(ada).get(`${COMPUTERS}/${computerId}`);
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['access']));
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['trusted']));
  });

  it.each(['.', '..'])('cannot be called "%s"', async (name) => {
    const { status, body } = await app.as(ada).post(COMPUTERS, { name });
    expect([status, body.errors]).toEqual([400, [{ field: 'name', message: expect.any(String) }]]);
    expect((await app.as(ada).patch(`${COMPUTERS}/${computerId}`, { name })).status).toBe(400);
  });

  it('may be called "..."', async () => {
    expect((await app.as(ada).post(COMPUTERS, { name: '...' })).status).toBe(201);
  });

  it('that is changed to what it is leaves no entry in the audit log', async () => {
    const { body } = await app.as(ada).get(`${COMPUTERS}/${computerId}`);
    const answer = await app.as(ada).patch(`${COMPUTERS}/${computerId}`, { name: body.name });
    expect([answer.status, answer.body]).toEqual([200, body]);
    expect(await audited('computer.changed')).toEqual([]);
  });
});

describe('a private computer', () => {
  it.each([Role.Owner, Role.Manager, Role.Member])('is 403 for sessions of another user, who is %s', async (role) => {
    const other = await app.given.user(org, { role });
    const { status, body } = await create(other);
    expect([status, body.detail]).toEqual([403, expect.stringContaining('private')]);
  });

  it('is 403 as the place to which others move their sessions', async () => {
    const session = await givenSession(app, bob);
    const { status, body } = await post(session, { text: 'Go there', computerId });
    expect([status, body.detail]).toEqual([403, expect.stringContaining('private')]);
    expect(await storedSession(app, session)).toMatchObject({ messages: 0, turns: [] });
  });

  it('is 403 for messages in a session that is there from before, until the session moves', async () => {
    await share();
    const session = await givenSession(app, bob, computerId);
    await givenAccess(app, ada, computerId, { access: 'private' });
    expect((await post(session, { text: 'Hello' })).status).toBe(403);
    expect((await app.as(bob).get(`${session.path}/messages`)).status).toBe(200);
    const own = await givenComputer(app, bob);
    expect((await post(session, { text: 'Hello', computerId: own })).status).toBe(200);
  });

  it('is open to its own user', async () => {
    expect((await create(ada)).status).toBe(201);
  });

  it('is 404 from another organization', async () => {
    const { owner } = await app.given.organization();
    expect((await create(owner)).status).toBe(404);
    expect((await app.as(owner).get(accessPath())).status).toBe(404);
    expect((await app.as(owner).put(accessPath(), { access: 'organization' })).status).toBe(404);
    expect((await app.as(owner).post(`${COMPUTERS}/${computerId}/token`)).status).toBe(404);
  });
});

describe('the access to a computer', () => {
  it('is opened by whoever registered it, and then holds for everybody', async () => {
    const { status, body } = await change(ada, { access: 'organization' });
    expect([status, body]).toEqual([200, { access: 'organization', trusted: false, registeredBy: ada.id }]);
    expect((await create(bob)).status).toBe(201);
  });

  it('is opened by an owner, trust and all', async () => {
    const { status, body } = await change(org.owner, { access: 'organization', trusted: true });
    expect([status, body]).toEqual([200, { access: 'organization', trusted: true, registeredBy: ada.id }]);
  });

  it.each([Role.Manager, Role.Member])('is not changed by another user, who is %s', async (role) => {
    const other = await app.given.user(org, { role });
    expect((await change(other, { access: 'organization' })).status).toBe(403);
    expect((await accessOf()).access).toBe('private');
  });

  it.each([
    ['trusted', () => ({ trusted: true })],
    ['registeredBy', () => ({ registeredBy: bob.id })],
  ])('leaves %s to owners, also where it is their own computer', async (_, body) => {
    const { status, body: problem } = await change(ada, body());
    expect([status, problem.detail]).toEqual([403, expect.stringContaining('owner')]);
    expect(await accessOf()).toMatchObject({ trusted: false, registeredBy: ada.id });
  });

  it('may be sent back as it was read, with what one may change', async () => {
    const read = await accessOf();
    expect((await change(ada, { ...read, access: 'organization' })).status).toBe(200);
  });

  it('is audited, once for each change', async () => {
    await change(org.owner, { trusted: true });
    await change(org.owner, { trusted: true });
    expect(await audited('computer.access_changed')).toMatchObject([
      {
        target: computerId,
        actor: { id: org.owner.id },
        before: { access: 'private', trusted: false, registeredBy: ada.id },
        after: { access: 'private', trusted: true, registeredBy: ada.id },
      },
    ]);
  });

  it.each([
    ['an access that is none', { access: 'public' }],
    ['a trust that is none', { trusted: 'yes' }],
    ['a user id that is none', { registeredBy: 'ada' }],
    ['a field that is none', { owner: 'ada' }],
  ])('is 400 with %s', async (_, body) => {
    expect((await change(org.owner, body)).status).toBe(400);
  });
});

describe('a computer that is given to another user', () => {
  it('is theirs: they connect, and whoever had it does not', async () => {
    const agent = await connect();
    expect((await change(org.owner, { registeredBy: bob.id.toUpperCase() })).body.registeredBy).toBe(bob.id);
    expect((await agent.relay.untilClosed()).code).toBe(4001);
    await expect(connect()).rejects.toMatchObject({ status: 403 });
    await expect(connect(computerId, bob)).resolves.toBeDefined();
    expect((await create(ada)).status).toBe(403);
    expect((await create(bob)).status).toBe(201);
  });

  it.each([
    ['nobody', () => Promise.resolve(randomUUID()), 404],
    ['a user of another organization', async () => (await app.given.organization()).owner.id, 404],
    ['a guest', async () => (await app.given.user(org, { role: Role.Guest })).id, 409],
    [
      'a user who is deactivated',
      async () => {
        await app.as(org.owner).delete(`/api/v0/organization/users/${bob.id}`);
        return bob.id;
      },
      409,
    ],
  ])('is not given to %s', async (_, user, status) => {
    expect((await change(org.owner, { registeredBy: await user() })).status).toBe(status);
    expect((await accessOf()).registeredBy).toBe(ada.id);
  });

  it('loses what others, the former user too, have waiting there while it is private', async () => {
    const session = await givenSession(app, ada, computerId);
    await givenMessage(app, session, 'Hello');
    await change(org.owner, { registeredBy: bob.id });
    expect(await storedSession(app, session)).toMatchObject({ turns: ['ended error'] });
  });
});

describe('when a computer becomes private', () => {
  it('what others have waiting there ends with an error, message by message', async () => {
    await share();
    const session = await givenSession(app, bob, computerId);
    const asked = [await givenMessage(app, session, 'a'), await givenMessage(app, session, 'b')];
    await givenAccess(app, ada, computerId, { access: 'private' });
    expect(await storedSession(app, session)).toMatchObject({ messages: 4, turns: ['ended error', 'ended error'] });
    expect(await statusOf(session)).toBe('idle');
    const { body } = await app.as(bob).get(`${session.path}/messages?role=assistant`);
    expect(body.messages.map((one: { parentId: string }) => one.parentId).reverse()).toEqual(asked);
    expect(body.messages[0]).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('private') }] });
  });

  it('what its own user has waiting there goes on', async () => {
    await share();
    const session = await givenSession(app, ada, computerId);
    await givenMessage(app, session, 'a');
    await givenAccess(app, ada, computerId, { access: 'private' });
    expect(await storedSession(app, session)).toMatchObject({ messages: 1, turns: ['queued'] });
  });

  it('a turn that runs goes on, and those behind it end', async () => {
    await share();
    const agent = await connect();
    const session = await givenSession(app, bob, computerId);
    await givenMessage(app, session, 'a');
    await givenMessage(app, session, 'b');
    const turn = await agent.turn();
    await givenAccess(app, ada, computerId, { access: 'private' });
    expect((await storedSession(app, session)).turns.sort()).toEqual(['ended error', 'running']);
    expect(await statusOf(session)).toBe('running');
    await agent.endTurn(turn, 'completed', says('Done'));
    expect(await statusOf(session)).toBe('idle');
  });

  it('a turn that is offered once more after that ends with an error instead', async () => {
    await share();
    const agent = await connect();
    const session = await givenSession(app, bob, computerId);
    await givenMessage(app, session, 'a');
    const turn = await agent.turn();
    await givenAccess(app, ada, computerId, { access: 'private' });
    await agent.abandon(turn);
    await eventually('the turn ends', async () => (await statusOf(session)) === 'idle');
    expect(await lastMessage(session)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('private') }],
    });
    expect(agent.turns).toHaveLength(1);
  });
});

describe('when a computer is deleted', () => {
  it('what waits for it ends with an error, and its sessions can move', async () => {
    await share();
    const sessions = [await givenSession(app, ada, computerId), await givenSession(app, bob, computerId)];
    for (const session of sessions) await givenMessage(app, session, 'Hello');
    expect((await app.as(ada).delete(`${COMPUTERS}/${computerId}`)).status).toBe(204);
    for (const session of sessions) {
      expect(await storedSession(app, session)).toMatchObject({ messages: 2, turns: ['ended error'] });
      expect(await lastMessage(session)).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('deleted') }],
      });
      const own = await givenComputer(app, session.user);
      expect((await post(session, { text: 'Go on there', computerId: own })).body.status).toBe('pending');
    }
  });

  it('no message is left behind, however close it comes', async () => {
    const sessions = await Promise.all([1, 2, 3, 4].map(() => givenSession(app, ada, computerId)));
    const [deleted, ...posted] = await Promise.all([
      app.as(ada).delete(`${COMPUTERS}/${computerId}`),
      ...sessions.map((session) => post(session, { text: 'Hello' })),
    ]);
    expect(deleted.status).toBe(204);
    for (const { status } of posted) expect([200, 409]).toContain(status);
    for (const session of sessions) expect(await statusOf(session)).toBe('idle');
  });
});

describe('an agent', () => {
  it('cannot rewrite what another computer has said in a session that moved', async () => {
    const first = await connect();
    const session = await givenSession(app, ada, computerId);
    await givenMessage(app, session, 'a');
    const [answer, tool] = [says('The truth'), toolSays('It is so')];
    await first.endTurn(await first.turn(), 'completed', answer, tool);
    const elsewhere = await givenComputer(app, ada);
    const second = await connect(elsewhere);
    await post(session, { text: 'b', computerId: elsewhere });
    const turn = await second.turn();
    for (const forged of [says('A lie', answer.id), toolSays('It is not', tool.id)]) {
      expect((await second.putRefusal(turn, forged)).message).toContain('another turn');
      const end = { turn: refOf(turn), reason: 'completed', messages: [forged] };
      expect((await second.relay.refusal('turn.end', end)).message).toContain('another turn');
    }
    const { body } = await app.as(ada).get(`${session.path}/messages/${answer.id}`);
    expect(body.content).toMatchObject([{ text: 'The truth' }]);
  });

  it('cannot rewrite an earlier turn of its own either', async () => {
    const agent = await connect();
    const session = await givenSession(app, ada, computerId);
    await givenMessage(app, session, 'a');
    const answer = says('The truth');
    await agent.endTurn(await agent.turn(), 'completed', answer);
    await givenMessage(app, session, 'b');
    expect((await agent.putRefusal(await agent.turn(1), says('A lie', answer.id))).message).toContain('another turn');
  });

  it('may say the same again, and may rewrite what an attempt before has said', async () => {
    const agent = await connect();
    const session = await givenSession(app, ada, computerId);
    await givenMessage(app, session, 'a');
    const answer = says('At first');
    const turn = await agent.turn();
    await agent.put(turn, answer);
    await agent.put(turn, answer);
    await agent.abandon(turn);
    await agent.put(await agent.turn(1), says('Then', answer.id));
    expect((await lastMessage(session)).content).toMatchObject([{ text: 'Then' }]);
  });
});

describe('bounds', () => {
  it('let a user have so many computers and no more, whoever gives them', async () => {
    for (let i = 0; i < 2; i++) expect((await app.as(ada).post(COMPUTERS, { name: `c${i}` })).status).toBe(201);
    const { status, body } = await app.as(ada).post(COMPUTERS, { name: 'c3' });
    expect([status, body.detail]).toEqual([409, expect.stringContaining('MAX_COMPUTERS_PER_USER')]);
    const theirs = await givenComputer(app, bob);
    expect((await app.as(org.owner).put(accessPath(theirs), { registeredBy: ada.id })).status).toBe(409);
    await app.as(ada).delete(`${COMPUTERS}/${computerId}`);
    expect((await app.as(ada).post(COMPUTERS, { name: 'c3' })).status).toBe(201);
  });

  it('hold for computers that are registered at once', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const answers = await Promise.all(names.map((name) => app.as(ada).post(COMPUTERS, { name })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
  });

  it('let so many messages of a session wait and no more', async () => {
    const session = await givenSession(app, ada, computerId);
    for (const text of ['a', 'b', 'c']) expect((await post(session, { text })).status).toBe(200);
    const { status, body } = await post(session, { text: 'd' });
    expect([status, body.detail]).toEqual([409, expect.stringContaining('MAX_QUEUED_TURNS')]);
    expect(await storedSession(app, session)).toMatchObject({ messages: 3 });
    await givenMessage(app, await givenSession(app, ada, computerId), 'in another session');
    const agent = await connect();
    await agent.turn();
    expect((await post(session, { text: 'd' })).status).toBe(200);
  });
});
