import type { Attributes, LogRecord, Span, SumPoint } from '../otlp/records.js';
import type { Adapter, Mapped } from './adapter.js';
import { count, isTold, text } from './attributes.js';
import { facts, modelCall, nameOf, sessionId, sessionSeen, type Source, type Told, toolCall } from './facts.js';

/** None of the conventions is stable: what each thing is called, the newest name first. */
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

const OPERATIONS = new Map<string, (attributes: Attributes) => Told[]>([
  ['chat', readModelCall],
  ['text_completion', readModelCall],
  ['generate_content', readModelCall],
  ['execute_tool', (attributes) => [toolCall(textOf(attributes, 'tool'))]],
]);

/** Spans around those, which may repeat their tokens. */
const OTHER_OPERATIONS = new Set(['invoke_agent', 'create_agent', 'invoke_workflow', 'embeddings']);

/**
 * Any agent that follows the conventions. Spans are what is read: they are what every instrumentation sends, and only
 * they tell of tools. The log record of a call and the metrics repeat them where they are switched on.
 */
export const genAi: Adapter = {
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
    const told = facts(sourceOf(span), read(span.attributes));
    return told.length === 0 ? [] : [...told, ...sessionSeen(sourceOf(span))];
  },

  nameOf,
};

function sourceOf({ attributes, endTimeMs, startTimeMs }: Span): Source {
  return { timeMs: endTimeMs ?? startTimeMs, sessionId: sessionId(textOf(attributes, 'session')) };
}

/** By the conventions input includes what was cached, and output includes reasoning. A call that failed has neither. */
function readModelCall(attributes: Attributes): Told[] {
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
  return NAMES[meaning].find((key) => isTold(attributes, key));
}

function textOf(attributes: Attributes, meaning: keyof typeof NAMES): string {
  const key = keyOf(attributes, meaning);
  return key === undefined ? '' : text(attributes, key);
}

function countOf(attributes: Attributes, meaning: keyof typeof NAMES): number | undefined {
  const key = keyOf(attributes, meaning);
  return key === undefined ? undefined : count(attributes, key);
}
