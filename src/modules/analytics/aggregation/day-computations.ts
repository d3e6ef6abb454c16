import { Injectable, Logger } from '@nestjs/common';
import { UnavailableError } from '../../../common/errors/domain-error.js';
import { Clock } from '../../../common/time/clock.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import { AggregationClaimsRepository } from './aggregation-claims.repository.js';
import { isCollision } from './claimed-work.js';
import { type Rebuilt, DayRebuildRepository } from './day-rebuild.repository.js';

/** Computes days of organizations that the caller has claimed, and records attempts and failures. */
@Injectable()
export class DayComputations {
  private readonly logger = new Logger('Aggregation');

  constructor(
    private readonly claims: AggregationClaimsRepository,
    private readonly rebuilds: DayRebuildRepository,
    private readonly clock: Clock,
  ) {}

  get isStopping(): boolean {
    return this.rebuilds.isStopping;
  }

  /** The last closed day. */
  lastDay(): UtcDay {
    return UtcDay.of(this.clock.now()).plus(-1);
  }

  async rebuild(orgIds: string[], day: UtcDay, { onlyDirty }: { onlyDirty: boolean }): Promise<Rebuilt> {
    const rebuilt = await this.rebuilds.rebuildDay({ orgIds, onlyDirty }, day, this.lastDay(), this.clock.now());
    for (const orgId of rebuilt.recovered) this.logger.log(`${day} of ${orgId} could be computed again`);
    return rebuilt;
  }

  /** Computes a day where it is dirty. Counts as failed from the start, in case it ends the process. */
  async attempt(orgIds: string[], day: UtcDay): Promise<Rebuilt> {
    await this.claims.recordAttempt(orgIds, day, this.clock.now());
    try {
      const rebuilt = await this.rebuild(orgIds, day, { onlyDirty: true });
      if (rebuilt.computed < orgIds.length) await this.claims.revertAttempt(orgIds, day);
      return rebuilt;
    } catch (error) {
      if (this.isStopping || isCollision(error)) await this.claims.revertAttempt(orgIds, day);
      throw error;
    }
  }

  /** Logs once, and again when the reason changes. */
  async recordFailure(orgId: string, day: UtcDay, error: unknown): Promise<void> {
    const { isNew } = await this.claims.recordFailure(orgId, day, String(error), this.clock.now());
    if (isNew) this.logger.error(`${day} of ${orgId} could not be computed and is tried again: ${String(error)}`);
  }

  /** The error for readers of a day that has failed and is not retried yet; null when it may be computed. */
  async findBackoff(orgId: string, day: UtcDay): Promise<UnavailableError | null> {
    const retryAt = await this.claims.findRetry(orgId, day, this.clock.now());
    return retryAt && this.unavailable(day, retryAt);
  }

  unavailable(day: UtcDay, retryAt: Date = this.clock.now()): UnavailableError {
    const pauseMs = retryAt.getTime() - this.clock.now().getTime();
    return new UnavailableError(
      `The figures of ${day} cannot be computed at the moment; it is tried again within a minute. Ranges without it are not affected.`,
      { retryAfterSeconds: Math.max(Math.ceil(pauseMs / 1000), 1) },
    );
  }

  fillQuietDays(orgId: string, from: UtcDay): Promise<void> {
    return this.rebuilds.fillQuietDays([orgId], from, this.lastDay(), this.clock.now());
  }
}
