import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { UnavailableError } from '../../common/errors/domain-error.js';
import { FairSemaphore } from '../../common/fair-semaphore.js';
import { SharedReads } from '../../common/shared-reads.js';
import { Clock } from '../../common/time/clock.js';
import { UtcDay } from '../../common/time/utc-day.js';
import { AggregationService } from './aggregation/aggregation.service.js';
import type { AnalyticsRange } from './analytics-range.js';
import { AnalyticsRepository, type RangeState } from './analytics.repository.js';

const MAX_KNOWN = 5_000;
const MAX_AGE_MS = 60_000;
const MONTH_DAYS = 30;
/** Tolerated difference between the clocks of replicas. */
const CLOCK_TOLERANCE_MS = 10_000;
/** Days computed for a waiting reader share the bulk connections with ingest and the nightly run. */
const MAX_COMPUTING = 2;
const MAX_WAIT_MS = 20_000;

/** A cached state is valid only while the organization's last change, read from the database each time, is the same. */
@Injectable()
export class RangeStates {
  private readonly reads = new SharedReads<RangeState>();
  private readonly computing = new FairSemaphore({
    size: MAX_COMPUTING,
    perCaller: 1,
    refuse: () => new UnavailableError('Days are being computed for others. Try again shortly.'),
  });
  private readonly known = new LRUCache<string, RangeState>({ max: MAX_KNOWN, ttl: MAX_AGE_MS });

  constructor(
    private readonly days: AnalyticsRepository,
    private readonly aggregation: AggregationService,
    private readonly clock: Clock,
  ) {}

  /** Computes missing days first. `hasActives`: also the earlier days that count in weekly and monthly users. */
  find(orgId: string, range: AnalyticsRange, { hasActives }: { hasActives: boolean }): Promise<RangeState> {
    const key = `${orgId} ${range.start} ${range.end} ${hasActives}`;
    return this.reads.read(key, () => this.read(key, orgId, range, hasActives));
  }

  private async read(key: string, orgId: string, range: AnalyticsRange, hasActives: boolean): Promise<RangeState> {
    const known = this.known.get(key);
    if (known && (await this.days.isUnchanged(orgId, range, known.lastChange))) return known;
    const state = await this.compute(orgId, range, hasActives);
    this.known.set(key, state);
    return state;
  }

  private async compute(orgId: string, range: AnalyticsRange, hasActives: boolean): Promise<RangeState> {
    const state = await this.days.findState(orgId, range);
    const isBehind = hasActives && state.lastRow !== null && state.lastRow < range.end.toString();
    if (range.isEmpty || (!state.hasDirtyDays && !isBehind)) return state;
    const uncomputed = state.hasDirtyDays ? await this.listUncomputed(orgId, range, hasActives) : [];
    if (uncomputed.length === 0 && !isBehind) return state;
    await this.computing.run(orgId, MAX_WAIT_MS, async () => {
      await this.aggregation.ensureComputed(
        orgId,
        uncomputed.flatMap((day) => UtcDay.tryParse(day) ?? []),
      );
      const last = UtcDay.tryParse(state.lastRow ?? '');
      if (isBehind && last) await this.aggregation.ensureFilled(orgId, last.next());
    });
    return this.days.findState(orgId, range);
  }

  private listUncomputed(orgId: string, { start, end }: AnalyticsRange, hasActives: boolean): Promise<string[]> {
    const from = hasActives ? start.plus(1 - MONTH_DAYS) : start;
    const now = new Date(this.clock.now().getTime() + CLOCK_TOLERANCE_MS);
    return this.days.listUncomputed(orgId, from, end, now);
  }
}
