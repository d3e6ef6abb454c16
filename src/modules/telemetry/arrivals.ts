import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { Clock } from '../../common/time/clock.js';
import { EventPartitions } from '../ingest/event-partitions.js';
import { IntakeCounts } from '../ingest/intake/intake-counts.js';
import { Claims } from './claims/claims.js';
import { RequestClaims } from './claims/request-claims.js';
import { RequestArrivals } from './request-arrivals.js';
import { SourceCounts } from './sources/source-counts.js';

/** As for events. */
const MAX_AHEAD_MS = 5 * 60_000;

/** Keeps beside the events who sent them, what was ignored and refused, and how much the agents claim to have sent. */
@Injectable()
export class Arrivals {
  constructor(
    private readonly sources: SourceCounts,
    private readonly claims: Claims,
    private readonly counts: IntakeCounts,
    private readonly partitions: EventPartitions,
    private readonly clock: Clock,
  ) {}

  begin(caller: Principal): RequestArrivals {
    const now = this.clock.now();
    const nowMs = now.getTime();
    const fromMs = this.partitions.firstOpenDay().startsAt().getTime();
    return new RequestArrivals(new RequestClaims(caller, { fromMs, toMs: nowMs + MAX_AHEAD_MS, nowMs }), now);
  }

  /** `isComplete`: all of the request is stored. Else it is sent again, and only what was stored is kept. */
  async end({ orgId }: Principal, arrivals: RequestArrivals, isComplete: boolean): Promise<void> {
    if (isComplete) await arrivals.claims.noteAccepted();
    for (const { claim, part } of arrivals.claims.take()) await this.claims.add(orgId, claim, part);
    for (const source of arrivals.sources.values()) {
      if (isComplete) this.counts.addIgnored(orgId, source.agent, source.ignored);
      this.sources.add(orgId, isComplete ? source : { ...source, ignored: 0, refused: 0, refusal: null });
    }
  }
}
