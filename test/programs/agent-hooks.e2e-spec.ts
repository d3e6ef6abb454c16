import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentMachine, textOf } from '../support/agent-machine.js';
import { eventually } from '../support/eventually.js';
import type { GivenSession } from '../support/given-session.js';
import type { Program } from '../support/program.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let machine: AgentMachine;
let client: Program;
let heard: string;

beforeAll(async () => {
  app = await TestApp.start();
  machine = new AgentMachine(app, await app.given.user(await app.given.organization()));
  client = await machine.connected();
});
beforeEach(() => {
  heard = join(machine.directory, `heard-${Math.random()}.jsonl`);
});
afterAll(async () => {
  await machine.remove();
  await app.stop();
});

const command = (text: string, matcher?: string) => ({ matcher, hooks: [{ type: 'command', command: text }] });
const listen = () => `cat >> ${heard}`;
const heardInputs = () =>
  readFileSync(heard, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** A session that begins with these hooks. */
function sessionWith(hooks: object, settings: object = {}): Promise<GivenSession> {
  machine.settings({ hooks });
  return machine.session(settings);
}

describe('a Stop hook', () => {
  it('runs when the agent is done and reads the documented fields', async () => {
    const session = await sessionWith({ Stop: [command(listen())] }, { autonomyLevel: 'low' });
    await machine.ask(session, 'hello');
    expect(heardInputs()).toEqual([
      {
        hook_event_name: 'Stop',
        session_id: session.id,
        cwd: machine.pathOf(session),
        permission_mode: 'auto-low',
        stop_hook_active: false,
      },
    ]);
    expect(await machine.hookRuns(session)).toEqual([['Stop', '', listen()]]);
  });

  it('that exits with 2 makes the agent go on with what it says', async () => {
    const objection = `${listen()}; grep -q '"stop_hook_active":true' ${heard} || { echo 'Not yet' >&2; exit 2; }`;
    const session = await sessionWith({ Stop: [command(objection)] });
    const answer = await machine.ask(session, 'hello');
    expect(textOf(answer)).toBe('helloNot yet');
    expect(heardInputs().map((input) => input.stop_hook_active)).toEqual([false, true]);
    expect(await machine.turns(session)).toEqual(['ended completed']);
    expect(await machine.hookRuns(session)).toHaveLength(2);
  });

  it('does not run when the turn was interrupted', async () => {
    const session = await sessionWith({ Stop: [command(listen())] });
    await machine.say(session, 'sleep:60 late');
    await machine.working(session);
    await app.as(machine.user).post(`${session.path}/interrupt`);
    expect(textOf(await machine.ask(session, 'next'))).toBe('next');
    expect(heardInputs()).toHaveLength(1);
  });
});

describe('a UserPromptSubmit hook', () => {
  it('that exits with 2 keeps the message from the agent and tells the user', async () => {
    const refuse = `${listen()}; echo 'No secrets here' >&2; exit 2`;
    const session = await sessionWith({ UserPromptSubmit: [command(refuse)] });
    const answer = await machine.ask(session, 'my password');
    expect(answer).toMatchObject([{ role: 'system', visibility: 'user_only' }]);
    expect(textOf(answer)).toBe('A hook refused this message. No secrets here');
    expect(await machine.turns(session)).toEqual(['ended blocked_by_hook']);
    expect(heardInputs()).toMatchObject([{ hook_event_name: 'UserPromptSubmit', prompt: 'my password' }]);
    expect((await machine.usage(session)).map(({ type }) => type)).toEqual(['hook_run']);
  });

  it('tells the agent what it prints', async () => {
    const session = await sessionWith({ UserPromptSubmit: [command('echo The branch is main')] });
    expect(textOf(await machine.ask(session, 'hello'))).toBe('hello\nThe branch is main');
  });
});

describe('a hook about tools', () => {
  it('that exits with 2 before a tool is used refuses it', async () => {
    const hooks = {
      PreToolUse: [command(`${listen()}; echo 'Not this file' >&2; exit 2`, 'Write')],
      Notification: [command(listen())],
      PostToolUse: [command(listen())],
    };
    const session = await sessionWith(hooks, { autonomyLevel: 'high' });
    await machine.ask(session, 'tool:Write notes.txt hello');
    expect(existsSync(machine.pathOf(session, 'notes.txt'))).toBe(false);
    expect(heardInputs()).toMatchObject([
      { hook_event_name: 'PreToolUse', tool_name: 'Write', tool_input: { content: 'hello\n' } },
      { hook_event_name: 'Notification', message: expect.stringContaining('A hook refused: Not this file') },
    ]);
    expect(client.output).toContain('Write was not allowed. A hook refused: Not this file');
  });

  it('runs after the tools that its matcher names', async () => {
    const session = await sessionWith({ PostToolUse: [command(listen(), 'Wr.*|Edit')] }, { autonomyLevel: 'high' });
    await machine.ask(session, 'tool:Read tool:Write notes.txt hello');
    expect(heardInputs()).toMatchObject([
      {
        hook_event_name: 'PostToolUse',
        tool_name: 'Write',
        tool_input: { file_path: machine.pathOf(session, 'notes.txt') },
        tool_response: { isError: false },
      },
    ]);
    expect(await machine.hookRuns(session)).toEqual([['PostToolUse', 'Wr.*|Edit', listen()]]);
  });

  it('does not run for a tool that the session does not allow; a Notification tells of that', async () => {
    const all = [command(listen())];
    const hooks = { PreToolUse: all, PostToolUse: all, Notification: all };
    const session = await sessionWith(hooks, { autonomyLevel: 'off' });
    await machine.ask(session, 'tool:Write notes.txt hello');
    expect(heardInputs()).toMatchObject([
      { hook_event_name: 'Notification', message: expect.stringContaining('not allowed to use Write') },
    ]);
  });
});

describe('the beginning and the end of an agent', () => {
  it('raise SessionStart and, when it crashes, SessionEnd with the reason error', async () => {
    const all = [command(listen())];
    const session = await sessionWith({ SessionStart: all, SessionEnd: all });
    await machine.ask(session, 'crash please');
    await eventually('the end was told', () => heardInputs().length === 2);
    await machine.ask(session, 'hello again');
    expect(heardInputs()).toMatchObject([
      { hook_event_name: 'SessionStart', source: 'startup' },
      { hook_event_name: 'SessionEnd', reason: 'error' },
      { hook_event_name: 'SessionStart', source: 'resume' },
    ]);
    expect((await machine.hookRuns(session)).map(([event]) => event)).toEqual([
      'SessionStart',
      'SessionEnd',
      'SessionStart',
    ]);
  });

  it('tell the agent what a SessionStart hook prints, with the first message only', async () => {
    const session = await sessionWith({ SessionStart: [command('echo Read the manual')] });
    expect(textOf(await machine.ask(session, 'one'))).toBe('one\nRead the manual');
    expect(textOf(await machine.ask(session, 'two'))).toBe('two');
  });
});

describe('settings', () => {
  it('of a project count only where the user trusts its directory', async () => {
    machine.settings({});
    const sessions = [await machine.session(), await machine.session()] as const;
    for (const session of sessions) {
      mkdirSync(machine.pathOf(session, '.agent-platform'), { recursive: true });
      const hooks = { Stop: [command('cat > stopped.json')] };
      writeFileSync(machine.pathOf(session, '.agent-platform', 'settings.json'), JSON.stringify({ hooks }));
    }
    machine.settings({ trustedDirectories: [machine.pathOf(sessions[0])] });
    for (const session of sessions) await machine.ask(session, 'hello');
    expect(sessions.map((session) => existsSync(machine.pathOf(session, 'stopped.json')))).toEqual([true, false]);
    expect(client.output).toContain(
      `${machine.pathOf(sessions[1], '.agent-platform', 'settings.json')} do not run: its directory is not in trusted`,
    );
  });

  it('that are broken are reported with line and reason, and the session goes on', async () => {
    machine.settings('{\n  "hooks": {\n    "Stop": [,]\n  }\n}');
    const session = await machine.session();
    expect(textOf(await machine.ask(session, 'hello'))).toBe('hello');
    expect(client.output).toMatch(/WARNING .*settings\.json.*(line 3|:3:)/);
  });

  it('run one of several identical commands', async () => {
    const session = await sessionWith({ Stop: [command(listen()), command(listen(), '*')] });
    await machine.ask(session, 'hello');
    expect([heardInputs().length, await machine.hookRuns(session)]).toEqual([1, [['Stop', '', listen()]]]);
  });
});

describe('the environment of hooks', () => {
  it('has the directory of the session and not the key of the client', async () => {
    const session = await sessionWith({ Stop: [command(`env > ${heard}`)] });
    await machine.ask(session, 'hello');
    const environment = readFileSync(heard, 'utf8');
    expect(environment).toContain(`AGENT_PLATFORM_PROJECT_DIR=${machine.pathOf(session)}\n`);
    expect(environment).not.toContain(machine.user.key);
  });
});
