import { InvalidRequestError } from '../../../common/errors/domain-error.js';
import { isObject } from '../../../common/validation/predicates.js';
import { JsonRecords } from './json-records.js';
import {
  keep,
  MAX_DEPTH,
  MAX_ID,
  MAX_RECORDS,
  type MutableAttributes,
  newAttributes,
  NO_ATTRIBUTES,
  tidyText,
  timeOfLog,
  tooManyRecords,
} from './otlp-values.js';
import type {
  Attributes,
  AttributeValue,
  LogRecord,
  Origin,
  Signal,
  Span,
  SumPoint,
  Telemetry,
  Temporality,
  UnreadMetric,
} from './records.js';

/* A request of another shape is refused; unknown or unreadable parts of it are skipped. */

type Json = Record<string, unknown>;

export async function decodeJson(signal: Signal, bytes: Uint8Array): Promise<Telemetry> {
  if (bytes.length === 0) return decodeJson(signal, Buffer.from('{}'));
  const records = await JsonRecords.of(bytes);
  if (!isObject(records.request)) {
    throw new InvalidRequestError(`The body is not a valid OTLP request for ${signal} in JSON.`);
  }
  switch (signal) {
    case 'logs': {
      const logs: LogRecord[] = [];
      await eachItem(records, LOGS, (log, origin) => keep(logs, readLog(log, origin)));
      return { signal, records: logs };
    }
    case 'metrics': {
      const points: SumPoint[] = [];
      const unread: UnreadMetric[] = [];
      await eachItem(records, METRICS, (metric, origin) => readMetric(metric, origin, points, unread));
      return { signal, points, unread };
    }
    case 'traces': {
      const spans: Span[] = [];
      await eachItem(records, TRACES, (span, origin) => keep(spans, readSpan(span, origin)));
      return { signal, spans };
    }
  }
}

interface Path {
  readonly resources: string;
  readonly scopes: string;
  readonly items: string;
}

const LOGS: Path = { resources: 'resourceLogs', scopes: 'scopeLogs', items: 'logRecords' };
const METRICS: Path = { resources: 'resourceMetrics', scopes: 'scopeMetrics', items: 'metrics' };
const TRACES: Path = { resources: 'resourceSpans', scopes: 'scopeSpans', items: 'spans' };

async function eachItem(records: JsonRecords, path: Path, read: (item: Json, origin: Origin) => void): Promise<void> {
  const resources = (records.request as Json)[path.resources] ?? [];
  if (!Array.isArray(resources)) throw InvalidRequestError.ofField(path.resources, 'must be a list');
  for (const inResource of objects(resources)) {
    const resource = isObject(inResource.resource) ? attributesOf(inResource.resource.attributes) : NO_ATTRIBUTES;
    for (const inScope of objects(inResource[path.scopes])) {
      const origin = { resource, scope: isObject(inScope.scope) ? textOf(inScope.scope.name) : '' };
      for (const place of objects(inScope[path.items])) read((await records.read(place)) as Json, origin);
    }
  }
}

function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function readLog(log: Json, { resource, scope }: Origin): LogRecord {
  const attributes = attributesOf(log.attributes);
  const timeMs = timeOfLog(timeMsOf(log.timeUnixNano), timeMsOf(log.observedTimeUnixNano), attributes);
  const body = isObject(log.body) ? textOf(log.body.stringValue) : '';
  return { resource, scope, timeMs, eventName: textOf(log.eventName), body, attributes };
}

function readSpan(span: Json, { resource, scope }: Origin): Span {
  return {
    resource,
    scope,
    name: textOf(span.name),
    traceId: idOf(span.traceId),
    spanId: idOf(span.spanId),
    startTimeMs: timeMsOf(span.startTimeUnixNano),
    endTimeMs: timeMsOf(span.endTimeUnixNano),
    attributes: attributesOf(span.attributes),
  };
}

const UNREAD_KINDS = ['gauge', 'histogram', 'exponentialHistogram', 'summary'];
/** DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK */
const NO_VALUE = 1;

function readMetric(metric: Json, { resource, scope }: Origin, points: SumPoint[], unread: UnreadMetric[]): void {
  const name = textOf(metric.name);
  const sum = metric.sum;
  if (!isObject(sum)) {
    const lists = UNREAD_KINDS.map((kind) => metric[kind]).map((data) => (isObject(data) ? data.dataPoints : null));
    const count = lists.reduce<number>((total, list) => total + (Array.isArray(list) ? list.length : 0), 0);
    keep(unread, { resource, scope, name, points: count });
    return;
  }
  const temporality = temporalityOf(sum.aggregationTemporality);
  const isMonotonic = sum.isMonotonic === true;
  const dataPoints = objects(sum.dataPoints);
  if (points.length + dataPoints.length > MAX_RECORDS) throw tooManyRecords();
  for (const point of dataPoints) {
    const value = numberOf(point.asDouble) ?? numberOf(point.asInt);
    if (value === undefined || (Number(point.flags ?? 0) & NO_VALUE) !== 0) continue;
    keep(points, {
      resource,
      scope,
      name,
      temporality,
      isMonotonic,
      startTimeNano: nanoOf(point.startTimeUnixNano),
      timeNano: nanoOf(point.timeUnixNano),
      timeMs: timeMsOf(point.timeUnixNano),
      value,
      attributes: attributesOf(point.attributes),
    });
  }
}

function temporalityOf(value: unknown): Temporality {
  if (value === 1 || value === 'AGGREGATION_TEMPORALITY_DELTA') return 'delta';
  return value === 2 || value === 'AGGREGATION_TEMPORALITY_CUMULATIVE' ? 'cumulative' : 'unspecified';
}

function attributesOf(value: unknown, depth = 0): Attributes {
  const attributes = newAttributes();
  if (Array.isArray(value)) for (const entry of value) addAttribute(attributes, entry, depth);
  return attributes;
}

function addAttribute(attributes: MutableAttributes, entry: unknown, depth: number): void {
  if (!isObject(entry)) return;
  const value = valueOf(entry.value, depth);
  if (value !== undefined) attributes[textOf(entry.key)] = value;
}

/** Undefined for an empty value, for bytes, and beyond MAX_DEPTH. */
function valueOf(value: unknown, depth: number): AttributeValue | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value.stringValue === 'string') return tidyText(value.stringValue);
  if (typeof value.boolValue === 'boolean') return value.boolValue;
  const number = numberOf(value.intValue) ?? numberOf(value.doubleValue);
  if (number !== undefined) return number;
  if (depth >= MAX_DEPTH) return undefined;
  if (isObject(value.arrayValue)) return listOf(value.arrayValue.values, depth + 1);
  return isObject(value.kvlistValue) ? attributesOf(value.kvlistValue.values, depth + 1) : undefined;
}

function listOf(values: unknown, depth: number): AttributeValue[] {
  if (!Array.isArray(values)) return [];
  return values.map((value) => valueOf(value, depth)).filter((value) => value !== undefined);
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? tidyText(value) : '';
}

function idOf(value: unknown): string {
  return typeof value === 'string' ? tidyText(value.slice(0, MAX_ID)).toLowerCase() : '';
}

const NANOSECONDS = /^[1-9]\d{0,19}$/;

/** Decimal digits; '0' when absent or invalid. */
function nanoOf(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && NANOSECONDS.test(text) ? text : '0';
}

function timeMsOf(value: unknown): number | null {
  const nano = nanoOf(value);
  return nano === '0' ? null : Number(nano.slice(0, -6));
}
