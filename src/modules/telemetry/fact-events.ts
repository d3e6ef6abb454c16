import { createHash } from 'node:crypto';
import type { UsageFact } from './adapters/adapter.js';
import type { LogRecord, Span, SumPoint } from './otlp/records.js';

export type TelemetryRecord = LogRecord | SumPoint | Span;

/** A usage event on its way to ingest, which checks it like any other. */
export type FactEvent = Readonly<Record<string, unknown>>;

/**
 * The event that a fact of a record is. Its id is made from the record's content, so that a batch that is sent again adds
 * nothing; `userId` is in it, because two users may send the same.
 */
export function toEvent(fact: UsageFact, record: TelemetryRecord, userId: string, nowMs: number): FactEvent {
  const { type, timeMs, sessionId, client, fields, part = '' } = fact;
  const source = fact.identity ?? identityOf(record);
  return {
    ...fields,
    id: uuidOf(JSON.stringify([userId, type, source, part])),
    type,
    at: new Date(timeMs ?? nowMs).toISOString(),
    ...(sessionId === null ? {} : { sessionId }),
    ...(client ? { client } : {}),
  };
}

/**
 * Facts of a sum that goes on counting: the first, the second and so on of this series since it began. They are dated when
 * it began, whenever they are told, so that each of them counts once however often the sum is sent, and wherever.
 */
export function countedSoFar(facts: readonly UsageFact[], point: SumPoint): UsageFact[] {
  const { resource, scope, name, attributes, startTimeNano } = point;
  const series = JSON.stringify([sorted(resource), scope, name, sorted(attributes), startTimeNano]);
  const startMs = Math.floor(Number(startTimeNano) / 1e6);
  return facts.map((fact) => ({ ...fact, timeMs: startMs > 0 ? startMs : fact.timeMs, identity: series }));
}

function identityOf(record: TelemetryRecord): string {
  const { resource, attributes, ...rest } = record;
  return JSON.stringify([sorted(resource), sorted(attributes), sorted(rest)]);
}

function sorted(values: object): [string, unknown][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A UUID of version 8: the first bits of a hash. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
