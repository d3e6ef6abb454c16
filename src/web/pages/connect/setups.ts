/** How each agent is pointed at the service; the same as in docs/telemetry.md, which a test compares. */
export const AGENTS = {
  'claude-code': 'Claude Code',
  'gemini-cli': 'Gemini CLI',
  codex: 'Codex',
  opencode: 'opencode',
} as const;
export type Agent = keyof typeof AGENTS;

export interface Target {
  /** Of the service, without a slash at the end. */
  readonly url: string;
  readonly key: string;
}

export interface Setup {
  /** Variables of the environment, in their order. */
  readonly env: readonly (readonly [string, string])[];
  /** Keys that are merged into a JSON file below the home directory. */
  readonly json?: { readonly file: string; readonly values: object };
  /** Lines that are added to a file below the home directory. */
  readonly lines?: { readonly file: string; readonly text: string };
}

const endpoint = ({ url }: Target) => `${url}/api/otlp`;
const header = ({ key }: Target) => ['OTEL_EXPORTER_OTLP_HEADERS', `Authorization=Bearer ${key}`] as const;

const SETUPS: Readonly<Record<Agent, (target: Target) => Setup>> = {
  'claude-code': (target) => ({
    env: [
      ['CLAUDE_CODE_ENABLE_TELEMETRY', '1'],
      ['OTEL_METRICS_EXPORTER', 'otlp'],
      ['OTEL_LOGS_EXPORTER', 'otlp'],
      ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf'],
      ['OTEL_EXPORTER_OTLP_COMPRESSION', 'gzip'],
      ['OTEL_EXPORTER_OTLP_ENDPOINT', endpoint(target)],
      header(target),
      ['OTEL_LOG_TOOL_DETAILS', '1'],
      ['OTEL_METRICS_INCLUDE_ENTRYPOINT', 'true'],
    ],
  }),
  'gemini-cli': (target) => ({
    json: {
      file: '.gemini/settings.json',
      values: {
        telemetry: { enabled: true, target: 'local', otlpEndpoint: endpoint(target), otlpProtocol: 'http' },
      },
    },
    env: [header(target)],
  }),
  codex: (target) => ({ lines: { file: '.codex/config.toml', text: codexLines(target) }, env: [] }),
  opencode: (target) => ({
    json: { file: '.config/opencode/opencode.json', values: { experimental: { openTelemetry: true } } },
    env: [['OTEL_EXPORTER_OTLP_ENDPOINT', endpoint(target)], header(target)],
  }),
};

export function setupOf(agent: Agent, target: Target): Setup {
  return SETUPS[agent](target);
}

function codexLines(target: Target): string {
  const exporter = (signal: string) =>
    `{ otlp-http = { endpoint = "${endpoint(target)}/v1/${signal}", protocol = "json", ` +
    `headers = { "Authorization" = "Bearer ${target.key}" } } }`;
  return `[otel]
exporter = ${exporter('logs')}
metrics_exporter = ${exporter('metrics')}
trace_exporter = "none"`;
}
