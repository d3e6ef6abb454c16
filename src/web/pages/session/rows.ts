import type { Message, ToolResult } from '../../api/messages.js';
import { type Entry, isMessage } from './transcript.js';

/** What the list shows: tool results stand with the call that they answer. */
export interface Row {
  readonly entry: Entry;
  /** Whether somebody else spoke before. */
  readonly isFirst: boolean;
}

export interface Rows {
  readonly rows: readonly Row[];
  /** By the id of the call. */
  readonly results: ReadonlyMap<string, ToolResult>;
  /** The place of every message that is loaded. */
  readonly placeOf: (messageId: string) => number;
}

export function rowsOf(entries: readonly Entry[]): Rows {
  const rows: Row[] = [];
  const results = new Map<string, ToolResult>();
  const rowOfCall = new Map<string, number>();
  const places = new Map<string, number>();
  let speaker = '';
  for (const entry of entries) {
    const owner = isMessage(entry) ? noteTools(entry, rowOfCall, results, rows.length) : undefined;
    places.set(entry.id, owner ?? rows.length);
    if (owner !== undefined || isHidden(entry)) continue;
    const next = isMessage(entry) && entry.role !== 'tool' ? entry.role : 'assistant';
    rows.push({ entry, isFirst: next !== speaker || next === 'user' });
    speaker = next;
  }
  return { rows, results, placeOf: (messageId) => places.get(messageId) ?? -1 };
}

/** The row of the calls that this message answers, if it does nothing else. */
function noteTools(
  message: Message,
  rowOfCall: Map<string, number>,
  results: Map<string, ToolResult>,
  row: number,
): number | undefined {
  let owner: number | undefined;
  let isResultsOnly = message.content.length > 0;
  for (const block of message.content) {
    if (block.type === 'tool_use') rowOfCall.set(block.id, row);
    if (block.type !== 'tool_result') {
      isResultsOnly = false;
      continue;
    }
    results.set(block.toolUseId, block);
    const asked = rowOfCall.get(block.toolUseId);
    if (asked === undefined) isResultsOnly = false;
    owner ??= asked;
  }
  return isResultsOnly ? owner : undefined;
}

function isHidden(entry: Entry): boolean {
  return isMessage(entry) && (entry.visibility === 'llm_only' || entry.isUserVisible === false);
}
