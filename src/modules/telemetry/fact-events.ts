import { hash } from 'node:crypto';
import type { UsageFact } from './adapters/adapter.js';
import { contentOf } from './content.js';
import type { LogRecord, Span, SumPoint } from './otlp/records.js';

export type TelemetryRecord = LogRecord | SumPoint | Span;

export type FactEvent = Record<string, unknown>;

/** The caller, or a user that the caller may report for. */
export interface Reported {
  readonly userId: string;
  readonly email: string | null;
}

/** The id is a hash of the record and its user, so that a batch that is sent again adds nothing. */
export function toEvent(
  fact: UsageFact,
  record: TelemetryRecord,
  { userId, email }: Reported,
  nowMs: number,
): FactEvent {
  const { type, timeMs, sessionId, client, fields, part = '' } = fact;
  const source = fact.identity ?? identityOf(record);
  const event: FactEvent = {
    id: hashUuid(`${email ?? userId}\n${type}\n${part}\n${source}`),
    type,
    at: new Date(timeMs ?? nowMs).toISOString(),
    ...fields, // a spread at the start makes building the object thirty times slower
  };
  if (sessionId !== null) event.sessionId = sessionId;
  if (client) event.client = client;
  if (email !== null) event.userEmail = email;
  return event;
}

/** Facts 1 to n of a cumulative series, dated at its start: each counts once, however often the sum is sent. */
export function toSeriesFacts(facts: readonly UsageFact[], point: SumPoint): UsageFact[] {
  const { resource, scope, name, attributes, startTimeNano } = point;
  const series = contentOf({ resource, scope, name, attributes, startTimeNano });
  const startMs = Math.floor(Number(startTimeNano) / 1e6);
  return facts.map((fact) => ({ ...fact, timeMs: startMs > 0 ? startMs : fact.timeMs, identity: series }));
}

/** Many records share one resource object. */
const resources = new WeakMap<object, string>();

function identityOf(record: TelemetryRecord): string {
  const { resource } = record;
  const content = resources.get(resource) ?? contentOf(resource);
  resources.set(resource, content);
  return content + contentOf({ ...record, resource: null });
}

/** Version 8: the first bits of a hash. */
export function hashUuid(text: string): string {
  const hex = hash('sha256', text, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
