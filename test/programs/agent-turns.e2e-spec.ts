import { existsSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { AgentMachine, textOf } from '../support/agent-machine.js';
import { badAgent } from '../support/agent-session.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization } from '../support/given.js';
import type { GivenSession } from '../support/given-session.js';
import type { Program } from '../support/program.js';
import { TestApp } from '../support/test-app.js';

const CONTROLS = '/api/v0/organization/enterprise-controls';

let app: TestApp;
let org: GivenOrganization;
let machine: AgentMachine;
let client: Program;

beforeAll(async () => {
  app = await TestApp.start();
  org = await app.given.organization();
  machine = new AgentMachine(app, await app.given.user(org));
  client = await machine.connected({ args: ['--slots=2'] });
});
afterAll(async () => {
  await machine.remove();
  await app.stop();
});

const interrupt = (session: GivenSession) => app.as(session.user).post(`${session.path}/interrupt`);

describe('a computer that has connected', () => {
  it('is active and has the name of the host', async () => {
    expect(await machine.computer()).toMatchObject({ status: 'active', hostname: hostname() });
  });

  it('answers a message, and the answer names it', async () => {
    const session = await machine.session();
    const messageId = await machine.say(session, 'Good morning');
    await machine.idle(session);
    expect(await machine.messages(session)).toMatchObject([
      { id: messageId, role: 'user' },
      { role: 'assistant', parentId: messageId, content: [{ type: 'text', text: 'Good morning' }] },
    ]);
    expect(await machine.turns(session)).toEqual(['ended completed']);
  });

  it('works on as many sessions at a time as it has slots, each in a directory of its own', async () => {
    const sessions = await Promise.all([1, 2, 3].map(() => machine.session({ autonomyLevel: 'high' })));
    const [first, second, third] = sessions as [GivenSession, GivenSession, GivenSession];
    await machine.say(first, 'sleep:60 one');
    await machine.say(second, 'sleep:60 two');
    await Promise.all([machine.working(first), machine.working(second)]);
    await machine.say(third, 'tool:Write mine.txt three');
    expect(await machine.turns(third)).toEqual(['queued']);
    await interrupt(first);
    await machine.idle(third);
    expect(await machine.turns(second)).toEqual(['running']);
    await interrupt(second);
    expect(sessions.map((session) => readdirSync(machine.pathOf(session)))).toEqual([[], [], ['mine.txt']]);
  });
});

describe('what a session allows', () => {
  it('keeps an agent without autonomy from writing', async () => {
    const session = await machine.session({ autonomyLevel: 'off' });
    const answer = await machine.ask(session, 'tool:Write notes.txt hello');
    expect(existsSync(machine.pathOf(session, 'notes.txt'))).toBe(false);
    expect(textOf(answer)).toContain('notes.txt hello');
    expect(await machine.usage(session)).toMatchObject([
      { type: 'model_call' },
      { type: 'tool_call', autonomy: 'off' },
    ]);
  });

  it('lets an agent with high autonomy write', async () => {
    const session = await machine.session({ autonomyLevel: 'high' });
    await machine.ask(session, 'tool:Write notes.txt hello');
    expect(existsSync(machine.pathOf(session, 'notes.txt'))).toBe(true);
    expect(await machine.usage(session)).toMatchObject([
      { type: 'model_call', name: 'echo-1', tokens: [3, 2, 0, 0] },
      { type: 'tool_call', name: 'Write', autonomy: 'high' },
      { type: 'file_created', name: 'Text' },
    ]);
  });

  it.each([
    ['off', 'git status --short', 'completed'],
    ['off', 'git push', 'failed'],
    ['high', 'git push', 'completed'],
    ['high', 'sudo true', 'failed'],
    ['off', 'git status; sudo true', 'failed'],
  ])('with autonomy %s and the lists of the organization: %s has %s', async (autonomyLevel, command, outcome) => {
    const lists = { commandAllowlist: ['git status'], commandDenylist: ['sudo'] };
    expect((await app.as(org.owner).put(CONTROLS, lists)).status).toBe(200);
    const session = await machine.session({ autonomyLevel });
    const answer = await machine.ask(session, `tool:Bash ${command}`);
    const [result] = answer.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_result');
    expect(result).toMatchObject(outcome === 'failed' ? { isError: true } : { content: expect.anything() });
    expect(JSON.stringify(result)).toContain(outcome === 'failed' ? 'not permitted' : `$ ${command}`);
  });
});

describe('an interrupted turn', () => {
  it('stops at once, and the same agent answers the next message', async () => {
    const session = await machine.session();
    await machine.ask(session, 'hello');
    await machine.say(session, 'sleep:60 late');
    await machine.working(session);
    const before = performance.now();
    await interrupt(session);
    expect(textOf(await machine.ask(session, 'next'))).toBe('next');
    expect(performance.now() - before).toBeLessThan(9_000);
    expect(await machine.turns(session)).toEqual(['ended completed', 'ended cancelled', 'ended completed']);
    expect(client.output.match(new RegExp(`${session.id}: the agent`, 'g'))).toHaveLength(1);
    expect(textOf(await machine.messages(session))).not.toContain('late\n');
  });

  it('ends an agent that does not listen, and the next message gets another one', async () => {
    const stubborn = new AgentMachine(app, machine.user);
    const itsClient = await stubborn.connected({ command: badAgent('deaf') });
    const session = await stubborn.session();
    await stubborn.say(session, 'one');
    await eventually('it has begun', async () => textOf(await stubborn.messages(session)).includes('started'));
    await interrupt(session);
    await stubborn.say(session, 'two');
    const hasBegunAgain = () => itsClient.output.match(/the agent has started/g)?.length === 2;
    await eventually('another agent was started', hasBegunAgain, 20_000);
    await stubborn.remove();
  });
});

describe('an agent that fails', () => {
  it('leaves an error in the session, which goes on', async () => {
    const session = await machine.session();
    const answer = await machine.ask(session, 'fail please');
    expect(answer).toMatchObject([{ role: 'assistant', isError: true }]);
    expect(textOf(answer)).toContain('The echo agent was told to fail.');
    expect(textOf(await machine.ask(session, 'and now'))).toBe('and now');
    expect(await machine.turns(session)).toEqual(['ended error', 'ended completed']);
    expect(client.output.match(new RegExp(`${session.id}: the agent`, 'g'))).toHaveLength(1);
  });

  it('by crashing leaves its last words, and the next message gets a new agent', async () => {
    const session = await machine.session();
    const answer = await machine.ask(session, 'crash please');
    expect(answer).toMatchObject([{ role: 'assistant', isError: true }]);
    expect(textOf(answer)).toContain('The echo agent was told to crash.');
    expect(textOf(await machine.ask(session, 'and now'))).toBe('and now');
    expect(await machine.turns(session)).toEqual(['ended process_exit', 'ended completed']);
  });
});
