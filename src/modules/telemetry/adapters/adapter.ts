import type { EventType } from '../../ingest/event-codes.js';
import type { LogRecord, Origin, Span, SumPoint } from '../otlp/records.js';

/** A usage event without its id and its user, which the service adds. */
export interface UsageFact {
  readonly type: EventType;
  /** Unix milliseconds; null: use the time of arrival. */
  readonly timeMs: number | null;
  /** The agent's own session id; null when it sends none. */
  readonly sessionId: string | null;
  readonly client?: 'terminal-ui' | 'web' | 'non-interactive-cli';
  readonly fields: Readonly<Record<string, string | number>>;
  /** What the agent says the model call cost, in pico-dollars. */
  readonly reportedCost?: number;
  /** Distinguishes several facts of the same record. */
  readonly part?: string;
  /** Replaces the record as what identifies the fact, which then counts once a day for a user. */
  readonly identity?: string;
}

/** The facts in a record (none: known, but nothing to count), or null: unknown, counted as ignored. */
export type Mapped = readonly UsageFact[] | null;

/** Reads the telemetry of one agent. Pure: the facts depend on the record alone. */
export interface Adapter {
  /** Shown by `telemetry tail`. */
  readonly name: string;
  recognises(origin: Origin): boolean;
  log(record: LogRecord): Mapped;
  point(point: SumPoint): Mapped;
  span(span: Span): Mapped;
  /** The name under which an ignored record is counted; never contains text of a user. */
  nameOf(record: LogRecord | SumPoint | Span): string;
}
