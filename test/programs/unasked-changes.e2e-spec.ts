import { existsSync } from 'node:fs';
import { AgentMachine, textOf } from '../support/agent-machine.js';
import { headstrongAgent } from '../support/agent-session.js';
import type { GivenOrganization } from '../support/given.js';
import type { Program } from '../support/program.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let org: GivenOrganization;
let machine: AgentMachine;
let client: Program;

beforeAll(async () => {
  app = await TestApp.start();
  org = await app.given.organization();
  machine = new AgentMachine(app, await app.given.user(org));
  client = await machine.connected({ command: headstrongAgent() });
});
afterAll(async () => {
  await machine.remove();
  await app.stop();
});

describe('a change without a permission', () => {
  it.each([
    ['off', 'act edit completed notes.txt', 'Tool (notes.txt)'],
    ['off', 'act execute completed touch x', 'Tool (touch x)'],
    ['low', 'act execute completed touch x', 'Tool (touch x)'],
    ['low', 'act execute failed rm -r x', 'Tool (rm -r x)'],
    ['low', 'act edit completed ../outside.txt', 'Tool (../outside.txt)'],
    ['medium', 'act delete completed notes.txt', 'Tool (notes.txt)'],
    ['off', 'defy edit completed notes.txt', 'It had asked, and was refused'],
  ])('at %s ends the turn: %s', async (autonomyLevel, message, told) => {
    const session = await machine.session({ autonomyLevel });
    const answer = await machine.ask(session, message);
    expect(await machine.turns(session)).toEqual(['ended error']);
    const [error] = answer.filter(({ isError }) => isError);
    expect(error).toMatchObject({ role: 'assistant', isError: true });
    const text = textOf(error ? [error] : []);
    expect(text).toContain(told);
    expect(text).toContain(`without a permission at the autonomy level ${autonomyLevel}.`);
    expect(text).toContain('Configure the agent so that it asks');
    expect(client.output).toContain(`Session ${session.id}: The agent used Tool`);
  });

  it('stops the agent, and the next message gets another one', async () => {
    const session = await machine.session({ autonomyLevel: 'low' });
    await machine.ask(session, 'act execute completed touch x');
    expect(existsSync(machine.pathOf(session, 'went-on.txt'))).toBe(false);
    await machine.ask(session, 'act edit completed notes.txt');
    expect(await machine.turns(session)).toEqual(['ended error', 'ended completed']);
    expect(client.output.match(new RegExp(`${session.id}: the agent has started`, 'g'))).toHaveLength(2);
  });
});

describe('an agent goes on', () => {
  it.each([
    ['off', 'act read completed notes.txt'],
    ['off', 'act search completed notes.txt'],
    ['off', 'act execute completed git status --short'],
    ['off', 'act edit failed notes.txt'],
    ['low', 'act edit completed notes.txt'],
    ['low', 'ask edit completed notes.txt'],
    ['off', 'ask edit completed notes.txt'],
    ['high', 'act execute completed touch x'],
  ])('at %s: %s', async (autonomyLevel, message) => {
    const session = await machine.session({ autonomyLevel });
    const answer = await machine.ask(session, message);
    expect(await machine.turns(session)).toEqual(['ended completed']);
    expect(answer.some(({ isError }) => isError)).toBe(false);
    expect(existsSync(machine.pathOf(session, 'went-on.txt'))).toBe(true);
  });

  it('when its command is on the allowlist', async () => {
    const lists = { commandAllowlist: ['touch'] };
    expect((await app.as(org.owner).put('/api/v0/organization/enterprise-controls', lists)).status).toBe(200);
    const session = await machine.session({ autonomyLevel: 'off' });
    await machine.ask(session, 'act execute completed touch x');
    expect(await machine.turns(session)).toEqual(['ended completed']);
  });
});

it('says why an agent stopped that was refused', async () => {
  const session = await machine.session({ autonomyLevel: 'off' });
  const answer = await machine.ask(session, 'stop edit completed notes.txt');
  expect(await machine.turns(session)).toEqual(['ended cancelled']);
  expect(textOf(answer)).toContain('The agent stopped after a refusal. The agent was not allowed to use Tool.');
});
