import type { LogRecord, Origin, Span, SumPoint } from '../otlp/records.js';
import type { Adapter, Mapped, UsageFact } from './adapter.js';
import { count, hasAttribute, json, text, textIn } from './attributes.js';
import {
  extensionOf,
  toFacts,
  file,
  hookRun,
  commitsAndPullRequests,
  mcpToolCall,
  modelCall,
  name,
  nameOf,
  sessionId,
  type Source,
  type EventDraft,
  toolCall,
} from './facts.js';

const PREFIX = 'gemini_cli.';

const LOGS = new Map<string, (record: LogRecord) => EventDraft[]>([
  ['config', () => [['session_started']]],
  ['user_prompt', () => [['user_message']]],
  ['api_response', readApiResponse],
  ['tool_call', readToolCall],
  ['file_operation', readFileOperation],
  ['slash_command', readSlashCommand],
  ['hook_call', readHookCall],
]);

/** Not usage, or a repetition of another record. */
const OTHER_LOGS = new Set(
  (
    'api_request api_error model_routing agent.start agent.finish conversation_finished chat_compression ' +
    'plan.approval_mode_switch plan.approval_mode_duration startup_stats ripgrep_fallback slash_command.model ' +
    'session_end next_speaker_check flash_fallback loop_detected ' +
    'extension_install extension_uninstall extension_enable extension_disable extension_update'
  ).split(' '),
);

/** Repeats the logs, or is not counted. */
const OTHER_POINTS = new Set([
  'session.count',
  'tool.call.count',
  'token.usage',
  'api.request.count',
  'file.operation.count',
  'lines.changed',
  'hook_call.count',
  'agent.run.count',
]);

/** Repeats the logs. */
const SPANS = new Set(['llm_call', 'tool_call', 'schedule_tool_calls']);

export const geminiCli: Adapter = {
  id: 'gemini-cli',
  name: 'Gemini CLI',

  recognises({ resource, scope }: Origin): boolean {
    return text(resource, 'service.name') === 'gemini-cli' || scope === 'gemini-cli';
  },

  log(record: LogRecord): Mapped {
    const event = text(record.attributes, 'event.name');
    // Repeats another record and carries the whole system prompt.
    if (event === 'gen_ai.client.inference.operation.details') return [];
    const read = LOGS.get(bare(event));
    if (read) return toFacts(sourceOf(record), read(record));
    return OTHER_LOGS.has(bare(event)) ? [] : null;
  },

  point(point: SumPoint): Mapped {
    return OTHER_POINTS.has(bare(point.name)) || point.name.startsWith('gen_ai.client.') ? [] : null;
  },

  span(span: Span): Mapped {
    return SPANS.has(span.name) ? [] : null;
  },

  nameOf,
};

function bare(event: string): string {
  return event.startsWith(PREFIX) ? event.slice(PREFIX.length) : '';
}

function sourceOf(record: LogRecord): Source {
  const client = clientOf(text(record.attributes, 'interactive'));
  return {
    timeMs: record.timeMs,
    sessionId: sessionId(text(record.attributes, 'session.id'), text(record.resource, 'session.id')),
    ...(client && { client }),
  };
}

function clientOf(interactive: string): UsageFact['client'] {
  if (interactive === '') return undefined;
  return interactive === 'true' ? 'terminal-ui' : 'non-interactive-cli';
}

/** Input includes cached input, output excludes thoughts. Only the main role answers the user. */
function readApiResponse({ attributes }: LogRecord): EventDraft[] {
  const message: EventDraft[] = text(attributes, 'role') === 'main' ? [['assistant_message']] : [];
  if (!hasAttribute(attributes, 'input_token_count') && !hasAttribute(attributes, 'output_token_count')) return message;
  const thinking = count(attributes, 'thoughts_token_count');
  const call = modelCall({
    model: text(attributes, 'model'),
    input: count(attributes, 'input_token_count'),
    output: count(attributes, 'output_token_count') + thinking,
    cacheRead: count(attributes, 'cached_content_token_count'),
    thinking,
  });
  return [call, ...message];
}

/** Files are not read here: they have records of their own. */
function readToolCall({ attributes }: LogRecord): EventDraft[] {
  if (text(attributes, 'decision') === 'reject') return [];
  const tool = text(attributes, 'function_name');
  const server = text(attributes, 'mcp_server_name');
  if (server !== '' || text(attributes, 'tool_type') === 'mcp') return [mcpToolCall(server, tool)];
  if (text(attributes, 'success') === 'false') return [toolCall(tool)];
  const input = json(attributes, 'function_args');
  if (tool === 'activate_skill') return [toolCall(tool), ['skill_used', { name: name(textIn(input, 'name')) }]];
  return tool === 'run_shell_command' ? [toolCall(tool), ...commitsAndPullRequests(input.command)] : [toolCall(tool)];
}

/** Languages follow from extensions, else one would be counted as both `python` and `Python`. */
function readFileOperation({ attributes }: LogRecord): EventDraft[] {
  const extension = extensionOf(`name${text(attributes, 'extension')}`);
  switch (text(attributes, 'operation')) {
    case 'create':
      return [file('file_created', extension)];
    case 'update':
      return [file('file_edited', extension)];
    default:
      return [];
  }
}

function readSlashCommand({ attributes }: LogRecord): EventDraft[] {
  return [['slash_command', { name: name(text(attributes, 'command').replace(/^\//, '')) }]];
}

function readHookCall({ attributes }: LogRecord): EventDraft[] {
  return [hookRun(text(attributes, 'hook_event_name'), '', text(attributes, 'hook_name'))];
}
