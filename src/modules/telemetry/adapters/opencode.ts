import type { LogRecord, Origin, Span } from '../otlp/records.js';
import type { Adapter, Mapped } from './adapter.js';
import { count, hasAttribute, json, objectIn, text, textIn } from './attributes.js';
import {
  extensionOf,
  toFacts,
  file,
  commitsAndPullRequests,
  modelCall,
  name,
  nameOf,
  sessionId,
  sessionSeen,
  type Source,
  type EventDraft,
  toolCall,
} from './facts.js';
import { patchFacts } from './patches.js';

const SPANS = new Map<string, (span: Span) => EventDraft[]>([
  ['ai.streamText.doStream', readStream],
  ['ai.toolCall', readToolCall],
]);

/** Repeats one of the spans above, or is internal. */
const OTHER_SPANS = /^(?:ai\.|Tool\.execute$|sql\.|FileSystem\.)/;

export const opencode: Adapter = {
  id: 'opencode',
  name: 'opencode',

  recognises({ resource, scope }: Origin): boolean {
    return text(resource, 'service.name') === 'opencode' || scope === 'opencode';
  },

  /** Unnamed records are developer output. */
  log(record: LogRecord): Mapped {
    return hasAttribute(record.attributes, 'event.name') ? null : [];
  },

  point(): Mapped {
    return null;
  },

  /** opencode does not announce sessions, so every span does. */
  span(span: Span): Mapped {
    const read = SPANS.get(span.name);
    if (!read) return OTHER_SPANS.test(span.name) ? [] : null;
    const facts = toFacts(sourceOf(span), read(span));
    return facts.length === 0 ? [] : [...facts, ...sessionSeen(sourceOf(span))];
  },

  nameOf,
};

/** `opencode.client` is not used: it is `cli` in terminals and in scripts alike. */
function sourceOf({ attributes, endTimeMs, startTimeMs }: Span): Source {
  const id = sessionId(text(attributes, 'session.id'), text(attributes, 'ai.telemetry.metadata.sessionId'));
  return { timeMs: endTimeMs ?? startTimeMs, sessionId: id };
}

/** Input includes cached input, output includes reasoning; a failed call has neither. */
function readStream({ attributes }: Span): EventDraft[] {
  const input = firstCount(attributes, 'gen_ai.usage.input_tokens', 'ai.usage.inputTokens');
  const output = firstCount(attributes, 'gen_ai.usage.output_tokens', 'ai.usage.outputTokens');
  if (input === null && output === null) return [];
  const call = modelCall({
    model: text(attributes, 'gen_ai.request.model') || text(attributes, 'ai.model.id'),
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: count(attributes, 'ai.usage.cachedInputTokens'),
    thinking: count(attributes, 'ai.usage.reasoningTokens'),
  });
  return [call];
}

function firstCount(attributes: Span['attributes'], ...keys: string[]): number | null {
  const key = keys.find((candidate) => hasAttribute(attributes, candidate));
  return key === undefined ? null : count(attributes, key);
}

/** The server of an MCP tool is not sent. A call without a result has failed. */
function readToolCall({ attributes }: Span): EventDraft[] {
  const tool = text(attributes, 'ai.toolCall.name');
  const hasResult = hasAttribute(attributes, 'ai.toolCall.result');
  return hasResult ? [toolCall(tool), ...readResult(attributes, tool)] : [toolCall(tool)];
}

function readResult(attributes: Span['attributes'], tool: string): EventDraft[] {
  const input = json(attributes, 'ai.toolCall.args');
  const metadata = objectIn(json(attributes, 'ai.toolCall.result'), 'metadata');
  const extension = extensionOf(textIn(input, 'filePath') || textIn(metadata, 'filepath'));
  switch (tool) {
    case 'write':
      return [file(metadata.exists === false ? 'file_created' : 'file_edited', extension)];
    case 'edit':
    case 'multiedit':
      return [file('file_edited', extension)];
    case 'patch':
    case 'apply_patch':
      return patchFacts(textIn(input, 'patchText'));
    case 'bash':
      return (metadata.exit ?? 0) === 0 ? commitsAndPullRequests(input.command) : [];
    case 'skill':
      return [['skill_used', { name: name(textIn(input, 'name')) }]];
    default:
      return [];
  }
}
