import type { Attributes, LogRecord, Span, SumPoint } from '../otlp/records.js';
import type { Adapter, Mapped } from './adapter.js';
import { count, hasAttribute, text } from './attributes.js';
import { toFacts, modelCall, nameOf, sessionId, sessionSeen, type Source, type EventDraft, toolCall } from './facts.js';

/** The conventions are not stable: all names of an attribute, newest first. */
const NAMES = {
  operation: ['gen_ai.operation.name'],
  model: ['gen_ai.request.model', 'gen_ai.response.model'],
  input: ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'],
  output: ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'],
  cacheRead: ['gen_ai.usage.cache_read.input_tokens'],
  cacheWrite: ['gen_ai.usage.cache_creation.input_tokens', 'gen_ai.usage.cache_write.input_tokens'],
  thinking: ['gen_ai.usage.reasoning.output_tokens'],
  session: ['gen_ai.conversation.id', 'session.id'],
  tool: ['gen_ai.tool.name'],
} as const;

const OPERATIONS = new Map<string, (attributes: Attributes) => EventDraft[]>([
  ['chat', readModelCall],
  ['text_completion', readModelCall],
  ['generate_content', readModelCall],
  ['execute_tool', (attributes) => [toolCall(textOf(attributes, 'tool'))]],
]);

/** Contain the spans above and may repeat their tokens. */
const OTHER_OPERATIONS = new Set(['invoke_agent', 'create_agent', 'invoke_workflow', 'embeddings']);

/** Only spans are read: every instrumentation sends them, and only they contain tools. Logs and metrics repeat them. */
export const genAi: Adapter = {
  id: 'gen-ai',
  name: 'gen_ai conventions',

  recognises(): boolean {
    return true;
  },

  log(record: LogRecord): Mapped {
    const event = text(record.attributes, 'event.name') || record.eventName;
    return event.startsWith('gen_ai.') ? [] : null;
  },

  point(point: SumPoint): Mapped {
    return point.name.startsWith('gen_ai.') ? [] : null;
  },

  span(span: Span): Mapped {
    const operation = textOf(span.attributes, 'operation');
    const read = OPERATIONS.get(operation);
    if (!read) return OTHER_OPERATIONS.has(operation) ? [] : null;
    const facts = toFacts(sourceOf(span), read(span.attributes));
    return facts.length === 0 ? [] : [...facts, ...sessionSeen(sourceOf(span))];
  },

  nameOf,
};

function sourceOf({ attributes, endTimeMs, startTimeMs }: Span): Source {
  return { timeMs: endTimeMs ?? startTimeMs, sessionId: sessionId(textOf(attributes, 'session')) };
}

/** Input includes cached input, output includes reasoning; a failed call has neither. */
function readModelCall(attributes: Attributes): EventDraft[] {
  const input = countOf(attributes, 'input');
  const output = countOf(attributes, 'output');
  if (input === undefined && output === undefined) return [];
  const call = modelCall({
    model: textOf(attributes, 'model'),
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: countOf(attributes, 'cacheRead'),
    cacheWrite: countOf(attributes, 'cacheWrite'),
    thinking: countOf(attributes, 'thinking'),
  });
  return [call];
}

function keyOf(attributes: Attributes, meaning: keyof typeof NAMES): string | undefined {
  return NAMES[meaning].find((key) => hasAttribute(attributes, key));
}

function textOf(attributes: Attributes, meaning: keyof typeof NAMES): string {
  const key = keyOf(attributes, meaning);
  return key === undefined ? '' : text(attributes, key);
}

function countOf(attributes: Attributes, meaning: keyof typeof NAMES): number | undefined {
  const key = keyOf(attributes, meaning);
  return key === undefined ? undefined : count(attributes, key);
}
