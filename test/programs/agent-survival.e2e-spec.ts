import { AgentMachine, textOf } from '../support/agent-machine.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization } from '../support/given.js';
import type { GivenSession } from '../support/given-session.js';
import type { Program } from '../support/program.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestApp } from '../support/test-app.js';

const SLOW_MS = 25_000;

let app: TestApp;
let org: GivenOrganization;
let proxy: TcpProxy;
let machine: AgentMachine;
let session: GivenSession;

beforeAll(async () => {
  app = await TestApp.start();
  org = await app.given.organization();
});
beforeEach(async () => {
  proxy = await TcpProxy.start(app.url);
  machine = new AgentMachine(app, await app.given.user(org));
});
afterEach(async () => {
  await machine.remove();
  await proxy.stop();
});
afterAll(() => app.stop());

const throughProxy = () => ({ url: proxy.url.replace(/\/$/, '') });

async function givenWork(text: string): Promise<{ client: Program; messageId: string }> {
  const client = await machine.connected(throughProxy());
  session = await machine.session();
  const messageId = await machine.say(session, text);
  await machine.working(session);
  return { client, messageId };
}

const answersTo = async (messageId: string) =>
  (await machine.messages(session)).filter(({ parentId }) => parentId === messageId);

/** The turn's end is written down on the client's machine and not said yet. */
const isWritten = () => machine.outbox().some((text) => text.includes('"turn.end"'));

describe('when the network', () => {
  it('is cut while an agent works, the turn is finished once', async () => {
    const { client, messageId } = await givenWork('sleep:1 done');
    proxy.cut();
    await client.printed(/Connecting again[^]*Connected as/);
    await machine.idle(session);
    expect(textOf(await answersTo(messageId))).toBe('done');
    expect(await machine.turns(session)).toEqual(['ended completed']);
  });

  it('is away when the answer is there, the answer waits in the home and is delivered later', async () => {
    const { messageId } = await givenWork('sleep:1 done');
    await proxy.refuse();
    await eventually('the answer is written down', isWritten, SLOW_MS);
    expect(await machine.turns(session)).toEqual(['running']);
    await proxy.heal();
    await machine.idle(session);
    expect(textOf(await answersTo(messageId))).toBe('done');
    await eventually('nothing is left to be said', () => machine.outbox().join('') === '');
    expect(await machine.turns(session)).toEqual(['ended completed']);
  });

  it('is away and the client is killed with the answer in its home, the next client delivers it', async () => {
    const { client, messageId } = await givenWork('sleep:1 done');
    await proxy.refuse();
    await eventually('the answer is written down', isWritten, SLOW_MS);
    client.signal('SIGKILL');
    await client.ended();
    const next = await machine.connected();
    await machine.idle(session);
    expect(textOf(await answersTo(messageId))).toBe('done');
    expect(await machine.turns(session)).toEqual(['ended completed']);
    expect(next.output).not.toContain(session.id);
    await eventually('nothing is left to be said', () => machine.outbox().join('') === '');
  });

  it('swallows everything, the client can be stopped all the same', async () => {
    const client = await machine.connected(throughProxy());
    proxy.blackHole();
    const before = performance.now();
    client.signal('SIGTERM');
    expect(await client.ended()).toMatchObject({ code: 0 });
    expect(performance.now() - before).toBeLessThan(15_000);
  });
});

describe('when the client is killed', () => {
  it('while an agent works, the next one answers', async () => {
    const { client, messageId } = await givenWork('sleep:2 done');
    client.signal('SIGKILL');
    await client.ended();
    await machine.connected();
    await machine.idle(session);
    expect(textOf(await answersTo(messageId))).toBe('done');
    expect(await machine.turns(session)).toEqual(['ended completed']);
  });
});

describe('when the service', () => {
  it('restarts, the client comes back and the turn is finished once', async () => {
    const first = await TestApp.start({ database: app.database });
    await proxy.stop();
    proxy = await TcpProxy.start(first.url);
    const { client, messageId } = await givenWork('sleep:1 done');
    await Promise.all([first.stop(), client.printed(/Connecting again/)]);
    await proxy.refuse();
    proxy.aimAt(app.url);
    await proxy.heal();
    await client.printed(/Connecting again[^]*Connected as/);
    await machine.idle(session);
    expect(textOf(await answersTo(messageId))).toBe('done');
    expect(await machine.turns(session)).toEqual(['ended completed']);
  });

  it('prefers a newer client of the same name, the older one stays away', async () => {
    const { client: older } = await givenWork('sleep:60 late');
    const newer = await machine.connected();
    const { code, output } = await older.ended();
    expect([code, output.match(/Connected as/g)]).toEqual([1, ['Connected as']]);
    expect(output).toMatch(/newer connection/i);
    expect(newer.output).not.toContain('Connecting again');
  });

  it('has revoked the key, the client stops and says so', async () => {
    const created = await app.as(machine.user).post('/api/v0/api-keys', { name: 'laptop' });
    const { key, id } = created.body as { key: string; id: string };
    const client = await machine.connected({ key });
    expect((await app.as(machine.user).delete(`/api/v0/api-keys/${id}`)).status).toBe(204);
    const { code, output } = await client.ended();
    expect(code).toBe(1);
    expect(output.trim().split('\n').at(-1)).toMatch(/The service refuses: .*key/i);
  });

  it('has no such computer any more, the client stops and says so', async () => {
    const client = await machine.connected();
    const { id } = (await machine.computer()) as { id: string };
    await app.as(org.owner).delete(`/api/v0/computers/${id}`);
    const { code, output } = await client.ended();
    expect(code).toBe(1);
    expect(output.trim().split('\n').at(-1)).toMatch(/computer.*deleted/i);
  });
});
