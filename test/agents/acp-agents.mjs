import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * The agents as the agent client runs them, with settings of their user that allow everything: it is the client that has
 * to make them ask. `exact`: names of cases in which the service has to know every token that the stand-in answered with.
 */
/** But for the case whose agent is killed in the middle. */
const EVERYTHING = /^(?!mcp, trusted)/;

const BARE_AGENTS = [
  {
    name: 'Claude Code',
    package: '@agentclientprotocol/claude-agent-acp@0.49.0',
    models: /^claude-/,
    exact: EVERYTHING,
    launch: ({ bin, model, home }) => {
      const permissions = { allow: ['Write', 'Bash', 'Edit'], defaultMode: 'acceptEdits' };
      write(home, '.claude/settings.json', JSON.stringify({ permissions }));
      return {
        command: [join(bin, 'claude-agent-acp')],
        env: {
          ANTHROPIC_BASE_URL: model,
          ANTHROPIC_API_KEY: 'none',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_AUTOUPDATER: '1',
        },
      };
    },
  },
  {
    name: 'Gemini CLI',
    package: '@google/gemini-cli@0.61.0',
    hasMcp: true,
    hasNoSubagents: true, // its own policy denies them over ACP
    models: /^gemini-|^unknown$/,
    exact: /^$/,
    withTelemetry: { exact: EVERYTHING, models: /^gemini-/, settleMs: 15_000 },
    launch: ({ bin, model, home }) => {
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        tools: { allowed: ['write_file', 'run_shell_command'] },
        mcpServers: { plain: notesServer(home, 'plain'), trusted: { ...notesServer(home, 'trusted'), trust: true } },
      };
      write(home, '.gemini/settings.json', JSON.stringify(settings));
      return {
        command: [join(bin, 'gemini'), '--acp'],
        env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
      };
    },
  },
  ...['@zed-industries/codex-acp@0.16.0', '@agentclientprotocol/codex-acp@2.6.0'].map((name) => ({
    name: name.startsWith('@zed') ? 'Codex (codex-acp 0)' : 'Codex',
    package: name,
    models: /^gpt-/,
    exact: /^$/,
    ...(name.startsWith('@zed') ? {} : { withTelemetry: { exact: EVERYTHING, settleMs: 15_000 } }),
    launch: ({ bin, model, home }) => {
      const lines = [
        'model_provider = "stub"',
        'model = "gpt-5"',
        'approval_policy = "never"',
        'sandbox_mode = "danger-full-access"',
        '[model_providers.stub]',
        `name = "stub"\nbase_url = "${model}/v1"\nenv_key = "STUB_KEY"\nwire_api = "responses"`,
      ];
      write(home, '.codex/config.toml', lines.join('\n'));
      return { command: [join(bin, 'codex-acp')], env: { STUB_KEY: 'none', OPENAI_API_KEY: 'none' } };
    },
  })),
  {
    name: 'opencode',
    package: 'opencode-ai@1.18.18',
    models: /^stub-model$/,
    exact: /^$/,
    withTelemetry: { exact: EVERYTHING, settleMs: 15_000 },
    launch: ({ bin, model, home }) => {
      const settings = {
        model: 'stub/stub-model',
        permission: { '*': 'allow', bash: { '*': 'allow' } },
        agent: { build: { permission: { edit: 'allow', bash: 'allow' } } },
        provider: {
          stub: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${model}/v1`, apiKey: 'none' },
            models: { 'stub-model': {} },
          },
        },
      };
      write(home, '.config/opencode/opencode.json', JSON.stringify(settings));
      return {
        command: [join(bin, 'opencode'), 'acp'],
        env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
      };
    },
  },
];

/** With telemetry as well: agents that tell more there than over ACP. */
export const ACP_AGENTS = BARE_AGENTS.flatMap(({ withTelemetry, ...agent }) => [
  agent,
  ...(withTelemetry ? [{ ...agent, name: `${agent.name} with telemetry`, hasTelemetry: true, ...withTelemetry }] : []),
]);

function notesServer(home, name) {
  const env = { NOTES_FILE: join(home, `${name}.txt`) };
  return { command: process.execPath, args: [join(import.meta.dirname, 'mcp-notes.mjs')], env };
}

function write(home, path, text) {
  const file = join(home, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
}
