import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DomainError, UnavailableError } from '../../../common/errors/domain-error.js';
import { Clock } from '../../../common/time/clock.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import { AggregationClaimsRepository } from './aggregation-claims.repository.js';
import { AggregationPass } from './aggregation-pass.js';
import { ClaimedWork } from './claimed-work.js';
import { DayComputations } from './day-computations.js';
import { FactsService } from './facts/facts.service.js';
import { TodayFactsRepository, type TodayTool } from './facts/today-facts.repository.js';
import type { TodayFacts } from './facts/today-rows.js';
import { SupersededVersions } from './superseded-versions.js';

/** A response that is being streamed still reads the version with which it began. */
const KEEP_SUPERSEDED_MS = 10 * 60_000;
const READER_WAIT_MS = 20_000;
/** Longer than the lease of a replica that died. */
const OPERATOR_WAIT_MS = 15 * 60_000;
const POLL_MS = 200;
const PROGRESS_MS = 500;
/** Give up when no day was finished for several leases, and several attempts at a day that fails. */
const GIVE_UP_MS = 3 * 60_000;

/** Keeps the figures of closed days equal to a recount of their events. Any number of replicas share the work. */
@Injectable()
export class AggregationService implements OnApplicationShutdown {
  private running: Promise<number> | null = null;

  constructor(
    private readonly claims: AggregationClaimsRepository,
    private readonly pass: AggregationPass,
    private readonly claimedWork: ClaimedWork,
    private readonly days: DayComputations,
    private readonly facts: FactsService,
    private readonly today: TodayFactsRepository,
    private readonly superseded: SupersededVersions,
    private readonly clock: Clock,
  ) {}

  /** An interrupted pass releases its claims before the database is closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.running?.catch(() => undefined);
  }

  /** Computes everything that is due; returns the number of (organization, day) pairs. Concurrent calls share one pass. */
  runDue(): Promise<number> {
    this.running ??= this.pass.run().finally(() => (this.running = null));
    return this.running;
  }

  /** Waits until every closed day of an organization is computed, by this replica or another; reports the days left. */
  async finishDue(orgId: string, onLeft: (days: number) => void): Promise<void> {
    for (let fewest = Infinity, sinceMs = performance.now(); ;) {
      const left = await this.claims.countDueDays(orgId, UtcDay.of(this.clock.now()));
      onLeft(left);
      if (left === 0) break;
      await this.claims.endPauses(orgId);
      if (left < fewest) [fewest, sinceMs] = [left, performance.now()];
      else if (performance.now() - sinceMs > GIVE_UP_MS) {
        throw new UnavailableError(`${left} days could not be computed; the log of the service says why.`);
      }
      await Promise.race([this.runDue(), delay(PROGRESS_MS)]);
      await delay(POLL_MS); // a pass skips what other replicas have claimed
    }
    await this.runDue(); // fills days without events
  }

  async tidy(): Promise<void> {
    const now = this.clock.now();
    await this.claims.mergeDirtyMarks(UtcDay.of(now), now);
    await this.superseded.deleteBefore(new Date(now.getTime() - KEEP_SUPERSEDED_MS));
  }

  /** Computes a day of some organizations, dirty or not; false when its events are gone and the figures are final. */
  async rebuild(orgIds: string[], day: UtcDay): Promise<boolean> {
    if ((await this.claims.listFrozenDays(day, day)).size > 0) return false;
    await this.claimedWork.runWhenFree(orgIds, OPERATOR_WAIT_MS, `${day} is`, (claimed) =>
      this.days.rebuild(claimed, day, { onlyDirty: false }),
    );
    return true;
  }

  /** Computes these days for a reader, unless another replica did so meanwhile; the error names the day that fails. */
  async ensureComputed(orgId: string, days: UtcDay[]): Promise<void> {
    for (const day of days) {
      const backoff = await this.days.findBackoff(orgId, day);
      if (backoff) throw backoff;
      try {
        await this.claimedWork.runWhenFree([orgId], READER_WAIT_MS, `${day} is`, (claimed) =>
          this.days.attempt(claimed, day),
        );
      } catch (error) {
        if (error instanceof DomainError || this.days.isStopping) throw error;
        await this.days.recordFailure(orgId, day, error);
        throw (await this.days.findBackoff(orgId, day)) ?? this.days.unavailable(day);
      }
    }
  }

  /** Makes facts that a range does not have yet; when these are many, the error says how many and when to ask again. */
  ensureFacts(orgId: string, range: { start: UtcDay; end: UtcDay }): Promise<void> {
    return this.facts.ensure(orgId, range);
  }

  /** Works for about this long on facts that days do not have yet; returns how many organization days got some. */
  addMissingFacts(budgetMs: number): Promise<number> {
    return this.facts.addMissing(budgetMs);
  }

  /** The running day as far as its events have been acknowledged; computed for each call, so share it. */
  readToday(orgId: string): Promise<TodayFacts> {
    return this.today.read(orgId, UtcDay.of(this.clock.now()));
  }

  /** What each user did with tools on the running day. */
  listToolsOfToday(orgId: string): Promise<TodayTool[]> {
    return this.today.listTools(orgId, UtcDay.of(this.clock.now()));
  }

  /** Adds rows for days without events, which have weekly and monthly users too. */
  async ensureFilled(orgId: string, from: UtcDay): Promise<void> {
    await this.claimedWork.runWhenFree([orgId], READER_WAIT_MS, `Days from ${from} on are`, () =>
      this.days.fillQuietDays(orgId, from),
    );
  }

  /** Runs `work`, which may be repeated, while no replica computes days of the organization. */
  whileNothingIsComputed(orgId: string, work: () => Promise<void>): Promise<void> {
    return this.claimedWork.runWhenFree([orgId], READER_WAIT_MS, 'Days are', work);
  }
}
