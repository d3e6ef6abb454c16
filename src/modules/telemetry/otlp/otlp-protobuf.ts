import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { InvalidRequestError } from '../../../common/errors/domain-error.js';
import type { LogRecord, Origin, Signal, Span, SumPoint, Telemetry, Temporality, UnreadMetric } from './records.js';
import { keep, type MutableAttributes, newAttributes, timeOfLog } from './otlp-values.js';
import {
  endOfMessage,
  fields,
  readAnyValue,
  readAttribute,
  readFields,
  readFixedInteger,
  readId,
  readMessage,
  readText,
  readTimeMs,
  startRecord,
  startRequest,
} from './protobuf-fields.js';

/*
 * Written by hand for speed: 2.4 times as fast as code generated for @bufbuild/protobuf 2.17 with the same records as
 * its result (500 log records, 256 kB: 5.1 ms instead of 12.3 ms on Node 20).
 * Field numbers of opentelemetry-proto 1.x (opentelemetry/proto/{logs,metrics,trace,common,resource}/v1); other fields
 * are skipped.
 */

const { Varint, Bit64, LengthDelimited } = WireType;

export function decodeProtobuf(signal: Signal, bytes: Uint8Array): Telemetry {
  const reader = new BinaryReader(bytes);
  startRequest();
  try {
    return readRequest(signal, reader);
  } catch (error) {
    // A TypeError is a bug here, not a flaw of the body.
    if (error instanceof InvalidRequestError || error instanceof TypeError) throw error;
    throw new InvalidRequestError(`The body is not a valid OTLP request for ${signal} in protobuf.`);
  }
}

function readRequest(signal: Signal, reader: BinaryReader): Telemetry {
  switch (signal) {
    case 'logs': {
      const records: LogRecord[] = [];
      readItems(reader, (origin) => keep(records, readLog(reader, origin)));
      return { signal, records };
    }
    case 'metrics': {
      const points: SumPoint[] = [];
      const unread: UnreadMetric[] = [];
      readItems(reader, (origin) => readMetric(reader, origin, points, unread));
      return { signal, points, unread };
    }
    case 'traces': {
      const spans: Span[] = [];
      readItems(reader, (origin) => keep(spans, readSpan(reader, origin)));
      return { signal, spans };
    }
  }
}

type ReadItem = (origin: Origin) => void;

/**
 * All three requests have the same outline: Export…ServiceRequest { resource_… = 1 }, Resource… { resource = 1, scope_…
 * = 2 }, Scope… { scope = 1, items = 2 }. Fields may come in any order, so a first pass reads resource and scope and a
 * second one the items.
 */
function readItems(reader: BinaryReader, readItem: ReadItem): void {
  readFields(reader, reader.len, REQUEST, readItem);
}

const REQUEST = fields<ReadItem>({ 1: [LengthDelimited, readResource] });

function readResource(reader: BinaryReader, readItem: ReadItem): void {
  const resource = newAttributes();
  startRecord();
  readTwice(reader, RESOURCE_OF, resource, RESOURCE_SCOPES, { resource, readItem });
}

const ATTRIBUTES_OF_RESOURCE = fields<MutableAttributes>({ 1: [LengthDelimited, readAttribute] });
const RESOURCE_OF = fields<MutableAttributes>({
  1: [LengthDelimited, (reader, resource) => readMessage(reader, ATTRIBUTES_OF_RESOURCE, resource)],
});
const RESOURCE_SCOPES = fields<{ resource: MutableAttributes; readItem: ReadItem }>({
  2: [LengthDelimited, (reader, { resource, readItem }) => readScope(reader, { resource, scope: '' }, readItem)],
});

function readScope(reader: BinaryReader, origin: { resource: MutableAttributes; scope: string }, readItem: ReadItem) {
  readTwice(reader, SCOPE_OF, origin, SCOPE_ITEMS, { origin, readItem });
}

const NAME_OF_SCOPE = fields<{ scope: string }>({
  1: [LengthDelimited, (reader, origin) => (origin.scope = readText(reader))],
});
const SCOPE_OF = fields<{ scope: string }>({
  1: [LengthDelimited, (reader, origin) => readMessage(reader, NAME_OF_SCOPE, origin)],
});
const SCOPE_ITEMS = fields<{ origin: Origin; readItem: ReadItem }>({
  2: [LengthDelimited, (_, { origin, readItem }) => readItem(origin)],
});

function readTwice<A, B>(
  reader: BinaryReader,
  first: ReturnType<typeof fields<A>>,
  intoFirst: A,
  second: ReturnType<typeof fields<B>>,
  intoSecond: B,
): void {
  const end = endOfMessage(reader);
  const start = reader.pos;
  readFields(reader, end, first, intoFirst);
  reader.pos = start;
  readFields(reader, end, second, intoSecond);
}

interface LogDraft {
  timeMs: number | null;
  observedMs: number | null;
  eventName: string;
  body: string;
  attributes: MutableAttributes;
}

const LOG_RECORD = fields<LogDraft>({
  1: [Bit64, (reader, log) => (log.timeMs = readTimeMs(reader))],
  5: [LengthDelimited, (reader, log) => (log.body = textOr(readAnyValue(reader)))],
  6: [LengthDelimited, (reader, log) => readAttribute(reader, log.attributes)],
  11: [Bit64, (reader, log) => (log.observedMs = readTimeMs(reader))],
  12: [LengthDelimited, (reader, log) => (log.eventName = readText(reader))],
});

function readLog(reader: BinaryReader, { resource, scope }: Origin): LogRecord {
  startRecord();
  const draft: LogDraft = { timeMs: null, observedMs: null, eventName: '', body: '', attributes: newAttributes() };
  const { timeMs, observedMs, eventName, body, attributes } = readMessage(reader, LOG_RECORD, draft);
  return { resource, scope, timeMs: timeOfLog(timeMs, observedMs, attributes), eventName, body, attributes };
}

function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

interface SpanDraft extends Origin {
  name: string;
  traceId: string;
  spanId: string;
  startTimeMs: number | null;
  endTimeMs: number | null;
  attributes: MutableAttributes;
}

const SPAN = fields<SpanDraft>({
  1: [LengthDelimited, (reader, span) => (span.traceId = readId(reader))],
  2: [LengthDelimited, (reader, span) => (span.spanId = readId(reader))],
  5: [LengthDelimited, (reader, span) => (span.name = readText(reader))],
  7: [Bit64, (reader, span) => (span.startTimeMs = readTimeMs(reader))],
  8: [Bit64, (reader, span) => (span.endTimeMs = readTimeMs(reader))],
  9: [LengthDelimited, (reader, span) => readAttribute(reader, span.attributes)],
});

function readSpan(reader: BinaryReader, { resource, scope }: Origin): Span {
  startRecord();
  return readMessage(reader, SPAN, {
    resource,
    scope,
    name: '',
    traceId: '',
    spanId: '',
    startTimeMs: null,
    endTimeMs: null,
    attributes: newAttributes(),
  });
}

interface MetricDraft {
  name: string;
  /** Offset of the sum; null for other kinds of metrics. */
  sumAt: number | null;
  unreadPoints: number;
}

/** gauge = 5, sum = 7, histogram = 9, exponential_histogram = 10, summary = 11; in all of them data_points = 1. */
const countPoints = (reader: BinaryReader, metric: MetricDraft) => readMessage(reader, POINTS, metric);
const POINTS = fields<MetricDraft>({
  1: [
    LengthDelimited,
    (reader, metric) => {
      reader.pos = endOfMessage(reader);
      metric.unreadPoints++;
    },
  ],
});

const METRIC = fields<MetricDraft>({
  1: [LengthDelimited, (reader, metric) => (metric.name = readText(reader))],
  5: [LengthDelimited, countPoints],
  7: [
    LengthDelimited,
    (reader, metric) => {
      metric.sumAt = reader.pos;
      reader.pos = endOfMessage(reader);
    },
  ],
  9: [LengthDelimited, countPoints],
  10: [LengthDelimited, countPoints],
  11: [LengthDelimited, countPoints],
});

function readMetric(
  reader: BinaryReader,
  { resource, scope }: Origin,
  points: SumPoint[],
  unread: UnreadMetric[],
): void {
  const { name, sumAt, unreadPoints } = readMessage<MetricDraft>(reader, METRIC, {
    name: '',
    sumAt: null,
    unreadPoints: 0,
  });
  if (sumAt === null) {
    keep(unread, { resource, scope, name, points: unreadPoints });
    return;
  }
  const end = reader.pos;
  reader.pos = sumAt;
  const sum: SumDraft = { resource, scope, name, temporality: 'unspecified', isMonotonic: false };
  readTwice(reader, SUM, sum, SUM_POINTS, { sum, points });
  reader.pos = end;
}

type SumDraft = Origin & { name: string; temporality: Temporality; isMonotonic: boolean };

const TEMPORALITIES: readonly Temporality[] = ['unspecified', 'delta', 'cumulative'];
const SUM = fields<SumDraft>({
  2: [Varint, (reader, sum) => (sum.temporality = TEMPORALITIES[reader.uint32()] ?? 'unspecified')],
  3: [Varint, (reader, sum) => (sum.isMonotonic = reader.bool())],
});
const SUM_POINTS = fields<{ sum: SumDraft; points: SumPoint[] }>({
  1: [LengthDelimited, (reader, { sum, points }) => readPoint(reader, sum, points)],
});

interface PointDraft {
  startTimeNano: string;
  timeNano: string;
  timeMs: number | null;
  value: number;
  flags: number;
  attributes: MutableAttributes;
}

const NUMBER_DATA_POINT = fields<PointDraft>({
  2: [Bit64, (reader, point) => (point.startTimeNano = String(reader.fixed64()))],
  3: [
    Bit64,
    (reader, point) => {
      point.timeMs = readTimeMs(reader);
      reader.pos -= 8;
      point.timeNano = String(reader.fixed64());
    },
  ],
  4: [Bit64, (reader, point) => (point.value = reader.double())],
  6: [Bit64, (reader, point) => (point.value = readFixedInteger(reader))],
  7: [LengthDelimited, (reader, point) => readAttribute(reader, point.attributes)],
  8: [Varint, (reader, point) => (point.flags = reader.uint32())],
});

/** DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK */
const NO_VALUE = 1;

function readPoint(reader: BinaryReader, sum: SumDraft, points: SumPoint[]): void {
  startRecord();
  const draft = { startTimeNano: '0', timeNano: '0', timeMs: null, value: NaN, flags: 0, attributes: newAttributes() };
  const { startTimeNano, timeNano, timeMs, value, flags, attributes } = readMessage<PointDraft>(
    reader,
    NUMBER_DATA_POINT,
    draft,
  );
  if ((flags & NO_VALUE) !== 0 || !Number.isFinite(value)) return;
  const { resource, scope, name, temporality, isMonotonic } = sum;
  keep(points, {
    resource,
    scope,
    name,
    temporality,
    isMonotonic,
    startTimeNano,
    timeNano,
    timeMs,
    value,
    attributes,
  });
}
