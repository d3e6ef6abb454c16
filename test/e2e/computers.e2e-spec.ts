import { randomUUID } from 'node:crypto';
import { Role } from '../../src/common/access/role.enum.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { query } from '../support/test-database.js';
import { TestApp } from '../support/test-app.js';

const computers = '/api/v0/computers';
const NOW_MS = Date.parse('2026-11-15T08:30:00.000Z');
const clock = new ManualClock(new Date(NOW_MS));
let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  app = await TestApp.start({ clock, env: { PUBLIC_URL: 'https://agents.example.com' } });
});
beforeEach(async () => {
  clock.set(new Date(NOW_MS));
  org = await app.given.organization();
});
afterAll(() => app.stop());

const register = (body: object, by: GivenUser = org.owner) => app.as(by).post(computers, body);
const change = (id: string, body: object, by: GivenUser = org.owner) => app.as(by).patch(`${computers}/${id}`, body);
const remove = (id: string, by: GivenUser = org.owner) => app.as(by).delete(`${computers}/${id}`);
const read = (id: string, by: GivenUser = org.owner) => app.as(by).get(`${computers}/${id}`);
const byName = (name: string) => app.as(org.owner).get(`${computers}/name/${encodeURIComponent(name)}`);
const registered = async (name: string, by: GivenUser = org.owner) => (await register({ name }, by)).body;

/** Of 63 characters, each of which is one or more code units. */
const SCRIPTS = ['a', 'я', '中', 'ع', 'न', '👩', '𝒜', ' ', '/', '%', '.'].map((letter) => letter.repeat(63));

describe('registering a computer', () => {
  it('shows it with its steps and its relay addresses', async () => {
    const { status, body } = await register({ name: 'build-server', hostname: 'build.example.com', remoteUser: 'ci' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      name: 'build-server',
      providerType: 'byom',
      createdAt: NOW_MS,
      hostname: 'build.example.com',
      status: 'provisioning',
      provisioningSteps: [
        {
          id: 'create-computer',
          name: 'Creating computer',
          status: 'completed',
          startedAt: NOW_MS,
          completedAt: NOW_MS,
        },
        { id: 'connect-agent', name: 'Connecting agent', status: 'pending' },
      ],
      relayClientUrl: `wss://agents.example.com${computers}/${body.id}/client`,
      relayAgentUrl: `wss://agents.example.com${computers}/${body.id}/agent`,
      remoteUser: 'ci',
    });
  });

  it('without host name and remote user leaves these out', async () => {
    const { body } = await register({ name: 'bare' });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['hostname']));
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['remoteUser']));
  });

  it('relays over ws where the service is reached over http', async () => {
    const plain = await TestApp.start({ database: app.database, env: { PUBLIC_URL: 'http://127.0.0.1:8080' } });
    const { body } = await plain.as(org.owner).post(computers, { name: 'plain' });
    await plain.stop();
    expect(body.relayAgentUrl).toBe(`ws://127.0.0.1:8080${computers}/${body.id}/agent`);
  });

  it('may say that it is byom', async () => {
    expect((await register({ name: 'own', providerType: 'byom' })).status).toBe(201);
  });

  it('of a managed one is 400 saying that there is no provider', async () => {
    const { status, body } = await register({ name: 'hosted', providerType: 'managed' });
    const message = 'managed computers need a provider, and none is built in; use byom';
    expect([status, body.errors]).toEqual([400, [{ field: 'providerType', message }]]);
  });

  it('with the same Idempotency-Key twice makes one', async () => {
    const send = () => app.as(org.owner).post(computers, { name: 'once' }, { 'Idempotency-Key': 'k' });
    const [first, second] = [await send(), await send()];
    expect([second.status, second.text]).toEqual([201, first.text]);
  });

  it.each(['x', '中', ...SCRIPTS])('takes the name %s and finds it', async (name) => {
    const { status, body } = await register({ name });
    expect([status, body.name]).toEqual([201, name]);
    expect((await byName(name)).body.id).toBe(body.id);
  });

  it.each([
    ['a name of 64 characters', { name: 'x'.repeat(64) }, 'name'],
    ['a name of 64 letters of two code units', { name: '👩'.repeat(64) }, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['no name', { name: undefined }, 'name'],
    ['a number for a name', { name: 5 }, 'name'],
    ['null for a name', { name: null }, 'name'],
    ['a remote user of 64 characters', { remoteUser: 'x'.repeat(64) }, 'remoteUser'],
    ['an empty remote user', { remoteUser: '' }, 'remoteUser'],
    ['a host name of 254 characters', { hostname: 'x'.repeat(254) }, 'hostname'],
    ['an empty host name', { hostname: '' }, 'hostname'],
    ['an unknown provider', { providerType: 'e2b' }, 'providerType'],
    ['an id', { id: randomUUID() }, 'id'],
    ['a status', { status: 'active' }, 'status'],
    ['an organization', { orgId: randomUUID() }, 'orgId'],
    ['a relay address', { relayAgentUrl: 'wss://example.com' }, 'relayAgentUrl'],
  ])('with %s is 400', async (_, wrong, field) => {
    const { status, body } = await register({ name: 'valid', ...wrong });
    expect([status, body.errors[0].field]).toEqual([400, field]);
  });

  it('takes a remote user of 63 and a host name of 253 characters', async () => {
    const { status } = await register({ name: 'long', remoteUser: '👩'.repeat(63), hostname: 'x'.repeat(253) });
    expect(status).toBe(201);
  });

  it.each([
    ['build', 'BUILD'],
    ['Ärger', 'äRGER'],
    ['\u00e9', 'e\u0301'],
    ['СЕРВЕР', 'сервер'],
  ])('with the name %s is 409 for %s', async (first, second) => {
    await register({ name: first });
    expect((await register({ name: second })).status).toBe(409);
  });

  it('ten times at once with one name makes one', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => register({ name: 'one' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
  });

  it('with a name that another organization uses is fine', async () => {
    const other = await app.given.organization();
    await register({ name: 'build' }, other.owner);
    expect((await register({ name: 'build' })).status).toBe(201);
  });
});

describe('the computers', () => {
  it('are listed newest first', async () => {
    for (const name of ['first', 'second', 'third']) {
      await register({ name });
      clock.advance(1);
    }
    const { body } = await app.as(org.owner).get(computers);
    const names = body.computers.map((computer: { name: string }) => computer.name);
    expect([Object.keys(body), names]).toEqual([['computers'], ['third', 'second', 'first']]);
  });

  it('of the organization are there for members, whoever registered them', async () => {
    const { id } = await registered('build');
    const member = await app.given.user(org);
    const { body } = await app.as(member).get(computers);
    expect([body.computers[0].id, (await read(id, member)).body.id]).toEqual([id, id]);
  });

  it('of another organization are not listed', async () => {
    await register({ name: 'build' }, (await app.given.organization()).owner);
    expect((await app.as(org.owner).get(computers)).body).toEqual({ computers: [] });
  });

  it.each([
    ['in another letter case', 'Build Server', 'bUILD sERVER'],
    ['with a slash', 'a/b', 'a/b'],
    ['with a percent sign', '100%', '100%'],
    ['with what looks encoded', '%2F', '%2F'],
    ['that is a word of the path', 'name', 'name'],
    ['with a question mark', 'a?b#c', 'a?b#c'],
  ])('are found by a name %s', async (_, name, asked) => {
    const { id } = await registered(name);
    const { status, body } = await byName(asked);
    expect([status, body.id]).toEqual([200, id]);
  });

  it.each(['none', ''])('are not found by the name "%s" that none has', async (name) => {
    expect((await byName(name)).status).toBe(404);
  });

  it.each([
    ['64 characters', 'x'.repeat(64)],
    ['64 letters of two code units', '👩'.repeat(64)],
    ['a NUL character', '\0'],
  ])('are 400 by a name of %s', async (_, name) => {
    const { status, body } = await byName(name);
    expect([status, body.errors[0].field]).toEqual([400, 'name']);
  });
});

describe('changing a computer', () => {
  it('sets name and remote user, and keeps them', async () => {
    const computer = await registered('build');
    const { status, body } = await change(computer.id, { name: 'Build-2', remoteUser: 'ci' });
    expect([status, body]).toEqual([200, { ...computer, name: 'Build-2', remoteUser: 'ci' }]);
    expect((await read(computer.id)).body).toEqual(body);
  });

  it.each([
    [{ name: 'other' }, 'other', 'ci'],
    [{ remoteUser: 'root' }, 'build', 'root'],
    [{}, 'build', 'ci'],
  ])('with %j leaves the rest as it is', async (changes, name, remoteUser) => {
    const { body: computer } = await register({ name: 'build', remoteUser: 'ci' });
    const { status, body } = await change(computer.id, changes);
    expect([status, body.name, body.remoteUser]).toEqual([200, name, remoteUser]);
  });

  it('to a name that is taken in another letter case is 409', async () => {
    await register({ name: 'taken' });
    const { id } = await registered('build');
    const { status } = await change(id, { name: 'TAKEN' });
    expect([status, (await read(id)).body.name]).toEqual([409, 'build']);
  });

  it('to its own name in another letter case is fine', async () => {
    const { id } = await registered('build');
    expect((await change(id, { name: 'BUILD' })).body.name).toBe('BUILD');
  });

  it.each([
    ['name', ''],
    ['name', 'x'.repeat(64)],
    ['name', null],
    ['remoteUser', ''],
    ['remoteUser', 'x'.repeat(64)],
    ['remoteUser', null],
    ['id', randomUUID()],
    ['providerType', 'managed'],
    ['status', 'active'],
    ['hostname', 'x'],
    ['relayAgentUrl', 'wss://example.com'],
    ['orgId', randomUUID()],
  ])('with %s: %j is 400 and changes nothing', async (field, value) => {
    const computer = await registered('build');
    const { status, body } = await change(computer.id, { remoteUser: 'ci', [field]: value });
    expect([status, body.errors[0].field, (await read(computer.id)).body]).toEqual([400, field, computer]);
  });
});

describe('deleting a computer', () => {
  it('is 204, and it is gone', async () => {
    const { id } = await registered('build');
    const { status } = await remove(id);
    expect([status, (await read(id)).status, (await remove(id)).status]).toEqual([204, 404, 404]);
  });

  it('makes its name free again', async () => {
    const { id } = await registered('build');
    await remove(id);
    expect((await register({ name: 'build' })).status).toBe(201);
  });

  it.each([
    ['queued', 204],
    ['running', 409],
    ['ended', 204],
  ])('while a turn on it is %s is %d', async (turn, expected) => {
    const { id } = await registered('build');
    const { body: session } = await app.as(org.owner).post('/api/v0/sessions', { computerId: id });
    await app.as(org.owner).post(`/api/v0/sessions/${session.sessionId}/messages`, { text: 'Hello' });
    await query(app.database.url, `UPDATE turns SET status = $2 WHERE computer_id = $1`, [id, turn]);
    const { status } = await remove(id);
    expect([status, (await read(id)).status]).toEqual([expected, expected === 409 ? 200 : 404]);
  });

  it('keeps its sessions', async () => {
    const { id } = await registered('build');
    const { body: session } = await app.as(org.owner).post('/api/v0/sessions', { computerId: id });
    await remove(id);
    const { status, body } = await app.as(org.owner).get(`/api/v0/sessions/${session.sessionId}`);
    expect([status, body.computerId]).toEqual([200, id]);
  });
});

describe('who may change and delete', () => {
  it('members what they registered', async () => {
    const member = await app.given.user(org);
    const { id } = await registered('mine', member);
    expect([(await change(id, { name: 'still mine' }, member)).status, (await remove(id, member)).status]).toEqual([
      200, 204,
    ]);
  });

  it('members nothing that others registered', async () => {
    const member = await app.given.user(org);
    const { id } = await registered('build');
    const answers = [await change(id, { name: 'mine' }, member), await remove(id, member)];
    expect([...answers.map(({ status }) => status), (await read(id)).body.name]).toEqual([403, 403, 'build']);
  });

  it.each([Role.Manager, Role.Owner])('a %s whatever others registered', async (role) => {
    const { id } = await registered('theirs', await app.given.user(org));
    const user = await app.given.user(org, { role });
    expect([(await change(id, { name: 'ours' }, user)).status, (await remove(id, user)).status]).toEqual([200, 204]);
  });

  it.each(['get', 'patch', 'delete'] as const)('%s of a foreign id is answered like that of none', async (method) => {
    const foreign = (await registered('theirs', (await app.given.organization()).owner)).id as string;
    const answers = [foreign, randomUUID()].map(async (id) => {
      const answer = await app.as(org.owner).send(method, `${computers}/${id}`, method === 'patch' ? {} : undefined);
      return [answer.status, { ...answer.body, requestId: '', detail: answer.body.detail.replace(id, '') }];
    });
    const [first, second] = await Promise.all(answers);
    expect([first?.[0], first]).toEqual([404, second]);
  });
});
