import { readFileSync } from 'node:fs';
import { askingLaunch, sessionMeta } from '../../../src/agent/acp/asking-agents.js';
import { agentOfCommand, agentOfName } from '../../../src/agent/acp/known-agents.js';
import { AgentDirectories } from '../../support/agent-directories.js';

let machine: AgentDirectories;

beforeEach(() => {
  machine = new AgentDirectories();
});
afterEach(() => machine.remove());

const launch = (command: string, env: NodeJS.ProcessEnv = {}) =>
  askingLaunch(command.split(' '), { PATH: '/bin', ...env }, machine.home);
const json = (text: string | undefined) => JSON.parse(text ?? '');

describe('an agent is known', () => {
  it.each([
    ['npx -y @agentclientprotocol/claude-agent-acp@0.49.0', 'Claude Code'],
    ['npx -y @google/gemini-cli@0.61.0 --acp', 'Gemini CLI'],
    ['/usr/local/bin/gemini --acp', 'Gemini CLI'],
    ['node /opt/gemini-cli/bundle/gemini.js --acp', 'Gemini CLI'],
    ['npx -y @zed-industries/codex-acp@0.16.0', 'Codex'],
    ['env RUST_LOG=info codex-acp', 'Codex'],
    ['pnpm dlx opencode-ai@1.18.18 acp', 'opencode'],
    ['/opt/opencode/bin/opencode acp', 'opencode'],
    ['my-agent --home /home/gemini', null],
    ['npx -y some-agent opencode', null],
    ['', null],
  ])('by its command: %s', (command, agent) => {
    expect(agentOfCommand(command.split(' '))).toBe(agent);
  });

  it.each([
    ['@agentclientprotocol/claude-agent-acp', 'Claude Code'],
    ['gemini-cli', 'Gemini CLI'],
    ['codex-acp', 'Codex'],
    ['OpenCode', 'opencode'],
    ['echo', null],
  ])('by the name it gives itself: %s', (name, agent) => {
    expect(agentOfName(name)).toBe(agent);
  });
});

describe('to make it ask', () => {
  it('Codex is given a policy and a sandbox on its command line', () => {
    expect(launch('npx -y @zed-industries/codex-acp@0.16.0').command.slice(3)).toEqual([
      '-c',
      'approval_policy="untrusted"',
      '-c',
      'sandbox_mode="read-only"',
    ]);
  });

  it('Gemini CLI is given a policy in a file of the client', () => {
    const { command } = launch('gemini --acp');
    expect(command.slice(0, 3)).toEqual(['gemini', '--acp', '--admin-policy']);
    expect(command[3]).toContain(machine.home.directory);
    const policy = readFileSync(command[3] ?? '', 'utf8');
    for (const tool of ['write_file', 'replace', 'run_shell_command', 'mcp_*']) expect(policy).toContain(`"${tool}"`);
    expect(policy).toContain('decision = "ask_user"');
  });

  it('opencode is given variables, also behind a script', () => {
    for (const command of ['opencode acp', './start-my-agent.sh']) {
      const { command: launched, env } = launch(command);
      expect(launched).toEqual(command.split(' '));
      expect(env.PATH).toBe('/bin');
      expect(json(env.OPENCODE_PERMISSION)).toMatchObject({ '*': 'ask', edit: 'ask', bash: 'ask' });
      expect(json(env.OPENCODE_CONFIG_CONTENT).agent.build.permission).toMatchObject({ edit: 'ask', bash: 'ask' });
    }
  });

  it("opencode's subagents, whose questions nobody hears, can only read", () => {
    const { agent } = json(launch('opencode acp').env.OPENCODE_CONFIG_CONTENT);
    for (const subagent of ['general', 'explore']) {
      expect(agent[subagent].permission).toMatchObject({ '*': 'deny', grep: 'allow' });
      expect(Object.keys(agent[subagent].permission)).not.toContain('bash');
    }
    const { task } = json(launch('opencode acp').env.OPENCODE_PERMISSION);
    expect(task).toEqual({ '*': 'deny', general: 'allow', explore: 'allow' });
  });

  it("the user's own variables for opencode are kept beneath", () => {
    const own = { model: 'a/b', agent: { build: { temperature: 0 }, mine: { prompt: 'x' } } };
    const { env } = launch('opencode acp', {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(own),
      OPENCODE_PERMISSION: '{"edit":"allow","lsp":"deny"}',
    });
    expect(json(env.OPENCODE_CONFIG_CONTENT)).toMatchObject({ ...own, agent: { build: { temperature: 0 } } });
    expect(json(env.OPENCODE_CONFIG_CONTENT).agent.mine).toEqual({ prompt: 'x' });
    expect(json(env.OPENCODE_PERMISSION)).toMatchObject({ edit: 'ask', lsp: 'deny' });
  });

  it('a variable that is no JSON does not keep opencode from asking', () => {
    const { env } = launch('opencode acp', { OPENCODE_CONFIG_CONTENT: '// mine', OPENCODE_PERMISSION: 'allow' });
    expect(json(env.OPENCODE_PERMISSION)).toMatchObject({ edit: 'ask' });
    expect(json(env.OPENCODE_CONFIG_CONTENT).agent.build.permission).toMatchObject({ edit: 'ask' });
  });

  it('Claude Code is given settings when a session is opened, others are not', () => {
    const meta = sessionMeta('@agentclientprotocol/claude-agent-acp', {});
    expect(meta).toEqual({
      claudeCode: {
        emitRawSDKMessages: [{ type: 'system', subtype: 'init' }, { type: 'result' }],
        options: { settings: { permissions: { ask: expect.arrayContaining(['Bash', 'Edit', 'Write']) } } },
      },
    });
    expect(sessionMeta('codex-acp', {})).toBeNull();
    expect(sessionMeta(null, {})).toBeNull();
  });

  it('Claude Code keeps the models of its variable, which it would ignore', () => {
    const meta = sessionMeta('claude-agent-acp', { CLAUDE_MODEL_CONFIG: '{"availableModels":["opus"],"x":1}' });
    expect(meta).toMatchObject({ claudeCode: { options: { settings: { availableModels: ['opus'] } } } });
    expect(JSON.stringify(meta)).not.toContain('"x"');
  });
});
