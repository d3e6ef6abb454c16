import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { firstStartMs } from '../../../src/agent/agent-command.js';
import { askingFindings } from '../../../src/agent/asking-finding.js';
import { AskingRecord } from '../../../src/agent/shared/asking-record.js';
import { AgentDirectories } from '../../support/agent-directories.js';

const TODAY = new Date().toISOString().slice(0, 10);

let machine: AgentDirectories;

beforeEach(() => {
  machine = new AgentDirectories();
});
afterEach(() => machine.remove());

const look = (command: string, agentName: string | null = null, env: NodeJS.ProcessEnv = {}) =>
  askingFindings({ command: command.split(' ').filter(Boolean), agentName, home: machine.home, env });

describe('of an agent is said', () => {
  it('that it is told to ask, when it is known', () => {
    for (const [command, name] of [
      ['npx -y opencode-ai acp', 'opencode'],
      ['gemini --acp', 'Gemini CLI'],
      ['claude-agent-acp', 'Claude Code'],
    ] as const) {
      const note = `${name} is told to ask before it changes something`;
      expect(look(command)).toEqual([{ isWell: true, what: 'Permissions', note }]);
    }
  });

  it('the same when it is known by its own name only and needs no command line', () => {
    expect(look('./mine.sh', 'OpenCode')).toMatchObject([{ note: expect.stringContaining('opencode is told to ask') }]);
  });

  it('that it is not told, when its command line would have to be known', () => {
    expect(look('./mine.sh', 'gemini-cli')).toMatchObject([
      { isWell: true, note: expect.stringContaining('the command that starts Gemini CLI is unknown') },
    ]);
  });

  it('that it is unknown, until it is seen asking', () => {
    expect(look('my-agent')).toMatchObject([{ isWell: true, note: expect.stringContaining('is unknown') }]);
    new AskingRecord(machine.home).note(['my-agent'], 'asked');
    expect(look('my-agent')).toMatchObject([{ isWell: true, note: `this agent was seen asking on ${TODAY}` }]);
    expect(look('other-agent')).toMatchObject([{ note: expect.stringContaining('is unknown') }]);
  });

  it('that it changed something without asking, known or not', () => {
    for (const command of ['my-agent', 'opencode acp']) {
      new AskingRecord(machine.home).note(command.split(' '), 'actedUnasked');
      const note = `this agent changed something without asking on ${TODAY}`;
      expect(look(command)).toMatchObject([{ isWell: false, note, remedy: expect.stringContaining('Configure') }]);
    }
  });

  it('that the built-in agent asks', () => {
    expect(look('')).toEqual([{ isWell: true, what: 'Permissions', note: 'the built-in agent asks' }]);
  });
});

(process.platform === 'linux' ? describe : describe.skip)('the sandbox of Codex', () => {
  const sandboxOf = (command: string, PATH = machine.projects) => look(command, null, { PATH })[1];
  const bwrap = (help: string) => {
    const program = machine.write(join(machine.projects, 'bwrap'), `#!/bin/sh\necho "${help}"\n`);
    chmodSync(program, 0o755);
    return program;
  };

  it('is missing, unless Codex brings its own', () => {
    expect(sandboxOf('codex-acp')).toMatchObject({ isWell: false, remedy: expect.stringContaining('bubblewrap') });
    const own = sandboxOf('npx -y @agentclientprotocol/codex-acp@2.6.0');
    expect(own).toEqual({ isWell: true, what: 'Sandbox', note: 'Codex brings its own bwrap' });
  });

  it('is found in the path', () => {
    const note = bwrap('--argv0 VALUE');
    expect(sandboxOf('codex-acp', `:${machine.projects}`)).toEqual({ isWell: true, what: 'Sandbox', note });
  });

  it('may be too old', () => {
    const note = `${bwrap('--bind SRC DEST')} is too old, so that commands of Codex fail`;
    for (const command of ['codex-acp', 'npx -y @agentclientprotocol/codex-acp@2.6.0']) {
      expect(sandboxOf(command)).toMatchObject({ isWell: false, note });
    }
  });
});

it('a record that is damaged counts as empty, and is written again', () => {
  machine.write(join(machine.home.directory, 'agents', 'asking.json'), 'broken');
  const record = new AskingRecord(machine.home);
  expect(record.find(['a'])).toEqual({});
  record.note(['a'], 'asked');
  expect(record.find(['a'])).toEqual({ asked: expect.stringContaining(TODAY) });
});

it.each([
  ['npx -y opencode-ai acp', 600],
  ['/usr/bin/npx -y x', 600],
  ['pnpm dlx x', 600],
  ['npm exec x', 600],
  ['opencode acp', 60],
])('the first start of %s may take %d seconds', (command, seconds) => {
  expect(firstStartMs(command.split(' '))).toBe(seconds * 1000);
});
