import type { EventType } from '../../ingest/event-codes.js';
import { madeByCommand } from '../../../protocol/shell/git-commands.js';
import { realModelId } from '../../../protocol/model-names.js';
import { toolName } from '../../../protocol/tool-names.js';
import { cleanName, cleanToolName } from '../../ingest/usage-names.js';
import type { LogRecord, Span, SumPoint } from '../otlp/records.js';
import type { UsageFact } from './adapter.js';
import { MAX_COUNT, text, toCount } from './attributes.js';

type Fields = UsageFact['fields'];

export type Source = Pick<UsageFact, 'timeMs' | 'sessionId' | 'client'>;

/** A fact without what it shares with the other facts of its record. */
export type EventDraft = readonly [type: EventType, fields?: Fields, reportedCost?: number];

/** A record that claims more repetitions is not believed. */
const MAX_REPEATS = 1_000;
/** The largest count of millionths stays exact. */
const PICO_PER_MICRO = 1_000_000;
const MAX_SESSION_ID = 200;
const MAX_RECORD_NAME = 100;
const RECORD_NAME = /^[\w.:/ -]+$/;
const EXTENSION = /[^./\\](\.[A-Za-z0-9+_-]{1,20})$/;
const MATCHER = /^[\w.:@*|() -]{1,200}$/;
const UNKNOWN = 'unknown';

/** Numbers the facts of one type, so that each has an identity of its own. */
export function toFacts(source: Source, drafts: readonly EventDraft[]): UsageFact[] {
  const seen = new Map<EventType, number>();
  return drafts.map(([type, fields = {}, reportedCost], index) => {
    const before = seen.get(type) ?? 0;
    seen.set(type, before + 1);
    return {
      ...{ type, ...source, fields, ...(index > 0 && { part: `${type} ${before}` }) },
      ...(reportedCost !== undefined && { reportedCost }),
    };
  });
}

/** For agents that do not announce sessions: every record may, the session counts once. */
export function sessionSeen(source: Source): UsageFact[] {
  if (source.sessionId === null) return [];
  return [{ type: 'session_started', ...source, fields: {}, identity: `session ${source.sessionId}` }];
}

export function repeat(count: number, draft: EventDraft): EventDraft[] {
  const repeats = toCount(count);
  return repeats > MAX_REPEATS ? [] : Array<EventDraft>(repeats).fill(draft);
}

export function sessionId(...candidates: string[]): string | null {
  return candidates.find((id) => id !== '' && id.length <= MAX_SESSION_ID) ?? null;
}

export interface Tokens {
  readonly model: string;
  /** Includes cached input. */
  readonly input: number;
  /** Includes thinking. */
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly thinking?: number;
  /** In millionths of a dollar, as the agent says. */
  readonly costMicros?: number;
}

/** Clamped to what ingest accepts. */
export function modelCall(tokens: Tokens): EventDraft {
  const { model, input, output, cacheRead, cacheWrite, thinking, costMicros } = tokens;
  const inputTokens = Math.min(input, MAX_COUNT);
  const outputTokens = Math.min(output, MAX_COUNT);
  const cacheReadTokens = Math.min(cacheRead ?? 0, inputTokens);
  const fields: Record<string, string | number> = { modelId: realModelId(name(model)), inputTokens, outputTokens };
  if (cacheRead !== undefined) fields.cacheReadTokens = cacheReadTokens;
  if (cacheWrite !== undefined) fields.cacheWriteTokens = Math.min(cacheWrite, inputTokens - cacheReadTokens);
  if (thinking !== undefined) fields.thinkingTokens = Math.min(thinking, outputTokens);
  return ['model_call', fields, costMicros === undefined ? undefined : costMicros * PICO_PER_MICRO];
}

export function name(sent: string): string {
  return cleanName(sent) || UNKNOWN;
}

export function toolCall(tool: string): EventDraft {
  return ['tool_call', { tool: toolName(cleanToolName(tool)) }];
}

/** One name per tool, whatever prefix the agent uses. */
export function mcpToolCall(server: string, tool: string): EventDraft {
  const mcpServer = name(server);
  const prefix = mcpServer.replace(/[^\w-]/g, '_');
  const own = [`mcp__${prefix}__`, `mcp_${prefix}_`, `${prefix}__`].find((start) => tool.startsWith(start)) ?? '';
  return ['tool_call', { tool: cleanToolName(`mcp__${prefix}__${tool.slice(own.length)}`), mcpServer }];
}

/**
 * Agents do not send the command, only a name for the hook. The matcher is a tool name or a word such as `startup`;
 * anything else may be a path and is dropped.
 */
export function hookRun(event: string, matched = '', hook = ''): EventDraft {
  const matcher = MATCHER.test(matched) ? cleanName(matched) : '';
  return ['hook_run', { event: name(event), matcher, command: programOf(hook) }];
}

/** A hook without a name is sent with its command line, of which only the program may be kept. */
function programOf(hook: string): string {
  const program = /^\s*(\S{1,1000})/.exec(hook)?.[1]?.split(/[/\\]/).at(-1) ?? '';
  return /^[\w.-]{1,100}$/.test(program) ? program : UNKNOWN;
}

export function file(type: 'file_created' | 'file_edited', extension: string): EventDraft {
  return [type, { extension }];
}

export function commitsAndPullRequests(command: unknown): EventDraft[] {
  return madeByCommand(command).map((type) => [type]);
}

/** `.py` for `/repo/a.py`, empty for `/repo/.env`. */
export function extensionOf(path: string): string {
  return EXTENSION.exec(path.slice(-100))?.[1] ?? '';
}

/** A name that is safe to show. */
export function nameOf(record: LogRecord | SumPoint | Span): string {
  const sent = 'name' in record ? record.name : text(record.attributes, 'event.name') || record.eventName;
  const short = sent.slice(0, MAX_RECORD_NAME).trim();
  return RECORD_NAME.test(short) ? short : 'unnamed';
}
