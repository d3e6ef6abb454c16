/* What OTLP carries, in whichever encoding it came: only what adapters look at, nothing that nobody needs. */

export type AttributeValue = string | number | boolean | AttributeValue[] | { [key: string]: AttributeValue };

/** Values that were sent empty are left out. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Where a record comes from. */
export interface Origin {
  /** Of the program and the machine; `service.name` says which agent it is. */
  readonly resource: Attributes;
  /** The name of the instrumentation scope. */
  readonly scope: string;
}

export interface LogRecord extends Origin {
  /** Unix milliseconds: when it happened, else when it was observed; null when neither was told (0 counts as not told). */
  readonly timeMs: number | null;
  /** The field `eventName` of the record. Agents mean the attribute `event.name` instead. */
  readonly eventName: string;
  /** A text, or empty. */
  readonly body: string;
  readonly attributes: Attributes;
}

export type Temporality = 'delta' | 'cumulative' | 'unspecified';

/** One number of a sum. Gauges, histograms and summaries are not read. */
export interface SumPoint extends Origin {
  readonly name: string;
  readonly temporality: Temporality;
  readonly isMonotonic: boolean;
  /** Unix nanoseconds as text: they identify a series and are too large for a double. */
  readonly startTimeNano: string;
  readonly timeNano: string;
  readonly timeMs: number | null;
  readonly value: number;
  readonly attributes: Attributes;
}

/** A metric that is no sum: how many points it had, for whoever wonders where they went. */
export interface UnreadMetric extends Origin {
  readonly name: string;
  readonly points: number;
}

export interface Span extends Origin {
  readonly name: string;
  /** In hex. */
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
