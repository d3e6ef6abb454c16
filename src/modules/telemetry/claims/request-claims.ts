import { hash } from 'node:crypto';
import type { Principal } from '../../../common/access/principal.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import { yieldFairly } from '../../../common/yield-fairly.js';
import { EVENT_KIND } from '../../ingest/event-codes.js';
import type { IntakeAgent } from '../../ingest/intake/intake-agents.js';
import { dayOf, type EventRow } from '../../ingest/usage-event.js';
import { contentOf } from '../content.js';
import { hashUuid, type TelemetryRecord } from '../fact-events.js';
import type { LogRecord, SumPoint } from '../otlp/records.js';
import { CLAIM_READERS, type ClaimReader } from './claim-readers.js';
import { type ClaimPart, type CounterPoint, noPart, noteNumber, notePoint } from './claim-state.js';
import type { ClaimKey } from './claims.repository.js';

const NUMBERS_AT_A_STRETCH = 500;
/** Sessions and days of one request; further ones are not compared. */
const MAX_ADDITIONS = 1_000;

/** What a record says about what was sent. */
export interface RecordClaim {
  readonly agent: IntakeAgent;
  readonly unit: ClaimReader['unit'];
  readonly group: string;
  readonly timeMs: number;
  readonly number: number | null;
  readonly point: SumPoint | null;
  isRefused: boolean;
}

/** The times of which claims are kept; those of a record without one count now. */
export interface ClaimWindow {
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
}

export interface ClaimAddition {
  readonly claim: ClaimKey;
  readonly part: ClaimPart;
}

/** The claims of one request, by session and day. */
export class RequestClaims {
  private readonly records: RecordClaim[] = [];
  private additions = new Map<string, ClaimAddition>();

  constructor(
    private readonly caller: Principal,
    private readonly window: ClaimWindow,
  ) {}

  read(agent: IntakeAgent, record: TelemetryRecord): RecordClaim | null {
    const reader = CLAIM_READERS.get(agent);
    if (!reader || 'spanId' in record) return null;
    const point = 'temporality' in record && isClaim(reader, record) ? record : null;
    if ('temporality' in record && !point) return null;
    const group = reader.groupOf(record, this.caller);
    const timeMs = record.timeMs ?? this.window.nowMs;
    if (group === null || timeMs < this.window.fromMs || timeMs > this.window.toMs) return null;
    const number = point ? null : reader.numberOf(record as LogRecord);
    const claim = { agent, unit: reader.unit, group, timeMs, number, point, isRefused: false };
    if (number !== null || point) this.records.push(claim);
    return claim;
  }

  /** An event of the record was stored and had not been before. */
  addArrived(claim: RecordClaim, row: EventRow): void {
    if (row.kind !== EVENT_KIND.model_call) return;
    const amount = claim.unit === 'tokens' ? (row.inputTokens ?? 0) + (row.outputTokens ?? 0) : 1;
    const part = this.partOf(claim, dayOf(row));
    if (part) part.arrived += amount;
  }

  /** When all events are stored: a request that fails is sent again. */
  async noteAccepted(): Promise<void> {
    let day = UtcDay.of(new Date(this.window.nowMs));
    let [last, part]: [RecordClaim | null, ClaimPart | null] = [null, null];
    for (const [place, claim] of this.records.entries()) {
      if (place % NUMBERS_AT_A_STRETCH === NUMBERS_AT_A_STRETCH - 1) await yieldFairly();
      const isSameDay = day.has(claim.timeMs);
      if (!isSameDay) day = UtcDay.of(new Date(claim.timeMs));
      // Most records are of the session of the one before.
      if (!isSameDay || claim.group !== last?.group || claim.agent !== last.agent) part = this.partOf(claim, `${day}`);
      last = claim;
      if (!part || claim.isRefused) continue;
      if (claim.number !== null) noteNumber(part, claim.number, claim.timeMs);
      if (claim.point) notePoint(part, toCounterPoint(claim.point, day));
    }
  }

  take(): ClaimAddition[] {
    const taken = [...this.additions.values()];
    this.additions = new Map();
    return taken;
  }

  private partOf({ agent, group }: Pick<RecordClaim, 'agent' | 'group'>, day: string): ClaimPart | null {
    const name = `${day}\n${agent}\n${group}`;
    const known = this.additions.get(name);
    if (known) return known.part;
    if (this.additions.size >= MAX_ADDITIONS) return null;
    const key = hashUuid(`${agent}\n${group}`);
    const addition = { claim: { day, agent, userId: this.caller.userId, key }, part: noPart() };
    this.additions.set(name, addition);
    return addition.part;
  }
}

function isClaim(reader: ClaimReader, point: SumPoint): boolean {
  return point.temporality !== 'unspecified' && reader.claimedBy(point) !== null;
}

function toCounterPoint(point: SumPoint, day: UtcDay): CounterPoint {
  const { name, attributes, startTimeNano, timeNano, value } = point;
  const isDelta = point.temporality === 'delta';
  const identity = { name, attributes, startTimeNano, timeNano: isDelta ? timeNano : '' };
  const id = hash('sha256', contentOf(identity), 'base64url').slice(0, 10);
  const startMs = Math.floor(Number(startTimeNano) / 1e6);
  return { id, value, isDelta, isOfToday: startMs >= day.startsAt().getTime() };
}
