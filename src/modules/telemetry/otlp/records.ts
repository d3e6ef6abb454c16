/* The parts of OTLP that adapters use, independent of the encoding. */

export type AttributeValue = string | number | boolean | AttributeValue[] | { [key: string]: AttributeValue };

export type Attributes = Readonly<Record<string, AttributeValue>>;

export interface Origin {
  /** Attributes of the program and the machine; `service.name` identifies the agent. */
  readonly resource: Attributes;
  readonly scope: string;
}

export interface LogRecord extends Origin {
  /** Unix milliseconds of the event, else of its observation; null when both are absent or 0. */
  readonly timeMs: number | null;
  /** Agents mostly use the attribute `event.name` instead. */
  readonly eventName: string;
  readonly body: string;
  readonly attributes: Attributes;
}

export type Temporality = 'delta' | 'cumulative' | 'unspecified';

export interface SumPoint extends Origin {
  readonly name: string;
  readonly temporality: Temporality;
  readonly isMonotonic: boolean;
  /** Unix nanoseconds as text, as they exceed the precision of a double. */
  readonly startTimeNano: string;
  readonly timeNano: string;
  readonly timeMs: number | null;
  readonly value: number;
  readonly attributes: Attributes;
}

/** A gauge, histogram or summary, of which only the points are counted. */
export interface UnreadMetric extends Origin {
  readonly name: string;
  readonly points: number;
}

export interface Span extends Origin {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly startTimeMs: number | null;
  readonly endTimeMs: number | null;
  readonly attributes: Attributes;
}

export interface Logs {
  readonly signal: 'logs';
  readonly records: readonly LogRecord[];
}

export interface Metrics {
  readonly signal: 'metrics';
  readonly points: readonly SumPoint[];
  readonly unread: readonly UnreadMetric[];
}

export interface Traces {
  readonly signal: 'traces';
  readonly spans: readonly Span[];
}

export type Telemetry = Logs | Metrics | Traces;
export type Signal = Telemetry['signal'];
