import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Injectable, Logger } from '@nestjs/common';
import { isConnectionFailure } from '../../../common/errors/database-errors.js';
import { Clock } from '../../../common/time/clock.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import { AggregationClaimsRepository } from './aggregation-claims.repository.js';
import { ClaimedWork, isCollision } from './claimed-work.js';
import { DayComputations } from './day-computations.js';
import { takeShare } from './day-share.js';

/** Database sessions are CPU-bound: more than one per core would only slow each other down. */
const WORKERS = Math.min(availableParallelism(), 4);

@Injectable()
export class AggregationPass {
  private readonly logger = new Logger('Aggregation');
  private filledUntil: string | null = null;

  constructor(
    private readonly claims: AggregationClaimsRepository,
    private readonly claimedWork: ClaimedWork,
    private readonly days: DayComputations,
    private readonly clock: Clock,
  ) {}

  /** Returns the number of (organization, day) pairs that were computed. */
  async run(): Promise<number> {
    const sharesTaken = new Map<string, number>();
    const counts = await Promise.all(Array.from({ length: WORKERS }, () => this.runWorker(sharesTaken)));
    await this.fillQuietDays();
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** `sharesTaken`: by day; a session after the last share takes everything that is left. */
  private async runWorker(sharesTaken: Map<string, number>): Promise<number> {
    for (let done = 0; ;) {
      const now = this.clock.now();
      const due = await this.claims.listOldestDue(UtcDay.of(now), now);
      const day = UtcDay.tryParse(due[0]?.day ?? '');
      if (!day) return done;
      const taken = sharesTaken.get(day.toString()) ?? 0;
      const share = takeShare(due, Math.max(WORKERS - taken, 1)).map(({ orgId }) => orgId);
      const holder = randomUUID();
      const orgIds = await this.claims.claim(share, holder, now);
      if (orgIds.length === 0) continue; // claimed by others meanwhile
      sharesTaken.set(day.toString(), taken + 1);
      const computed = await this.rebuildClaimed(orgIds, day, holder);
      if (computed === null) return done;
      done += computed;
    }
  }

  /** The number of organizations computed, or null while stopping. A failed day is paused and does not hold up later days. */
  private async rebuildClaimed(orgIds: string[], day: UtcDay, holder: string): Promise<number | null> {
    try {
      const startedMs = performance.now();
      const { computed } = await this.claimedWork.extendWhile(holder, () => this.days.attempt(orgIds, day));
      await this.claims.release(holder);
      const elapsedMs = Math.round(performance.now() - startedMs);
      this.logger.log(`Computed ${day} of ${computed} organizations in ${elapsedMs} ms`);
      return computed;
    } catch (error) {
      if (this.days.isStopping) {
        await this.claims.release(holder);
        return null;
      }
      if (isCollision(error)) {
        await this.claims.release(holder);
        return 0;
      }
      if (orgIds.length > 1) return this.rebuildOneByOne(orgIds, day, holder);
      for (const orgId of orgIds) await this.days.recordFailure(orgId, day, error);
      await this.claims.release(holder);
      return 0;
    }
  }

  /** After a failure of several, so that the one at fault does not hold up the others. */
  private async rebuildOneByOne(orgIds: string[], day: UtcDay, holder: string): Promise<number> {
    await this.claims.release(holder);
    let done = 0;
    for (const orgId of orgIds) {
      const ownHolder = randomUUID();
      const claimed = await this.claims.claim([orgId], ownHolder, this.clock.now());
      if (claimed.length > 0) done += (await this.rebuildClaimed(claimed, day, ownHolder)) ?? 0;
    }
    return done;
  }

  private async fillQuietDays(): Promise<void> {
    const lastDay = this.days.lastDay();
    if (this.filledUntil === lastDay.toString()) return;
    let isComplete = true;
    for (const { orgId, from } of await this.claims.listMissingRows(lastDay)) {
      if (!(await this.tryFill(orgId, UtcDay.tryParse(from) ?? lastDay))) isComplete = false;
    }
    if (isComplete) this.filledUntil = lastDay.toString();
  }

  private async tryFill(orgId: string, from: UtcDay): Promise<boolean> {
    try {
      const filled = await this.claimedWork.runIfFree([orgId], () => this.days.fillQuietDays(orgId, from));
      return filled.length > 0;
    } catch (error) {
      if (isConnectionFailure(error) || this.days.isStopping) throw error;
      if (!isCollision(error)) {
        this.logger.warn(`Days of ${orgId} from ${from} on have no rows yet: ${String(error)}`);
      }
      return false;
    }
  }
}
