import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mapped, UsageFact } from '../../src/modules/telemetry/adapters/adapter.js';
import { adapterFor } from '../../src/modules/telemetry/adapters/adapters.js';
import type {
  Attributes,
  AttributeValue,
  LogRecord,
  Origin,
  Span,
  SumPoint,
} from '../../src/modules/telemetry/otlp/records.js';

const FOLDER = join('test', 'fixtures', 'otlp');

export type AnyRecord = LogRecord | SumPoint | Span;

const ORIGIN: Origin = { resource: {}, scope: '' };

export const aLog = (service: string, attributes: Attributes, more: Partial<LogRecord> = {}): LogRecord => ({
  ...originOf(service),
  timeMs: 1_794_700_000_000,
  eventName: '',
  body: '',
  attributes,
  ...more,
});

export const aPoint = (service: string, name: string, value: number, attributes: Attributes = {}): SumPoint => ({
  ...originOf(service),
  name,
  temporality: 'delta',
  isMonotonic: true,
  startTimeNano: '1794700000000000000',
  timeNano: '1794700001000000000',
  timeMs: 1_794_700_001_000,
  value,
  attributes,
});

export const aSpan = (service: string, name: string, attributes: Attributes, more: Partial<Span> = {}): Span => ({
  ...originOf(service),
  name,
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  startTimeMs: 1_794_700_000_000,
  endTimeMs: 1_794_700_002_000,
  attributes,
  ...more,
});

const originOf = (service: string): Origin => ({ ...ORIGIN, resource: { 'service.name': service } });

export function mapped(record: AnyRecord): Mapped {
  const adapter = adapterFor(record);
  if ('eventName' in record) return adapter.log(record);
  return 'value' in record ? adapter.point(record) : adapter.span(record);
}

/** Without what all facts of a record share. */
export function told(record: AnyRecord): [UsageFact['type'], UsageFact['fields']][] | null {
  return mapped(record)?.map(({ type, fields }) => [type, fields]) ?? null;
}

/** Without metrics other than sums. */
export function sampleRecords(name: string): AnyRecord[] {
  const request = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Json;
  return [
    ...items(request, 'resourceLogs', 'scopeLogs', 'logRecords', readLog),
    ...items(request, 'resourceMetrics', 'scopeMetrics', 'metrics', readPoints),
    ...items(request, 'resourceSpans', 'scopeSpans', 'spans', readSpan),
  ];
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the samples are known, their shape is not checked
type Json = Record<string, any>;

function items(
  request: Json,
  resources: string,
  scopes: string,
  list: string,
  read: (item: Json, origin: Origin) => AnyRecord[],
): AnyRecord[] {
  return ((request[resources] ?? []) as Json[]).flatMap((group) =>
    (group[scopes] as Json[]).flatMap((inner) => {
      const scope = (inner.scope as Json | undefined)?.name as string | undefined;
      const origin = { resource: attributesOf(group.resource as Json), scope: scope ?? '' };
      return (inner[list] as Json[]).flatMap((item) => read(item, origin));
    }),
  );
}

function readLog(log: Json, origin: Origin): AnyRecord[] {
  const body = (log.body as Json | null)?.stringValue as string | undefined;
  return [
    {
      ...origin,
      timeMs: milliseconds(log.timeUnixNano) ?? milliseconds(log.observedTimeUnixNano),
      eventName: (log.eventName as string | undefined) ?? '',
      body: body ?? '',
      attributes: attributesOf(log),
    },
  ];
}

function readPoints(metric: Json, origin: Origin): AnyRecord[] {
  const sum = metric.sum as Json | undefined;
  return ((sum?.dataPoints ?? []) as Json[]).map((point) => ({
    ...origin,
    name: metric.name as string,
    temporality: sum?.aggregationTemporality === 1 ? 'delta' : 'cumulative',
    isMonotonic: sum?.isMonotonic === true,
    startTimeNano: point.startTimeUnixNano as string,
    timeNano: point.timeUnixNano as string,
    timeMs: milliseconds(point.timeUnixNano),
    value: Number(point.asDouble ?? point.asInt),
    attributes: attributesOf(point),
  }));
}

function readSpan(span: Json, origin: Origin): AnyRecord[] {
  return [
    {
      ...origin,
      name: span.name as string,
      traceId: span.traceId as string,
      spanId: span.spanId as string,
      startTimeMs: milliseconds(span.startTimeUnixNano),
      endTimeMs: milliseconds(span.endTimeUnixNano),
      attributes: attributesOf(span),
    },
  ];
}

function attributesOf(of: Json): Attributes {
  const pairs = ((of.attributes ?? []) as Json[]).map((pair) => [pair.key, valueOf(pair.value as Json)] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined)) as Attributes;
}

function valueOf(value: Json | null | undefined): AttributeValue | undefined {
  const [kind, content] = Object.entries(value ?? {})[0] ?? [];
  if (kind === 'intValue') return Number(content);
  if (kind === 'arrayValue') return ((content as Json).values as Json[]).map((inner) => valueOf(inner) ?? '');
  return content as AttributeValue | undefined;
}

function milliseconds(nano: unknown): number | null {
  return nano === undefined || nano === '0' ? null : Number(BigInt(nano as string) / 1_000_000n);
}
