import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { askingLaunch } from '../../../src/agent/acp/asking-agents.js';
import { telemetryLaunch } from '../../../src/agent/acp/telemetry-launch.js';
import { AgentDirectories } from '../../support/agent-directories.js';

const telemetry = { url: 'http://service/api/otlp', key: 'apk_1', sessionId: 'id-1' };
let machine: AgentDirectories;

beforeEach(() => {
  machine = new AgentDirectories();
});
afterEach(() => machine.remove());

const launched = (command: string[], env: NodeJS.ProcessEnv = { PATH: '/bin' }) =>
  telemetryLaunch(askingLaunch(command, env, machine.home), telemetry, machine.home);

const EXPORTER = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://service/api/otlp',
  OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer apk_1,Agent-Platform-Session=id-1',
};

it.each([['claude-agent-acp'], ['npx -y @zed-industries/codex-acp'], ['codex-acp'], ['my-agent'], ['my-codex-acp.sh']])(
  '%s is left to ACP',
  (command) => {
    expect(launched(command.split(' '))).toBeNull();
  },
);

it('Gemini CLI exports to the service, without prompts', () => {
  const { command, env } = launched(['npx', '-y', '@google/gemini-cli', '--acp']) ?? {};
  expect(command).toContain('--admin-policy');
  expect(env).toMatchObject({ ...EXPORTER, GEMINI_TELEMETRY_ENABLED: 'true', GEMINI_TELEMETRY_LOG_PROMPTS: 'false' });
});

it('opencode exports to the service, and still asks', () => {
  const own = JSON.stringify({ theme: 'dark', experimental: { batch_tool: true } });
  const { env } = launched(['opencode', 'acp'], { OPENCODE_CONFIG_CONTENT: own }) ?? {};
  const config = JSON.parse(env?.OPENCODE_CONFIG_CONTENT ?? '{}') as Record<string, unknown>;
  expect(env).toMatchObject(EXPORTER);
  expect(config).toMatchObject({ theme: 'dark', experimental: { batch_tool: true, openTelemetry: true } });
  expect(config).toHaveProperty('agent.build.permission.edit', 'ask');
});

describe('Codex', () => {
  function installed(): string {
    const modules = machine.directory('node_modules');
    const adapter = machine.write(join(modules, '@agentclientprotocol/codex-acp/dist/index.js'), '');
    mkdirSync(join(modules, '.bin'));
    writeFileSync(join(modules, '.bin', 'codex'), '');
    symlinkSync(adapter, join(modules, '.bin', 'codex-acp'));
    return join(modules, '.bin', 'codex-acp');
  }

  it('is started by a script of the client, which has no key in it', () => {
    const program = installed();
    const { env } = launched([program]) ?? {};
    expect(env).toMatchObject({ ...EXPORTER, PATH: `${dirname(program)}:/bin` });
    const script = env?.CODEX_PATH ?? '';
    expect([statSync(script).mode & 0o777, readFileSync(script, 'utf8').includes('apk_')]).toEqual([0o700, false]);
  });

  it('may be one of the user', () => {
    const { env } = launched([installed()], { CODEX_PATH: '/opt/codex' }) ?? {};
    expect(env).toMatchObject({ AGENT_PLATFORM_CODEX: '/opt/codex' });
  });

  it('is found by npx', () => {
    const { env } = launched(['npx', '-y', '@agentclientprotocol/codex-acp@2.6.0']) ?? {};
    expect(env).toMatchObject({ ...EXPORTER, PATH: '/bin' });
  });
});
