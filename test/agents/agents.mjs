import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * The agents, how they are run without a terminal, and how their telemetry is pointed at the service: the same lines as in
 * docs/telemetry.md. `home` is an empty directory, `work` the one they work in.
 */
const writing = (work) => `[stub: write ${join(work, 'hello.py')}]`;
const committing = () =>
  `[stub: run echo hello > hello.py && git init -q . && git add -A && git -c user.name=a -c user.email=a@example.com commit -qm hello]`;

export const AGENTS = [
  {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code@2.1.197',
    run: ({ bin, model, otlp, key, work }) => ({
      command: [
        join(bin, 'claude'),
        '-p',
        writing(work),
        '--model',
        'claude-sonnet-4-5',
        '--permission-mode',
        'bypassPermissions',
      ],
      env: {
        IS_SANDBOX: '1',
        ANTHROPIC_BASE_URL: model,
        ANTHROPIC_API_KEY: 'none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_ENABLE_TELEMETRY: '1',
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_LOGS_EXPORTER: 'otlp',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_EXPORTER_OTLP_ENDPOINT: otlp,
        OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer ${key}`,
        OTEL_LOG_TOOL_DETAILS: '1',
        OTEL_METRICS_INCLUDE_ENTRYPOINT: 'true',
      },
    }),
    expected: { models: ['claude-sonnet-4-5'], tools: ['Write'] },
  },
  {
    name: 'Gemini CLI',
    package: '@google/gemini-cli@0.61.0',
    run: ({ bin, model, otlp, key, home, work }) => {
      mkdirSync(join(home, '.gemini'), { recursive: true });
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        telemetry: { enabled: true, target: 'local', otlpEndpoint: otlp, otlpProtocol: 'http' },
        privacy: { usageStatisticsEnabled: false },
      };
      writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
      return {
        command: [join(bin, 'gemini'), '-m', 'gemini-2.5-flash', '--approval-mode=yolo', '-p', writing(work)],
        env: {
          GEMINI_API_KEY: 'none',
          GOOGLE_GEMINI_BASE_URL: model,
          GEMINI_CLI_TRUST_WORKSPACE: 'true',
          OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer ${key}`,
        },
      };
    },
    expected: { models: ['gemini-stub', 'gemini-2.5-flash'], tools: ['Write'] },
  },
  {
    name: 'Codex',
    package: '@openai/codex@0.166.0',
    run: ({ bin, model, otlp, key, home }) => {
      mkdirSync(join(home, '.codex'), { recursive: true });
      const exporter = (signal) =>
        `{ otlp-http = { endpoint = "${otlp}/v1/${signal}", protocol = "json", headers = { "Authorization" = "Bearer ${key}" } } }`;
      writeFileSync(
        join(home, '.codex', 'config.toml'),
        [
          'model_provider = "stub"',
          'model = "gpt-5"',
          'approval_policy = "never"',
          'sandbox_mode = "danger-full-access"',
          '[model_providers.stub]',
          `name = "stub"\nbase_url = "${model}/v1"\nenv_key = "STUB_KEY"\nwire_api = "responses"`,
          '[otel]',
          `exporter = ${exporter('logs')}`,
          `metrics_exporter = ${exporter('metrics')}`,
          'trace_exporter = "none"',
        ].join('\n'),
      );
      return {
        command: [join(bin, 'codex'), 'exec', '--skip-git-repo-check', committing()],
        env: { STUB_KEY: 'none' },
      };
    },
    expected: { models: ['gpt-5'], tools: ['Bash'] },
  },
  {
    name: 'opencode',
    package: 'opencode-ai@1.18.18',
    run: ({ bin, model, otlp, key, home, work }) => {
      mkdirSync(join(home, '.config', 'opencode'), { recursive: true });
      const settings = {
        model: 'stub/stub-model',
        provider: {
          stub: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${model}/v1`, apiKey: 'none' },
            models: { 'stub-model': {} },
          },
        },
        experimental: { openTelemetry: true },
      };
      writeFileSync(join(home, '.config', 'opencode', 'opencode.json'), JSON.stringify(settings));
      return {
        command: [join(bin, 'opencode'), 'run', writing(work)],
        env: {
          OPENCODE_DISABLE_AUTOUPDATE: '1',
          OPENCODE_DISABLE_MODELS_FETCH: '1',
          OTEL_EXPORTER_OTLP_ENDPOINT: otlp,
          OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer ${key}`,
        },
      };
    },
    expected: { models: ['stub-model'], tools: null },
  },
];
