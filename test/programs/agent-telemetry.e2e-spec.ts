import { resolve } from 'node:path';
import { AgentMachine } from '../support/agent-machine.js';
import { eventually } from '../support/eventually.js';
import { givenAccess, givenMessage, type GivenSession, SESSIONS } from '../support/given-session.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { TestApp } from '../support/test-app.js';

const command = [process.execPath, resolve('test/support/gemini.mjs')];
let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let machine: AgentMachine;

beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  org = await app.given.organization();
  ada = await app.given.user(org);
  machine = new AgentMachine(app, ada);
});
afterEach(() => machine.remove());
afterAll(() => app.stop());

async function telemetryKey(): Promise<string> {
  const { body } = await app.as(ada).post('/api/v0/api-keys', { name: 'agents', scope: 'telemetry' });
  return body.key as string;
}

const modelCalls = async (session: GivenSession) =>
  (await machine.usage(session)).filter(({ type }) => type === 'model_call').map(({ tokens }) => tokens);
const BY_ACP = [100, 5, 0, 0];
const BY_TELEMETRY = [1000, 50, 400, 0];

describe('the model calls of an agent that tells more in its telemetry', () => {
  it('are counted over ACP without a key', async () => {
    await machine.connected({ command });
    const session = await machine.session();
    await machine.ask(session, 'hello');
    expect(await modelCalls(session)).toEqual([BY_ACP]);
  });

  it('are counted by telemetry with one, and nothing is counted twice', async () => {
    await machine.connected({ command, env: { AGENT_PLATFORM_TELEMETRY_KEY: await telemetryKey() } });
    const session = await machine.session();
    await machine.ask(session, 'hello');
    await machine.ask(session, 'hello again');
    expect(await modelCalls(session)).toEqual([BY_TELEMETRY, BY_TELEMETRY]);
    const { sessionSettings, messageCount } = (await app.as(ada).get(session.path)).body;
    expect([sessionSettings.tokenUsage.inputTokens, messageCount]).toEqual([2000, 2]);
  });

  it('are counted by telemetry with the key that login made', async () => {
    const login = machine.run(['login', `--url=${app.url}`, `--name=${machine.name}`, '--telemetry']);
    expect((await login.tell(`${ada.key}\n`).ended()).code).toBe(0);
    await machine.run(['connect', `--dir=${machine.work}`, '--', ...command]).printed(/Connected as/);
    const session = await machine.session();
    await machine.ask(session, 'hello');
    expect(await modelCalls(session)).toEqual([BY_TELEMETRY]);
  });

  it('are counted over ACP in sessions of others, for whom the key does not speak', async () => {
    const bob = await app.given.user(org);
    const env = { AGENT_PLATFORM_TELEMETRY_KEY: await telemetryKey() };
    await machine.connected({ command, env, args: ['--allow=organization'] });
    const computerId = (await machine.computer()).id as string;
    await givenAccess(app, ada, computerId, { access: 'organization' });
    const id = (await app.as(bob).post(SESSIONS, { computerId })).body.sessionId as string;
    const session = { orgId: org.id, user: bob, id, computerId, path: `${SESSIONS}/${id}` };
    await givenMessage(app, session, 'hello');
    await eventually('the turn ends', async () => (await app.as(bob).get(session.path)).body.status === 'idle');
    expect(await modelCalls(session)).toEqual([BY_ACP]);
  });
});
