import { groupedBy } from '../../common/grouped-by.js';
import type { IntakeAgent } from '../ingest/intake/intake-agents.js';
import type { Intake } from '../ingest/ingest.service.js';
import { cleanName } from '../ingest/usage-names.js';
import { text } from './adapters/attributes.js';
import type { RecordClaim, RequestClaims } from './claims/request-claims.js';
import type { FactEvent, TelemetryRecord } from './fact-events.js';
import type { SeenSource } from './sources/sources.repository.js';

const MAX_VERSION = 50;
const MAX_REASON = 300;

/** Who sent a record, and what it claims. */
export interface Arrival {
  readonly source: SeenSource;
  readonly claim: RecordClaim | null;
}

export interface ArrivingEvent {
  readonly event: FactEvent;
  /** What the agent says it cost, in pico-dollars. */
  readonly reportedCost: number | null;
  readonly arrival: Arrival;
}

export function byAgent(events: readonly ArrivingEvent[]): Map<IntakeAgent, ArrivingEvent[]> {
  return groupedBy(events, ({ arrival }) => arrival.source.agent);
}

/** What becomes of the records of one request, by source. */
export class RequestArrivals {
  readonly sources = new Map<string, SeenSource>();

  constructor(
    readonly claims: RequestClaims,
    private readonly now: Date,
  ) {}

  /** `userId`: for whom the record counts. An ignored record is numbered like the others. */
  arrive(record: TelemetryRecord, agent: IntakeAgent, userId: string, isIgnored: boolean): Arrival {
    const source = this.sourceOf(userId, agent, versionOf(record));
    if (isIgnored) source.ignored++;
    return { source, claim: this.claims.read(agent, record) };
  }

  /** Of events that are sent to ingest together, in their order. */
  watch(agent: IntakeAgent, events: readonly ArrivingEvent[]): Intake {
    const arrivals = new Map(events.map(({ event, arrival }) => [event.id as string, arrival]));
    return {
      agent,
      added: (rows) => {
        for (const row of rows) {
          const arrival = arrivals.get(row.id);
          if (arrival) arrival.source.counted++;
          if (arrival?.claim) this.claims.addArrived(arrival.claim, row);
        }
      },
      rejected: (index, error) => {
        const arrival = events[index]?.arrival;
        if (!arrival) return;
        arrival.source.refused++;
        arrival.source.refusal = error.slice(0, MAX_REASON);
        if (arrival.claim) arrival.claim.isRefused = true;
      },
    };
  }

  private sourceOf(userId: string, agent: IntakeAgent, version: string): SeenSource {
    const key = `${userId} ${agent} ${version}`;
    let source = this.sources.get(key);
    if (!source) {
      const times = { firstSeenAt: this.now, seenAt: this.now };
      source = { userId, agent, version, ...times, counted: 0, ignored: 0, refused: 0, refusal: null };
      this.sources.set(key, source);
    }
    return source;
  }
}

/** What is no version may be anything, so it is not kept. */
function versionOf({ resource, attributes }: TelemetryRecord): string {
  const sent = cleanName(text(resource, 'service.version') || text(attributes, 'app.version'));
  return sent.length <= MAX_VERSION && /^[\w.+-]*$/.test(sent) ? sent : '';
}
