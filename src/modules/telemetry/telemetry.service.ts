import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { yieldFairly } from '../../common/yield-fairly.js';
import { InvalidRequestError } from '../../common/errors/domain-error.js';
import { Clock } from '../../common/time/clock.js';
import { IngestService } from '../ingest/ingest.service.js';
import type { Adapter, Mapped } from './adapters/adapter.js';
import { adapterFor } from './adapters/adapters.js';
import { toSeriesFacts, type FactEvent, type TelemetryRecord, toEvent } from './fact-events.js';
import type { LogRecord, Span, SumPoint, Telemetry } from './otlp/records.js';
import { TelemetryTail } from './telemetry-tail.js';
import { type Outcome, type Rejected, TelemetryStats } from './telemetry-stats.js';

/** Records and facts between two yields to the event loop. */
const SLICE = 500;
const BATCH_EVENTS = 5_000;
/** Per request: a record of a few bytes may contain a thousand. */
const MAX_FACTS = 50_000;
/** Distinct names per request; the rest is counted together. */
const MAX_OUTCOMES = 1_000;

interface ReportedEvent {
  readonly value: FactEvent;
  readonly reportedCost: number | null;
}

@Injectable()
export class TelemetryService {
  constructor(
    private readonly ingest: IngestService,
    private readonly stats: TelemetryStats,
    private readonly tail: TelemetryTail,
    private readonly clock: Clock,
  ) {}

  /** Resolves when everything is durable; null when nothing was rejected. */
  async take(caller: Principal, telemetry: Telemetry): Promise<Rejected | null> {
    const outcomes = new Map<string, Outcome>();
    const events = await this.toEvents(caller, telemetry, outcomes);
    const rejected: Rejected = { count: 0, reason: '' };
    for (let i = 0; i < events.length; i += BATCH_EVENTS) {
      const batch = events.slice(i, i + BATCH_EVENTS).map((event, index) => ({ index, ...event }));
      const result = await this.ingest.ingestAll(caller, batch);
      rejected.count += result.rejectedCount;
      rejected.reason ||= result.rejected[0]?.error ?? '';
    }
    this.stats.count(telemetry.signal, [...outcomes.values()], rejected.count);
    this.tail.publish(caller, telemetry.signal, [...outcomes.values()], rejected);
    return rejected.count > 0 ? rejected : null;
  }

  private async toEvents(
    caller: Principal,
    telemetry: Telemetry,
    outcomes: Map<string, Outcome>,
  ): Promise<ReportedEvent[]> {
    const emails = await this.usersNamed(caller, recordsOf(telemetry));
    const nowMs = this.clock.now().getTime();
    const events: ReportedEvent[] = [];
    let read = 0;
    for (const record of recordsOf(telemetry)) {
      if (++read >= SLICE) {
        await yieldFairly();
        read = 0;
      }
      const adapter = adapterFor(record);
      const facts = map(adapter, record);
      countOutcome(outcomes, adapter, adapter.nameOf(record), facts);
      const named = emailOf(record);
      const reported = { userId: caller.userId, email: named !== null && emails.has(named) ? named : null };
      for (const fact of facts ?? []) {
        events.push({ value: toEvent(fact, record, reported, nowMs), reportedCost: fact.reportedCost ?? null });
      }
      read += facts?.length ?? 0;
      if (events.length > MAX_FACTS) throw tooManyFacts();
    }
    if (telemetry.signal === 'metrics') {
      for (const { name, ...origin } of telemetry.unread) countOutcome(outcomes, adapterFor(origin), name, []);
    }
    return events;
  }

  /** A collector with the key of an owner or a manager may report for other users of the organization. */
  private async usersNamed(caller: Principal, records: readonly TelemetryRecord[]): Promise<ReadonlySet<string>> {
    if (caller.role !== Role.Owner && caller.role !== Role.Manager) return new Set();
    const named = new Set(records.flatMap((record) => emailOf(record) ?? []));
    return named.size === 0 ? named : this.ingest.listKnownEmails(caller.orgId, [...named]);
  }
}

function tooManyFacts(): InvalidRequestError {
  return new InvalidRequestError(`The body tells of more than ${MAX_FACTS} uses; send smaller batches.`);
}

function recordsOf(telemetry: Telemetry): readonly TelemetryRecord[] {
  if (telemetry.signal === 'logs') return telemetry.records;
  return telemetry.signal === 'metrics' ? telemetry.points : telemetry.spans;
}

function map(adapter: Adapter, record: TelemetryRecord): Mapped {
  if (isSpan(record)) return adapter.span(record);
  if (!isPoint(record)) return adapter.log(record);
  const facts = adapter.point(record);
  return facts && record.temporality !== 'delta' ? toSeriesFacts(facts, record) : facts;
}

function isSpan(record: TelemetryRecord): record is Span {
  return 'spanId' in record;
}

function isPoint(record: TelemetryRecord): record is SumPoint {
  return 'temporality' in record;
}

/** Claimed by the sender: used only if the credential may report for others. */
function emailOf({ attributes, resource }: LogRecord | SumPoint | Span): string | null {
  const email = attributes['user.email'] ?? resource['user.email'];
  return typeof email === 'string' && email !== '' ? email.toLowerCase() : null;
}

function countOutcome(outcomes: Map<string, Outcome>, { name: agent }: Adapter, name: string, facts: Mapped): void {
  const isIgnored = facts === null;
  const own = `${agent} ${name}`;
  const isNamed = outcomes.has(own) || outcomes.size < MAX_OUTCOMES;
  const key = isNamed ? own : `${agent} others ${isIgnored}`;
  const outcome = outcomes.get(key) ?? { agent, name: isNamed ? name : 'others', records: 0, isIgnored, facts: {} };
  outcome.records++;
  for (const { type } of facts ?? []) outcome.facts[type] = (outcome.facts[type] ?? 0) + 1;
  outcomes.set(key, outcome);
}
