import type { LogRecord, Origin, Span, SumPoint } from '../otlp/records.js';
import type { Adapter, Mapped, UsageFact } from './adapter.js';
import { count, isTold, json, text, textIn } from './attributes.js';
import {
  extensionOf,
  facts,
  file,
  hookRun,
  mcpToolCall,
  modelCall,
  name,
  nameOf,
  sessionId,
  type Source,
  times,
  type Told,
  toolCall,
} from './facts.js';

const PREFIX = 'claude_code.';
/** What Claude Code itself puts in place of names that it does not tell. */
const REDACTED_SERVER = 'custom';
const MCP_TOOL = /^mcp__(.+?)__(.+)$/;
const EDIT_TOOLS = new Set(['Edit', 'MultiEdit', 'Write']);

const LOGS = new Map<string, (record: LogRecord) => Told[]>([
  ['api_request', readApiRequest],
  ['user_prompt', readUserPrompt],
  ['assistant_response', () => [['assistant_message']]],
  ['tool_result', readToolResult],
  ['skill_activated', readSkill],
  ['hook_execution_complete', readHooks],
]);

/** Log records that are no usage, or tell again what another one does; a tool that was refused did not run. */
const OTHER_LOGS = new Set(
  (
    'tool_decision hook_execution_start hook_registered mcp_server_connection permission_mode_changed api_error ' +
    'api_refusal api_retries_exhausted plugin_installed plugin_loaded subagent_completed compaction at_mention auth ' +
    'internal_error feedback_survey retention_sweep api_request_body api_response_body'
  ).split(' '),
);

/**
 * Metrics are read for what no log record tells. Sessions are among that: the first record of a session is not marked,
 * and taking any for it would start a session anew on each day that it goes on.
 */
const POINTS = new Map<string, (point: SumPoint) => Told[]>([
  ['session.count', readSessions],
  ['commit.count', ({ value }) => times(value, ['git_commit'])],
  ['pull_request.count', ({ value }) => times(value, ['pull_request_created'])],
]);

/** Metrics of what the logs tell, or of what nobody counts. */
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
    if (read) return facts(sourceOf(record), read(record));
    return OTHER_LOGS.has(event) ? [] : null;
  },

  point(point: SumPoint): Mapped {
    const metric = bare(point.name);
    const read = POINTS.get(metric);
    if (read) return facts(sourceOf(point), read(point));
    return OTHER_POINTS.has(metric) ? [] : null;
  },

  /** Spans repeat what the logs tell, and are sent only on request. */
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

/** The entrypoint is told only on request; what called the model tells the same where it is known. */
function clientOf(entrypoint: string, querySource: string): UsageFact['client'] {
  if (entrypoint === 'cli') return 'terminal-ui';
  if (entrypoint.startsWith('sdk-')) return 'non-interactive-cli';
  if (entrypoint !== '') return undefined;
  if (querySource.startsWith('repl_main_thread')) return 'terminal-ui';
  return querySource === 'sdk' ? 'non-interactive-cli' : undefined;
}

/** Input and both kinds of cached input are told apart here, and add up to all input. */
function readApiRequest({ attributes }: LogRecord): Told[] {
  if (!isTold(attributes, 'input_tokens') && !isTold(attributes, 'output_tokens')) return [];
  const cacheRead = count(attributes, 'cache_read_tokens');
  const cacheWrite = count(attributes, 'cache_creation_tokens');
  const input = count(attributes, 'input_tokens') + cacheRead + cacheWrite;
  const output = count(attributes, 'output_tokens');
  return [modelCall({ model: text(attributes, 'model'), input, output, cacheRead, cacheWrite })];
}

function readUserPrompt({ attributes }: LogRecord): Told[] {
  const command = text(attributes, 'command_name').replace(/^\//, '');
  return command === '' ? [['user_message']] : [['user_message'], ['slash_command', { name: name(command) }]];
}

function readToolResult(record: LogRecord): Told[] {
  const tool = text(record.attributes, 'tool_name');
  return [readTool(record, tool), ...readFiles(record, tool)];
}

function readTool({ attributes }: LogRecord, tool: string): Told {
  const [, serverInName, toolInName] = MCP_TOOL.exec(tool) ?? [];
  if (serverInName !== undefined && toolInName !== undefined) return mcpToolCall(serverInName, toolInName);
  if (tool !== 'mcp_tool') return toolCall(tool);
  const parameters = json(attributes, 'tool_parameters');
  const server = textIn(parameters, 'mcp_server_name');
  // A server has to be there: by it the users of MCP are counted.
  if (server === '') return ['tool_call', { tool, mcpServer: REDACTED_SERVER }];
  return mcpToolCall(server, textIn(parameters, 'mcp_tool_name'));
}

/** `Write` does not say whether the file was there before. Without details there is no path and so no extension. */
function readFiles({ attributes }: LogRecord, tool: string): Told[] {
  if (text(attributes, 'success') === 'false') return [];
  if (tool === 'NotebookEdit') return [file('file_edited', '.ipynb')];
  if (!EDIT_TOOLS.has(tool)) return [];
  return [file('file_edited', extensionOf(textIn(json(attributes, 'tool_input'), 'file_path')))];
}

/** A slash command that the user wrote raises this too; it is counted as a command. */
function readSkill({ attributes }: LogRecord): Told[] {
  if (text(attributes, 'invocation_trigger') === 'user-slash') return [];
  return [['skill_used', { name: name(text(attributes, 'skill.name')) }]];
}

/** Includes hooks of Claude Code itself: it counts them with those of the user. */
function readHooks({ attributes }: LogRecord): Told[] {
  const [, event = '', matcher = ''] = /^([^:]*):?(.*)/.exec(text(attributes, 'hook_name')) ?? [];
  return times(count(attributes, 'num_hooks'), hookRun(text(attributes, 'hook_event') || event, matcher));
}

function readSessions({ attributes, value }: SumPoint): Told[] {
  return text(attributes, 'start_type') === 'agents_view' ? [] : times(value, ['session_started']);
}
