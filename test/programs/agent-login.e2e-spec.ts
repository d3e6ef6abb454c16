import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentMachine, textOf } from '../support/agent-machine.js';
import { givenAccess, givenMessage, givenSession, type GivenSession } from '../support/given-session.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { eventually } from '../support/eventually.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let org: GivenOrganization;
let ada: GivenUser;
let bob: GivenUser;
let machine: AgentMachine;

beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  org = await app.given.organization();
  ada = await app.given.user(org);
  bob = await app.given.user(org);
  machine = new AgentMachine(app, ada);
});
afterEach(() => machine.remove());
afterAll(() => app.stop());

async function answerTo(session: GivenSession, text: string): Promise<{ isError?: boolean; text: string }> {
  await givenMessage(app, session, text);
  await eventually('the turn ends', async () => (await app.as(session.user).get(session.path)).body.status === 'idle');
  const [message] = (await app.as(session.user).get(`${session.path}/messages?limit=1`)).body.messages;
  return { isError: message.isError, text: textOf([message]) };
}

describe('after agent login', () => {
  it('no secret is in the environment or on the command line of anything that runs', async () => {
    const done = await machine
      .run(['login', `--url=${app.url}`, `--name=${machine.name}`])
      .tell(`${ada.key}\n`)
      .ended();
    expect([done.code, done.output]).toEqual([0, expect.not.stringMatching(/ap[kc]_/)]);
    const client = machine.run(['connect', `--dir=${machine.work}`]);
    await client.printed(/Connected as/);
    expect(textOf(await machine.ask(await machine.session(), 'hello'))).toBe('hello');
    const all = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid));
    const own = all.filter((pid) => Number(pid) === client.pid || statusOf(pid).includes(`PPid:\t${client.pid}\n`));
    expect(own.length).toBeGreaterThanOrEqual(2);
    for (const pid of own) {
      for (const file of ['environ', 'cmdline'])
        expect(readFileSync(`/proc/${pid}/${file}`, 'utf8')).not.toMatch(/ap[kc]_/);
    }
  });

  it('an agent that may do everything still may not touch the token', async () => {
    await machine
      .run(['login', `--url=${app.url}`, `--name=${machine.name}`])
      .tell(ada.key)
      .ended();
    const client = machine.run(['connect', `--dir=${machine.work}`]);
    await client.printed(/Connected as/);
    const session = await machine.session({ autonomyLevel: 'high', interactionMode: 'auto' });
    const answer = await machine.ask(session, `tool:Bash cat ${join(machine.home, 'credentials.json')}`);
    expect(JSON.stringify(answer)).toContain('It was not permitted.');
    expect(client.output).toContain('own files are out of bounds');
    expect(existsSync(join(machine.home, 'credentials.json'))).toBe(true);
  });
});

describe('turns of others on a shared computer', () => {
  it('are refused by the client, with an error in the session and in its log', async () => {
    const client = await machine.connected();
    const { id } = await machine.computer();
    await givenAccess(app, ada, id, { access: 'organization' });
    const theirs = await givenSession(app, bob, id);
    expect(await answerTo(theirs, 'hello')).toEqual({
      isError: true,
      text: expect.stringContaining('--allow organization'),
    });
    expect(client.output).toMatch(new RegExp(`a turn of ${bob.id} was refused.*--allow organization`));
    expect(existsSync(machine.pathOf(theirs))).toBe(false);
    expect(textOf(await machine.ask(await machine.session(), 'and mine?'))).toBe('and mine?');
  });

  it('are taken by a client that was started so', async () => {
    await machine.connected({ args: ['--allow=organization'] });
    const { id } = await machine.computer();
    await givenAccess(app, ada, id, { access: 'organization' });
    expect((await answerTo(await givenSession(app, bob, id), 'hello')).text).toBe('hello');
  });
});

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
