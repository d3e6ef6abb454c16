import type { LogRecord, Origin, Span } from '../otlp/records.js';
import type { Adapter, Mapped } from './adapter.js';
import { count, isTold, json, objectIn, text, textIn } from './attributes.js';
import {
  extensionOf,
  facts,
  file,
  made,
  modelCall,
  name,
  nameOf,
  sessionId,
  sessionSeen,
  type Source,
  type Told,
  toolCall,
} from './facts.js';
import { patchFacts } from './patches.js';

const SPANS = new Map<string, (span: Span) => Told[]>([
  ['ai.streamText.doStream', readStream],
  ['ai.toolCall', readToolCall],
]);

/** Spans that repeat one of those (`ai.streamText` has the tokens of its `doStream` again), or of the inside. */
const OTHER_SPANS = /^(?:ai\.|Tool\.execute$|sql\.|FileSystem\.)/;

export const opencode: Adapter = {
  name: 'opencode',

  recognises({ resource, scope }: Origin): boolean {
    return text(resource, 'service.name') === 'opencode' || scope === 'opencode';
  },

  /** Lines for developers, without names. */
  log(record: LogRecord): Mapped {
    return isTold(record.attributes, 'event.name') ? null : [];
  },

  /** It has no metrics. */
  point(): Mapped {
    return null;
  },

  /** Nothing announces a session, so that every span of one does. */
  span(span: Span): Mapped {
    const read = SPANS.get(span.name);
    if (!read) return OTHER_SPANS.test(span.name) ? [] : null;
    const told = facts(sourceOf(span), read(span));
    return told.length === 0 ? [] : [...told, ...sessionSeen(sourceOf(span))];
  },

  nameOf,
};

/** `opencode.client` is `cli` in a terminal as well as in a script, and so tells nothing. */
function sourceOf({ attributes, endTimeMs, startTimeMs }: Span): Source {
  const id = sessionId(text(attributes, 'session.id'), text(attributes, 'ai.telemetry.metadata.sessionId'));
  return { timeMs: endTimeMs ?? startTimeMs, sessionId: id };
}

/** Input includes what was cached, output includes reasoning. A call that failed has no usage. */
function readStream({ attributes }: Span): Told[] {
  const input = firstTold(attributes, 'gen_ai.usage.input_tokens', 'ai.usage.inputTokens');
  const output = firstTold(attributes, 'gen_ai.usage.output_tokens', 'ai.usage.outputTokens');
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

function firstTold(attributes: Span['attributes'], ...keys: string[]): number | null {
  const key = keys.find((candidate) => isTold(attributes, candidate));
  return key === undefined ? null : count(attributes, key);
}

/** Tools of MCP servers have names like any other: the server is not told. Without a result a call has failed. */
function readToolCall({ attributes }: Span): Told[] {
  const tool = text(attributes, 'ai.toolCall.name');
  const hasResult = isTold(attributes, 'ai.toolCall.result');
  return hasResult ? [toolCall(tool), ...readResult(attributes, tool)] : [toolCall(tool)];
}

function readResult(attributes: Span['attributes'], tool: string): Told[] {
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
      return (metadata.exit ?? 0) === 0 ? made(input.command) : [];
    case 'skill':
      return [['skill_used', { name: name(textIn(input, 'name')) }]];
    default:
      return [];
  }
}
