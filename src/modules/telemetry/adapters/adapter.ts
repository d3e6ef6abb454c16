import type { EventType } from '../../ingest/event-codes.js';
import type { LogRecord, Origin, Span, SumPoint } from '../otlp/records.js';

/** A usage event as native ingest takes it, but for its id and whose it is: the service knows. */
export interface UsageFact {
  readonly type: EventType;
  /** Unix milliseconds; null: when it arrived. */
  readonly timeMs: number | null;
  /** What the agent calls its session; null when it does not tell. */
  readonly sessionId: string | null;
  readonly client?: 'terminal-ui' | 'web' | 'non-interactive-cli';
  /** What `type` needs beside: modelId, tool, name and so on. */
  readonly fields: Readonly<Record<string, string | number>>;
  /** Further facts of the same record have to differ in this; the rest of what identifies a fact is its record. */
  readonly part?: string;
  /** Identifies the fact instead of its record: however many records tell it, on one day it counts once for a user. */
  readonly identity?: string;
}

/**
 * What became of a record: the facts in it (none: it was understood, and there is nothing to count), or `null`: this
 * adapter does not know it, and it is counted as ignored under its name.
 */
export type Mapped = readonly UsageFact[] | null;

/** Reads the telemetry of one agent. Pure: the same record gives the same facts, whatever came before. */
export interface Adapter {
  /** For people, as in `telemetry tail`. */
  readonly name: string;
  /** Whether records from there are this agent's. */
  recognises(origin: Origin): boolean;
  log(record: LogRecord): Mapped;
  /** Only delta sums arrive here. */
  point(point: SumPoint): Mapped;
  span(span: Span): Mapped;
  /** What an ignored record is called; never anything that a user wrote. */
  nameOf(record: LogRecord | SumPoint | Span): string;
}
