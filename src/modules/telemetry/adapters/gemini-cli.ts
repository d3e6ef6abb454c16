import type { LogRecord, Origin, Span, SumPoint } from '../otlp/records.js';
import type { Adapter, Mapped, UsageFact } from './adapter.js';
import { count, isTold, json, text, textIn } from './attributes.js';
import {
  extensionOf,
  facts,
  file,
  hookRun,
  made,
  mcpToolCall,
  modelCall,
  name,
  nameOf,
  sessionId,
  type Source,
  type Told,
  toolCall,
} from './facts.js';

const PREFIX = 'gemini_cli.';

const LOGS = new Map<string, (record: LogRecord) => Told[]>([
  ['config', () => [['session_started']]],
  ['user_prompt', () => [['user_message']]],
  ['api_response', readApiResponse],
  ['tool_call', readToolCall],
  ['file_operation', readFileOperation],
  ['slash_command', readSlashCommand],
  ['hook_call', readHookCall],
]);

/** Log records that are no usage, or tell again what another one does. */
const OTHER_LOGS = new Set(
  (
    'api_request api_error model_routing agent.start agent.finish conversation_finished chat_compression ' +
    'plan.approval_mode_switch plan.approval_mode_duration startup_stats ripgrep_fallback slash_command.model ' +
    'session_end next_speaker_check flash_fallback loop_detected ' +
    'extension_install extension_uninstall extension_enable extension_disable extension_update'
  ).split(' '),
);

/** Metrics of what the logs tell, or of what nobody counts. They are cumulative unless one asks for something else. */
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

/** Spans repeat what the logs tell. */
const SPANS = new Set(['llm_call', 'tool_call', 'schedule_tool_calls']);

export const geminiCli: Adapter = {
  name: 'Gemini CLI',

  recognises({ resource, scope }: Origin): boolean {
    return text(resource, 'service.name') === 'gemini-cli' || scope === 'gemini-cli';
  },

  log(record: LogRecord): Mapped {
    const event = text(record.attributes, 'event.name');
    // Also sent by the conventions, with the whole system prompt.
    if (event === 'gen_ai.client.inference.operation.details') return [];
    const read = LOGS.get(bare(event));
    if (read) return facts(sourceOf(record), read(record));
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

/** Input includes what was cached; thoughts are not in the output. Only answers of the main role are to the user. */
function readApiResponse({ attributes }: LogRecord): Told[] {
  const told: Told[] = text(attributes, 'role') === 'main' ? [['assistant_message']] : [];
  if (!isTold(attributes, 'input_token_count') && !isTold(attributes, 'output_token_count')) return told;
  const thinking = count(attributes, 'thoughts_token_count');
  const call = modelCall({
    model: text(attributes, 'model'),
    input: count(attributes, 'input_token_count'),
    output: count(attributes, 'output_token_count') + thinking,
    cacheRead: count(attributes, 'cached_content_token_count'),
    thinking,
  });
  return [call, ...told];
}

/** Files have a record of their own. */
function readToolCall({ attributes }: LogRecord): Told[] {
  if (text(attributes, 'decision') === 'reject') return [];
  const tool = text(attributes, 'function_name');
  const server = text(attributes, 'mcp_server_name');
  if (server !== '' || text(attributes, 'tool_type') === 'mcp') return [mcpToolCall(server, tool)];
  if (text(attributes, 'success') === 'false') return [toolCall(tool)];
  const input = json(attributes, 'function_args');
  if (tool === 'activate_skill') return [toolCall(tool), ['skill_used', { name: name(textIn(input, 'name')) }]];
  return tool === 'run_shell_command' ? [toolCall(tool), ...made(input.command)] : [toolCall(tool)];
}

/** The language follows from the extension, or it would be counted once as `python` and once as `Python`. */
function readFileOperation({ attributes }: LogRecord): Told[] {
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

function readSlashCommand({ attributes }: LogRecord): Told[] {
  return [['slash_command', { name: name(text(attributes, 'command').replace(/^\//, '')) }]];
}

function readHookCall({ attributes }: LogRecord): Told[] {
  return [hookRun(text(attributes, 'hook_event_name'), '', text(attributes, 'hook_name'))];
}
