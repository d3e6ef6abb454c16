import type { LogRecord, Origin, Span, SumPoint } from '../otlp/records.js';
import type { Adapter, Mapped, UsageFact } from './adapter.js';
import { count, hasAttribute, json, text, textIn, toCount } from './attributes.js';
import {
  extensionOf,
  toFacts,
  file,
  hookRun,
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

const PREFIX = 'claude_code.';
/** The name that Claude Code itself uses for a redacted server. */
const REDACTED_SERVER = 'custom';
const MCP_TOOL = /^mcp__(.+?)__(.+)$/;
const EDIT_TOOLS = new Set(['Edit', 'MultiEdit', 'Write']);

const LOGS = new Map<string, (record: LogRecord) => EventDraft[]>([
  ['api_request', readApiRequest],
  ['user_prompt', readUserPrompt],
  ['assistant_response', () => [['assistant_message']]],
  ['tool_result', readToolResult],
  ['skill_activated', readSkill],
  ['hook_execution_complete', readHooks],
]);

/** Not usage, or a repetition of another record; a refused tool did not run. */
const OTHER_LOGS = new Set(
  (
    'tool_decision hook_execution_start hook_registered mcp_server_connection permission_mode_changed api_error ' +
    'api_refusal api_retries_exhausted plugin_installed plugin_loaded subagent_completed compaction at_mention auth ' +
    'internal_error feedback_survey retention_sweep api_request_body api_response_body'
  ).split(' '),
);

/** Read for what is in no log record. Sessions: no record marks the start of one. */
const POINTS = new Map<string, (point: SumPoint) => EventDraft[]>([
  ['session.count', readSessions],
  ['commit.count', ({ value }) => repeat(value, ['git_commit'])],
  ['pull_request.count', ({ value }) => repeat(value, ['pull_request_created'])],
]);

/** Repeats the logs, or is not counted. */
const OTHER_POINTS = new Set([
  'token.usage',
  'cost.usage',
  'lines_of_code.count',
  'code_edit_tool.decision',
  'active_time.total',
]);

const SPANS = new Set(['interaction', 'llm_request', 'tool', 'tool.blocked_on_user', 'tool.execution', 'hook']);

export const claudeCode: Adapter = {
  name: 'Claude Code',

  recognises({ resource, scope }: Origin): boolean {
    return text(resource, 'service.name') === 'claude-code' || scope.startsWith('com.anthropic.claude_code');
  },

  log(record: LogRecord): Mapped {
    const event = bare(text(record.attributes, 'event.name') || record.body);
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

  /** Optional, and a repetition of the logs. */
  span(span: Span): Mapped {
    return SPANS.has(bare(span.name)) ? [] : null;
  },

  nameOf,
};

function bare(event: string): string {
  return event.startsWith(PREFIX) ? event.slice(PREFIX.length) : event;
}

function sourceOf({ attributes, timeMs }: LogRecord | SumPoint): Source {
  const client = clientOf(text(attributes, 'app.entrypoint'), text(attributes, 'query_source'));
  return { timeMs, sessionId: sessionId(text(attributes, 'session.id')), ...(client && { client }) };
}

/** The entrypoint is optional; the query source implies it where it is known. */
function clientOf(entrypoint: string, querySource: string): UsageFact['client'] {
  if (entrypoint === 'cli') return 'terminal-ui';
  if (entrypoint.startsWith('sdk-')) return 'non-interactive-cli';
  if (entrypoint !== '') return undefined;
  if (querySource.startsWith('repl_main_thread')) return 'terminal-ui';
  return querySource === 'sdk' ? 'non-interactive-cli' : undefined;
}

/** Claude Code sends uncached, cache-read and cache-write input apart; their sum is all input. */
function readApiRequest({ attributes }: LogRecord): EventDraft[] {
  if (!hasAttribute(attributes, 'input_tokens') && !hasAttribute(attributes, 'output_tokens')) return [];
  const cacheRead = count(attributes, 'cache_read_tokens');
  const cacheWrite = count(attributes, 'cache_creation_tokens');
  const input = count(attributes, 'input_tokens') + cacheRead + cacheWrite;
  const output = count(attributes, 'output_tokens');
  const costMicros = costOf(attributes);
  return [modelCall({ model: text(attributes, 'model'), input, output, cacheRead, cacheWrite, costMicros })];
}

/** Older versions send dollars only. */
function costOf(attributes: LogRecord['attributes']): number | undefined {
  if (hasAttribute(attributes, 'cost_usd_micros')) return count(attributes, 'cost_usd_micros');
  return hasAttribute(attributes, 'cost_usd') ? toCount(Number(text(attributes, 'cost_usd')) * 1e6) : undefined;
}

function readUserPrompt({ attributes }: LogRecord): EventDraft[] {
  const command = text(attributes, 'command_name').replace(/^\//, '');
  return command === '' ? [['user_message']] : [['user_message'], ['slash_command', { name: name(command) }]];
}

function readToolResult(record: LogRecord): EventDraft[] {
  const tool = text(record.attributes, 'tool_name');
  return [readTool(record, tool), ...readFiles(record, tool)];
}

function readTool({ attributes }: LogRecord, tool: string): EventDraft {
  const [, serverInName, toolInName] = MCP_TOOL.exec(tool) ?? [];
  if (serverInName !== undefined && toolInName !== undefined) return mcpToolCall(serverInName, toolInName);
  if (tool !== 'mcp_tool') return toolCall(tool);
  const parameters = json(attributes, 'tool_parameters');
  const server = textIn(parameters, 'mcp_server_name');
  // The users of MCP are counted by server, so there has to be one.
  if (server === '') return ['tool_call', { tool, mcpServer: REDACTED_SERVER }];
  return mcpToolCall(server, textIn(parameters, 'mcp_tool_name'));
}

/** `Write` does not say whether the file existed. Without details there is no path, so no extension. */
function readFiles({ attributes }: LogRecord, tool: string): EventDraft[] {
  if (text(attributes, 'success') === 'false') return [];
  if (tool === 'NotebookEdit') return [file('file_edited', '.ipynb')];
  if (!EDIT_TOOLS.has(tool)) return [];
  return [file('file_edited', extensionOf(textIn(json(attributes, 'tool_input'), 'file_path')))];
}

/** A slash command triggers this too, but is counted as a command. */
function readSkill({ attributes }: LogRecord): EventDraft[] {
  if (text(attributes, 'invocation_trigger') === 'user-slash') return [];
  return [['skill_used', { name: name(text(attributes, 'skill.name')) }]];
}

/** Includes the built-in hooks of Claude Code, which are in the same number. */
function readHooks({ attributes }: LogRecord): EventDraft[] {
  const [, event = '', matcher = ''] = /^([^:]*):?(.*)/.exec(text(attributes, 'hook_name')) ?? [];
  return repeat(count(attributes, 'num_hooks'), hookRun(text(attributes, 'hook_event') || event, matcher));
}

function readSessions({ attributes, value }: SumPoint): EventDraft[] {
  return text(attributes, 'start_type') === 'agents_view' ? [] : repeat(value, ['session_started']);
}
