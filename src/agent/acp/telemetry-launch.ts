import { chmodSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { AgentHome } from '../shared/agent-home.js';
import { isRecord } from '../shared/bounds.js';
import type { AgentLaunch } from './asking-agents.js';
import { agentOfCommand } from './known-agents.js';

/*
 * Agents that tell their own telemetry more than ACP: it is switched on and pointed at the service. The key travels in the
 * environment; the user's own files are not touched.
 */

export interface SessionTelemetry {
  /** Where the service takes OTLP. */
  readonly url: string;
  /** An API key of scope `telemetry`. */
  readonly key: string;
  readonly sessionId: string;
}

const ADAPTER = '@agentclientprotocol/codex-acp';

/** Codex reads its exporter from its configuration when it starts, and its adapter passes no options on. */
const CODEX_SCRIPT = `#!/bin/sh
# Written by the agent client.
exec "\${AGENT_PLATFORM_CODEX:-codex}" "$@" \\
  -c "otel.exporter={otlp-http={endpoint=\\"$OTEL_EXPORTER_OTLP_ENDPOINT/v1/logs\\",protocol=\\"json\\"}}" \\
  -c 'otel.trace_exporter="none"' -c 'otel.metrics_exporter="none"' -c 'otel.log_user_prompt=false'
`;

/** null: this agent tells all it knows over ACP, or cannot be told to report. */
export function telemetryLaunch(launch: AgentLaunch, telemetry: SessionTelemetry, home: AgentHome): AgentLaunch | null {
  const env = { ...launch.env, ...exporterVariables(telemetry) };
  switch (agentOfCommand(launch.command)) {
    case 'Gemini CLI':
      return { ...launch, env: { ...env, ...geminiVariables(telemetry) } };
    case 'opencode':
      return { ...launch, env: { ...env, OPENCODE_CONFIG_CONTENT: withOpenTelemetry(env.OPENCODE_CONFIG_CONTENT) } };
    case 'Codex': {
      const codex = codexVariables(launch, home);
      return codex && { ...launch, env: { ...env, ...codex } };
    }
    case 'Claude Code':
    case null:
      return null;
  }
}

function exporterVariables({ url, key, sessionId }: SessionTelemetry): NodeJS.ProcessEnv {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer ${key},Agent-Platform-Session=${sessionId}`,
  };
}

function geminiVariables({ url }: SessionTelemetry): NodeJS.ProcessEnv {
  return {
    GEMINI_TELEMETRY_ENABLED: 'true',
    GEMINI_TELEMETRY_TARGET: 'local',
    GEMINI_TELEMETRY_OTLP_ENDPOINT: url,
    GEMINI_TELEMETRY_OTLP_PROTOCOL: 'http',
    GEMINI_TELEMETRY_LOG_PROMPTS: 'false',
  };
}

/** The configuration is that of `askingLaunch`. */
function withOpenTelemetry(config: string | undefined): string {
  const own = JSON.parse(config ?? '{}') as Record<string, unknown>;
  const experimental = isRecord(own.experimental) ? own.experimental : {};
  return JSON.stringify({ ...own, experimental: { ...experimental, openTelemetry: true } });
}

/** null when it is another adapter, which does not export, or when it is unknown which Codex it runs. */
function codexVariables({ command, env }: AgentLaunch, home: AgentHome): NodeJS.ProcessEnv | null {
  if (process.platform === 'win32') return null;
  const place = placeOf(command);
  if (place === null) return null;
  const isByNpx = !existsSync(place);
  const bundled = isByNpx ? null : bundledCodex(place);
  if (env.CODEX_PATH === undefined && bundled === null && !isByNpx) return null;
  const script = join(home.directory, 'agents', 'codex-telemetry.sh');
  mkdirSync(dirname(script), { recursive: true });
  writeFileSync(script, CODEX_SCRIPT);
  chmodSync(script, 0o700);
  const path = [...(bundled === null ? [] : [bundled]), env.PATH ?? ''].join(delimiter);
  return { CODEX_PATH: script, PATH: path, AGENT_PLATFORM_CODEX: env.CODEX_PATH };
}

/** Whether a command starts the adapter that comes with Codex itself. */
export function hasOwnCodex(command: readonly string[]): boolean {
  return placeOf(command) !== null;
}

function placeOf(command: readonly string[]): string | null {
  return command.map(realPath).find((word) => word.includes(ADAPTER)) ?? null;
}

/** The directory with the program that the adapter would run by itself. */
function bundledCodex(adapter: string): string | null {
  const root = adapter.slice(0, adapter.indexOf(ADAPTER) + ADAPTER.length);
  const places = [join(root, 'node_modules', '.bin'), join(root, '..', '..', '.bin')];
  return places.find((place) => existsSync(join(place, 'codex'))) ?? null;
}

function realPath(word: string): string {
  try {
    return realpathSync(word);
  } catch {
    return word;
  }
}
