import { AUTONOMY_CODE, CLIENT_CODE, type EventType } from './event-codes.js';
import { MAX_EVENTS_PER_REQUEST } from './event-source.js';

type Schema = Record<string, unknown>;

const TOKENS = { type: 'integer', minimum: 0, maximum: 1_000_000_000 };
const NAME = { type: 'string', minLength: 1, maxLength: 10_000 };

const COMMON: Record<string, Schema> = {
  id: {
    type: 'string',
    format: 'uuid',
    description: 'Chosen by the sender; the same event sent again has the same id and the same `at`.',
  },
  at: { type: 'string', format: 'date-time', description: 'When it happened, to the millisecond at most.' },
  sessionId: { type: 'string', minLength: 1, maxLength: 200, description: 'The session it happened in.' },
  userEmail: { type: 'string', format: 'email', description: 'Whose it is; instead of `userId`.' },
  userId: { type: 'string', format: 'uuid', description: 'Whose it is; the caller’s own when both are absent.' },
  client: {
    type: 'string',
    enum: Object.keys(CLIENT_CODE),
    description: 'Absent: the client in which the session was first seen, else `non-interactive-cli`.',
  },
};

const FILE = {
  extension: { type: 'string', maxLength: 200, description: 'With or without its dot; empty when there is none.' },
  language: { ...NAME, description: 'Absent: what the extension tells.' },
};

const OWN: Record<EventType, { required?: string[]; properties?: Record<string, Schema> }> = {
  session_started: {},
  user_message: {},
  assistant_message: {},
  model_call: {
    required: ['modelId', 'inputTokens', 'outputTokens'],
    properties: {
      modelId: { type: 'string', minLength: 1, maxLength: 200, description: 'The model that was called.' },
      inputTokens: { ...TOKENS, description: 'All input, cached input included.' },
      outputTokens: { ...TOKENS, description: 'What the model wrote.' },
      cacheReadTokens: { ...TOKENS, description: 'Input read from the prompt cache.' },
      cacheWriteTokens: { ...TOKENS, description: 'Input written to the prompt cache.' },
      cacheWrite1hTokens: {
        ...TOKENS,
        description: 'The part of `cacheWriteTokens` that is kept for an hour; absent: not known.',
      },
      thinkingTokens: { ...TOKENS, description: 'Output that was thinking; shown in the `tokenUsage` of the session.' },
    },
  },
  tool_call: {
    required: ['tool'],
    properties: {
      tool: { type: 'string', maxLength: 10_000, description: 'Counted as `unknown` when it is no name.' },
      mcpServer: { ...NAME, description: 'The MCP server that offers the tool.' },
      autonomyLevel: {
        type: 'string',
        enum: Object.keys(AUTONOMY_CODE),
        description: 'The level in force; absent is `off`.',
      },
    },
  },
  skill_used: { required: ['name'], properties: { name: { ...NAME, description: 'The skill.' } } },
  slash_command: { required: ['name'], properties: { name: { ...NAME, description: 'The command.' } } },
  hook_run: {
    required: ['event', 'command'],
    properties: {
      event: { ...NAME, description: 'The hook event, such as `PostToolUse`.' },
      matcher: { type: 'string', maxLength: 10_000, default: '', description: 'What the hook was bound to.' },
      command: { ...NAME, description: 'The command that ran. It is counted, never executed.' },
    },
  },
  file_created: { required: ['extension'], properties: FILE },
  file_edited: { required: ['extension'], properties: FILE },
  git_commit: {},
  pull_request_created: {},
};

const EXAMPLES = [
  {
    id: '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d41',
    type: 'user_message',
    at: '2026-11-14T09:30:00.000Z',
    sessionId: 's-1',
  },
  {
    id: '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d42',
    type: 'model_call',
    at: '2026-11-14T09:30:04.250Z',
    sessionId: 's-1',
    client: 'terminal-ui',
    modelId: 'claude-sonnet-4-5',
    inputTokens: 12000,
    outputTokens: 800,
    cacheReadTokens: 9000,
    cacheWriteTokens: 2000,
    cacheWrite1hTokens: 500,
  },
];

const EVENT: Schema = {
  description: 'A usage event; `type` decides which further fields it has.',
  example: EXAMPLES[0],
  oneOf: Object.entries(OWN).map(([type, { required = [], properties = {} }]) => ({
    type: 'object',
    title: type,
    required: ['id', 'type', 'at', ...required],
    properties: { type: { type: 'string', const: type, description: 'What happened.' }, ...COMMON, ...properties },
    additionalProperties: false,
  })),
};

/** The body of the ingest route, in both of its forms. */
export const EVENTS_CONTENT = {
  'application/json': {
    schema: {
      type: 'object',
      required: ['events'],
      properties: {
        events: { type: 'array', maxItems: MAX_EVENTS_PER_REQUEST, items: EVENT, description: 'The events.' },
      },
      additionalProperties: false,
    },
    example: { events: EXAMPLES },
  },
  'application/x-ndjson': {
    schema: { type: 'string', description: 'One event a line, as in the list of the JSON form.' },
    example: EXAMPLES.map((event) => JSON.stringify(event)).join('\n'),
  },
};
