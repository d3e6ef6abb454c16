import type { EventType } from '../../../common/usage/event-codes.js';
import { madeByCommand } from '../../../protocol/shell/git-commands.js';
import { cleanName, cleanToolName } from '../../ingest/usage-names.js';
import type { LogRecord, Span, SumPoint } from '../otlp/records.js';
import type { UsageFact } from './adapter.js';
import { MAX_COUNT, text, toCount } from './attributes.js';

type Fields = UsageFact['fields'];

/** What all facts of a record share. */
export type Source = Pick<UsageFact, 'timeMs' | 'sessionId' | 'client'>;

/** A fact, but for what it shares with the others of its record. */
export type Told = readonly [type: EventType, fields?: Fields];

/** No record tells more of one thing than this; one that says so is not believed. */
const MAX_REPEATS = 1_000;
const MAX_SESSION_ID = 200;
const MAX_RECORD_NAME = 100;
const RECORD_NAME = /^[\w.:/ -]+$/;
const EXTENSION = /[^./\\](\.[A-Za-z0-9+_-]{1,20})$/;
const MATCHER = /^[\w.:@*|() -]{1,200}$/;
const UNKNOWN = 'unknown';

/** The facts of one record, told apart by their type and by how many of that type came before. */
export function facts(source: Source, told: readonly Told[]): UsageFact[] {
  const seen = new Map<EventType, number>();
  return told.map(([type, fields = {}], index) => {
    const before = seen.get(type) ?? 0;
    seen.set(type, before + 1);
    return { type, ...source, fields, ...(index > 0 && { part: `${type} ${before}` }) };
  });
}

/** Says on behalf of an agent that does not that a session is there; any number of records may. */
export function sessionSeen(source: Source): UsageFact[] {
  if (source.sessionId === null) return [];
  return [{ type: 'session_started', ...source, fields: {}, identity: `session ${source.sessionId}` }];
}

/** The same thing as often as a number says. */
export function times(number: number, told: Told): Told[] {
  const repeats = toCount(number);
  return repeats > MAX_REPEATS ? [] : Array<Told>(repeats).fill(told);
}

/** The first of these attributes that can be a session id. */
export function sessionId(...candidates: string[]): string | null {
  return candidates.find((id) => id !== '' && id.length <= MAX_SESSION_ID) ?? null;
}

export interface Tokens {
  readonly model: string;
  /** All input, cached input included. */
  readonly input: number;
  /** All output, thinking included. */
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly thinking?: number;
}

/** A model call within what native ingest takes. Tokens of a model without a name are tokens too. */
export function modelCall({ model, input, output, cacheRead, cacheWrite, thinking }: Tokens): Told {
  const inputTokens = Math.min(input, MAX_COUNT);
  const outputTokens = Math.min(output, MAX_COUNT);
  const cacheReadTokens = Math.min(cacheRead ?? 0, inputTokens);
  const fields: Record<string, string | number> = { modelId: name(model), inputTokens, outputTokens };
  if (cacheRead !== undefined) fields.cacheReadTokens = cacheReadTokens;
  if (cacheWrite !== undefined) fields.cacheWriteTokens = Math.min(cacheWrite, inputTokens - cacheReadTokens);
  if (thinking !== undefined) fields.thinkingTokens = Math.min(thinking, outputTokens);
  return ['model_call', fields];
}

/** A name as ingest counts it; a word for those that were not told. */
export function name(told: string): string {
  return cleanName(told) || UNKNOWN;
}

export function toolCall(tool: string): Told {
  return ['tool_call', { tool: cleanToolName(tool) }];
}

/** A call of a tool that an MCP server offers, named alike whatever the agent calls it. */
export function mcpToolCall(server: string, tool: string): Told {
  const mcpServer = name(server);
  const prefix = mcpServer.replace(/[^\w-]/g, '_');
  const own = [`mcp__${prefix}__`, `mcp_${prefix}_`, `${prefix}__`].find((start) => tool.startsWith(start)) ?? '';
  return ['tool_call', { tool: cleanToolName(`mcp__${prefix}__${tool.slice(own.length)}`), mcpServer }];
}

/**
 * A hook that ran. Agents do not tell the command: only the name that some give to a hook is ever there. What it
 * matched is the name of a tool or a word such as `startup`; of hooks on files it would be a path.
 */
export function hookRun(event: string, told = '', hook = ''): Told {
  const matcher = MATCHER.test(told) ? cleanName(told) : '';
  return ['hook_run', { event: name(event), matcher, command: programOf(hook) }];
}

/** Without a name a hook goes by its command line, of which nothing but the program may be kept. */
function programOf(hook: string): string {
  const program = /^\s*(\S{1,1000})/.exec(hook)?.[1]?.split(/[/\\]/).at(-1) ?? '';
  return /^[\w.-]{1,100}$/.test(program) ? program : UNKNOWN;
}

export function file(type: 'file_created' | 'file_edited', extension: string): Told {
  return [type, { extension }];
}

/** What a command line made; nothing else of it is kept. */
export function made(command: unknown): Told[] {
  return madeByCommand(command).map((type) => [type]);
}

/** What is left of a path: `.py` of `/repo/a.py`, nothing of `/repo/.env` or of a path that was not told. */
export function extensionOf(path: string): string {
  return EXTENSION.exec(path.slice(-100))?.[1] ?? '';
}

/** What a record may be called where people see it. */
export function nameOf(record: LogRecord | SumPoint | Span): string {
  const told = 'name' in record ? record.name : text(record.attributes, 'event.name') || record.eventName;
  const short = told.slice(0, MAX_RECORD_NAME).trim();
  return RECORD_NAME.test(short) ? short : 'unnamed';
}
