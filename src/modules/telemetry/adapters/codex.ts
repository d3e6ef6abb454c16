import type { LogRecord, Origin, SumPoint } from '../otlp/records.js';
import type { Adapter, Mapped, UsageFact } from './adapter.js';
import { count, hasAttribute, json, text, textIn } from './attributes.js';
import {
  toFacts,
  hookRun,
  commitsAndPullRequests,
  mcpToolCall,
  modelCall,
  name,
  nameOf,
  sessionId,
  type Source,
  repeat,
  type EventDraft,
  toolCall,
} from './facts.js';
import { patchFacts } from './patches.js';

const PREFIX = 'codex.';
const FAILED = /(?:^Exit code:|Process exited with code) -?[1-9]/m;
/** The exit code is in one of the first lines of the output. */
const OUTPUT_HEAD = 400;

const CLIENTS = new Map<string, UsageFact['client']>([
  ['codex_exec', 'non-interactive-cli'],
  ['codex_sdk_ts', 'non-interactive-cli'],
  ['codex_python_sdk', 'non-interactive-cli'],
  ['codex_cli_rs', 'terminal-ui'],
  ['codex-tui', 'terminal-ui'],
  ['codex_tui', 'terminal-ui'],
]);

const LOGS = new Map<string, (record: LogRecord) => EventDraft[]>([
  ['conversation_starts', () => [['session_started']]],
  ['user_prompt', () => [['user_message']]],
  ['sse_event', readStreamEvent],
  ['tool_result', readToolResult],
]);

/** Not usage, or a repetition of another record. */
const OTHER_LOGS = new Set(
  (
    'api_request tool_decision turn_ttft turn_cost sandbox_outcome startup_phase websocket_connect ' +
    'websocket_request websocket_event auth_recovery'
  ).split(' '),
);

/** Read for what is in no log record; they have neither session nor user. */
const POINTS = new Map<string, (point: SumPoint) => EventDraft[]>([
  ['skill.injected', readSkills],
  ['hooks.run', ({ attributes, value }) => repeat(value, hookRun(text(attributes, 'event')))],
]);

/** Repeats the logs, or is not counted. */
const OTHER_POINTS = new Set(
  (
    'thread.started process.start tool.call tool.unified_exec api_request sse_event websocket.request ' +
    'websocket.event turn.network_proxy turn.memory turn.unified_exec.running_processes conversation.turn.count ' +
    'turn.token_usage turn.tool.call mcp.call approval.requested profile.usage guardian.review'
  ).split(' '),
);

export const codex: Adapter = {
  id: 'codex',
  name: 'Codex',

  /** `service.name` is the program that runs Codex, which may be a third party's. */
  recognises({ resource, scope }: Origin): boolean {
    return /^codex\b|^codex_/i.test(text(resource, 'service.name')) || /^codex(?:$|_)/.test(scope);
  },

  /** Only the attribute has the name: `eventName` holds a source code location. */
  log(record: LogRecord): Mapped {
    const event = bare(text(record.attributes, 'event.name'));
    const read = LOGS.get(event);
    if (read) return toFacts(sourceOf(record), read(record));
    return OTHER_LOGS.has(event) ? [] : null;
  },

  point(point: SumPoint): Mapped {
    const metric = bare(point.name);
    const read = POINTS.get(metric);
    if (read) return toFacts(sourceOf(point), read(point));
    return OTHER_POINTS.has(metric) ? [] : null;
  },

  /** Hundreds per turn, all internal. */
  span(): Mapped {
    return [];
  },

  nameOf,
};

function bare(event: string): string {
  return event.startsWith(PREFIX) ? event.slice(PREFIX.length) : '';
}

function sourceOf({ attributes, resource, timeMs }: LogRecord | SumPoint): Source {
  const client = CLIENTS.get(text(attributes, 'originator') || text(resource, 'service.name'));
  return { timeMs, sessionId: sessionId(text(attributes, 'conversation.id')), ...(client && { client }) };
}

/**
 * Completion is sent twice, the second time with counts: input includes cached input, output includes reasoning, and
 * the count named after tools is the total.
 */
function readStreamEvent({ attributes }: LogRecord): EventDraft[] {
  if (text(attributes, 'event.kind') !== 'response.completed') return [];
  if (!hasAttribute(attributes, 'input_token_count')) return [];
  const call = modelCall({
    model: text(attributes, 'model'),
    input: count(attributes, 'input_token_count'),
    output: count(attributes, 'output_token_count'),
    cacheRead: count(attributes, 'cached_token_count'),
    cacheWrite: count(attributes, 'cache_write_token_count'),
    thinking: count(attributes, 'reasoning_token_count'),
  });
  return [call, ['assistant_message']];
}

function readToolResult({ attributes }: LogRecord): EventDraft[] {
  const tool = text(attributes, 'tool_name');
  const server = text(attributes, 'mcp_server');
  if (server !== '') return [mcpToolCall(server, tool)];
  const hasFailed =
    text(attributes, 'success') === 'false' || FAILED.test(text(attributes, 'output').slice(0, OUTPUT_HEAD));
  return hasFailed ? [toolCall(tool)] : [toolCall(tool), ...readArguments(attributes)];
}

/** A patch is sent bare, as an argument, or inside a command. */
function readArguments(attributes: LogRecord['attributes']): EventDraft[] {
  const input = json(attributes, 'arguments');
  const command = input.cmd ?? input.command;
  const words: unknown[] = Array.isArray(command) ? command : [command];
  const texts = [...words, textIn(input, 'input')].filter((word) => typeof word === 'string').join('\n');
  const patch = Object.keys(input).length > 0 ? texts : text(attributes, 'arguments');
  return [...patchFacts(patch), ...commitsAndPullRequests(command)];
}

function readSkills({ attributes, value }: SumPoint): EventDraft[] {
  if (text(attributes, 'status') === 'error') return [];
  return repeat(value, ['skill_used', { name: name(text(attributes, 'skill')) }]);
}
