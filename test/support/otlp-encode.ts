import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Signal } from '../../src/modules/telemetry/otlp/records.js';

/*
 * Encodes OTLP/JSON as protobuf, including fields that the service skips. The field numbers are those of opentelemetry-
 * proto 1.x, independent of the ones in src.
 */

type Scalar = 'string' | 'bool' | 'int64' | 'uint32' | 'fixed32' | 'fixed64' | 'sfixed64' | 'double' | 'hex';
/** `*` after a type: repeated; `packed`: in one field. */
type Schema = Record<string, readonly [number, string]>;

const point: Schema = { startTimeUnixNano: [2, 'fixed64'], timeUnixNano: [3, 'fixed64'] };
const buckets = { count: [4, 'fixed64'], sum: [5, 'double'] } as const;

const SCHEMAS: Record<string, Schema> = {
  LogsRequest: { resourceLogs: [1, 'ResourceLogs*'] },
  ResourceLogs: { resource: [1, 'Resource'], scopeLogs: [2, 'ScopeLogs*'], schemaUrl: [3, 'string'] },
  ScopeLogs: { scope: [1, 'Scope'], logRecords: [2, 'LogRecord*'], schemaUrl: [3, 'string'] },
  LogRecord: {
    timeUnixNano: [1, 'fixed64'],
    severityNumber: [2, 'uint32'],
    severityText: [3, 'string'],
    body: [5, 'AnyValue'],
    attributes: [6, 'KeyValue*'],
    droppedAttributesCount: [7, 'uint32'],
    flags: [8, 'fixed32'],
    traceId: [9, 'hex'],
    spanId: [10, 'hex'],
    observedTimeUnixNano: [11, 'fixed64'],
    eventName: [12, 'string'],
  },
  MetricsRequest: { resourceMetrics: [1, 'ResourceMetrics*'] },
  ResourceMetrics: { resource: [1, 'Resource'], scopeMetrics: [2, 'ScopeMetrics*'], schemaUrl: [3, 'string'] },
  ScopeMetrics: { scope: [1, 'Scope'], metrics: [2, 'Metric*'], schemaUrl: [3, 'string'] },
  Metric: {
    name: [1, 'string'],
    description: [2, 'string'],
    unit: [3, 'string'],
    gauge: [5, 'Sum'],
    sum: [7, 'Sum'],
    histogram: [9, 'Histogram'],
    exponentialHistogram: [10, 'ExponentialHistogram'],
    metadata: [12, 'KeyValue*'],
  },
  Sum: { dataPoints: [1, 'NumberPoint*'], aggregationTemporality: [2, 'uint32'], isMonotonic: [3, 'bool'] },
  NumberPoint: {
    ...point,
    asDouble: [4, 'double'],
    asInt: [6, 'sfixed64'],
    attributes: [7, 'KeyValue*'],
    flags: [8, 'uint32'],
  },
  Histogram: { dataPoints: [1, 'HistogramPoint*'], aggregationTemporality: [2, 'uint32'] },
  HistogramPoint: {
    ...point,
    ...buckets,
    bucketCounts: [6, 'fixed64 packed'],
    explicitBounds: [7, 'double packed'],
    attributes: [9, 'KeyValue*'],
    flags: [10, 'uint32'],
    min: [11, 'double'],
    max: [12, 'double'],
  },
  ExponentialHistogram: { dataPoints: [1, 'ExponentialPoint*'], aggregationTemporality: [2, 'uint32'] },
  ExponentialPoint: { attributes: [1, 'KeyValue*'], ...point, ...buckets },
  TracesRequest: { resourceSpans: [1, 'ResourceSpans*'] },
  ResourceSpans: { resource: [1, 'Resource'], scopeSpans: [2, 'ScopeSpans*'], schemaUrl: [3, 'string'] },
  ScopeSpans: { scope: [1, 'Scope'], spans: [2, 'Span*'], schemaUrl: [3, 'string'] },
  Span: {
    traceId: [1, 'hex'],
    spanId: [2, 'hex'],
    traceState: [3, 'string'],
    parentSpanId: [4, 'hex'],
    name: [5, 'string'],
    kind: [6, 'uint32'],
    startTimeUnixNano: [7, 'fixed64'],
    endTimeUnixNano: [8, 'fixed64'],
    attributes: [9, 'KeyValue*'],
    droppedAttributesCount: [10, 'uint32'],
    events: [11, 'Event*'],
    droppedEventsCount: [12, 'uint32'],
    droppedLinksCount: [14, 'uint32'],
    status: [15, 'Status'],
    flags: [16, 'fixed32'],
  },
  Event: { timeUnixNano: [1, 'fixed64'], name: [2, 'string'], attributes: [3, 'KeyValue*'] },
  Status: { message: [2, 'string'], code: [3, 'uint32'] },
  Resource: { attributes: [1, 'KeyValue*'], droppedAttributesCount: [2, 'uint32'] },
  Scope: { name: [1, 'string'], version: [2, 'string'], attributes: [3, 'KeyValue*'] },
  KeyValue: { key: [1, 'string'], value: [2, 'AnyValue'] },
  AnyValue: {
    stringValue: [1, 'string'],
    boolValue: [2, 'bool'],
    intValue: [3, 'int64'],
    doubleValue: [4, 'double'],
    arrayValue: [5, 'ArrayValue'],
    kvlistValue: [6, 'KeyValueList'],
    bytesValue: [7, 'string'],
  },
  ArrayValue: { values: [1, 'AnyValue*'] },
  KeyValueList: { values: [1, 'KeyValue*'] },
};

const REQUESTS: Record<Signal, string> = { logs: 'LogsRequest', metrics: 'MetricsRequest', traces: 'TracesRequest' };

export interface EncodeOptions {
  /** Writes fields in reverse order, which means the same. */
  backwards?: boolean;
  /** Adds unknown fields to every message. */
  strangers?: boolean;
}

export function encodeProtobuf(signal: Signal, request: object, options: EncodeOptions = {}): Uint8Array {
  const writer = new BinaryWriter();
  writeMessage(writer, REQUESTS[signal], request as Record<string, unknown>, options);
  return writer.finish();
}

function writeMessage(writer: BinaryWriter, type: string, message: Record<string, unknown>, options: EncodeOptions) {
  const known = Object.entries(SCHEMAS[type] ?? {});
  if (options.backwards) known.reverse();
  if (options.strangers) writer.tag(1000, WireType.Varint).uint32(7).tag(2000, WireType.LengthDelimited).string('new');
  for (const [name, [number, kind]] of known) {
    const value = message[name] ?? null;
    if (value !== null) writeField(writer, number, kind, value, options);
  }
  if (options.strangers) writer.tag(3000, WireType.StartGroup).tag(1, WireType.Bit32).fixed32(1);
  if (options.strangers) writer.tag(3000, WireType.EndGroup);
}

function writeField(writer: BinaryWriter, number: number, kind: string, value: unknown, options: EncodeOptions): void {
  if (kind.endsWith('*')) {
    for (const item of value as unknown[]) writeField(writer, number, kind.slice(0, -1), item, options);
  } else if (kind.endsWith(' packed')) {
    writer.tag(number, WireType.LengthDelimited).fork();
    for (const item of value as number[]) writeScalar(writer, kind.replace(' packed', '') as Scalar, item);
    writer.join();
  } else if (kind in SCHEMAS) {
    writer.tag(number, WireType.LengthDelimited).fork();
    writeMessage(writer, kind, value as Record<string, unknown>, options);
    writer.join();
  } else {
    writer.tag(number, WIRE_TYPES[kind as Scalar]);
    writeScalar(writer, kind as Scalar, value);
  }
}

const WIRE_TYPES: Record<Scalar, WireType> = {
  string: WireType.LengthDelimited,
  hex: WireType.LengthDelimited,
  bool: WireType.Varint,
  int64: WireType.Varint,
  uint32: WireType.Varint,
  fixed32: WireType.Bit32,
  fixed64: WireType.Bit64,
  sfixed64: WireType.Bit64,
  double: WireType.Bit64,
};

function writeScalar(writer: BinaryWriter, kind: Scalar, value: unknown): void {
  switch (kind) {
    case 'hex':
      writer.bytes(Buffer.from(value as string, 'hex'));
      break;
    case 'string':
      writer.string(value as string);
      break;
    case 'bool':
      writer.bool(value as boolean);
      break;
    case 'uint32':
    case 'fixed32':
      writer[kind](value as number);
      break;
    case 'double':
      writer.double(Number(value));
      break;
    case 'int64':
    case 'fixed64':
    case 'sfixed64':
      writer[kind](value as string | number);
      break;
  }
}
