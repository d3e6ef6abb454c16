import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { forEachIndependently } from '../../../common/for-each-independently.js';
import {
  isConnectionFailure,
  isTransient,
  isUndefinedTable,
  isUniqueViolation,
} from '../../../common/errors/database-errors.js';
import { DomainError, UnavailableError } from '../../../common/errors/domain-error.js';
import { Clock } from '../../../common/time/clock.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import { AggregationClaimsRepository, type DirtyDay } from './aggregation-claims.repository.js';
import { LEASE_MS } from './pauses.js';
import { type Rebuilt, RollupsRepository, type SupersededDay } from './rollups.repository.js';

/** One CPU-bound session per core; more would only slow each other down. */
const SESSIONS = Math.min(availableParallelism(), 4);
/** A share of a day that is not worth a scan of its own. */
const MIN_SHARE_EVENTS = 100_000;
const MAX_ORGS_AT_ONCE = 2_000;
const MAX_SHARE_EVENTS = 6_000_000;
/** For how long a version is kept after a newer one: a stream ends as it began. */
const KEEP_SUPERSEDED_MS = 10 * 60_000;
const DELETE_DAYS_AT_ONCE = 200;
/** How long a reader waits for whoever computes the day, and an operator, who has time even for a holder that died. */
const READER_WAIT_MS = 20_000;
const OPERATOR_WAIT_MS = 15 * 60_000;
const POLL_MS = 200;
const SHOW_MS = 500;
/** Give up when no day was finished for this long: several leases, and several attempts at a day that fails. */
const GIVE_UP_MS = 3 * 60_000;

/** Keeps the figures of closed days equal to a recount of their events. Any number of replicas share the work. */
@Injectable()
export class AggregationService implements OnApplicationShutdown {
  private readonly logger = new Logger('Aggregation');
  private running: Promise<number> | null = null;
  private filledUntil: string | null = null;

  constructor(
    private readonly claims: AggregationClaimsRepository,
    private readonly rollups: RollupsRepository,
    private readonly clock: Clock,
  ) {}

  /** What was interrupted gives its claims back before the database is closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.running?.catch(() => undefined);
  }

  /** Computes everything that is due, oldest day first; returns how many (organization, day) pairs that were. */
  runDue(): Promise<number> {
    // A pass that is asked for while one runs is that one: it goes on until nothing is due.
    this.running ??= this.runSessions().finally(() => (this.running = null));
    return this.running;
  }

  /** Computes what is due until every closed day of an organization is done, whoever else is at it; `onLeft` is told. */
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
      await Promise.race([this.runDue(), delay(SHOW_MS)]);
      await delay(POLL_MS); // what others are at, a pass leaves to them
    }
    await this.runDue(); // also gives days without events their rows
  }

  /** Deletes what is no longer served and merges marks: small things that need no claim. */
  async tidy(): Promise<void> {
    const now = this.clock.now();
    await this.claims.mergeMarks(UtcDay.of(now), now);
    await this.deleteSuperseded(new Date(now.getTime() - KEEP_SUPERSEDED_MS));
  }

  private async deleteSuperseded(before: Date): Promise<void> {
    for (let deleted = -1; deleted !== 0 && !this.rollups.isStopping;) {
      const days = await this.rollups.listSuperseded(before, DELETE_DAYS_AT_ONCE);
      deleted = days.length === 0 ? 0 : await this.deleteVersions(days);
    }
  }

  /** After a failure of several, one by one: the one that cannot be deleted must not keep the others. */
  private async deleteVersions(days: SupersededDay[]): Promise<number> {
    try {
      return await this.rollups.deleteVersions(days);
    } catch (error) {
      this.logger.warn(`Old versions could not be deleted together: ${String(error)}`);
      await forEachIndependently(
        days,
        (day) => this.rollups.deleteVersions([day]),
        ({ orgId, day }, failure) => this.logger.error(`Old versions of ${day} of ${orgId}: ${String(failure)}`),
      );
      return days.length;
    }
  }

  /** Computes a day of some organizations, due or not; days whose events are gone stay as they are. */
  async rebuild(orgIds: string[], day: UtcDay): Promise<boolean> {
    if ((await this.claims.listFrozenDays(day, day)).size > 0) return false;
    await this.withClaim(orgIds, OPERATOR_WAIT_MS, `${day} is`, (claimed) =>
      this.rebuildDay(claimed, day, { isMarked: false }),
    );
    return true;
  }

  /**
   * Computes these days of an organization before anybody is told about them, unless somebody else did so meanwhile. Says
   * which day it is when one cannot be computed.
   */
  async ensureComputed(orgId: string, days: UtcDay[]): Promise<void> {
    for (const day of days) {
      const retryAt = await this.claims.findRetry(orgId, day, this.clock.now());
      if (retryAt) throw this.notComputable(day, retryAt);
      try {
        await this.withClaim([orgId], READER_WAIT_MS, `${day} is`, (claimed) => this.attempt(claimed, day));
      } catch (error) {
        if (error instanceof DomainError || this.rollups.isStopping) throw error;
        await this.noteFailure(orgId, day, error);
        throw this.notComputable(day, await this.claims.findRetry(orgId, day, this.clock.now()));
      }
    }
  }

  /** Days on which nothing happened have weekly and monthly users too. */
  async ensureFilled(orgId: string, from: UtcDay): Promise<void> {
    await this.withClaim([orgId], READER_WAIT_MS, `Days from ${from} on are`, () => this.fill(orgId, from));
  }

  /** Runs `work`, which may be repeated, while nobody computes days of the organization. */
  whileNothingIsComputed(orgId: string, work: () => Promise<void>): Promise<void> {
    return this.withClaim([orgId], READER_WAIT_MS, 'Days are', work);
  }

  private async rebuildDay(orgIds: string[], day: UtcDay, { isMarked }: { isMarked: boolean }): Promise<Rebuilt> {
    const rebuilt = await this.rollups.rebuildDay({ orgIds, isMarked }, day, this.lastDay(), this.clock.now());
    for (const orgId of rebuilt.recovered) this.logger.log(`${day} of ${orgId} could be computed again`);
    return rebuilt;
  }

  /** Computes what is marked. Until that is over, it counts as failed. */
  private async attempt(orgIds: string[], day: UtcDay): Promise<Rebuilt> {
    await this.claims.noteAttempt(orgIds, day, this.clock.now());
    try {
      const rebuilt = await this.rebuildDay(orgIds, day, { isMarked: true });
      if (rebuilt.computed < orgIds.length) await this.claims.forgetAttempt(orgIds, day);
      return rebuilt;
    } catch (error) {
      if (this.rollups.isStopping || isCollision(error)) await this.claims.forgetAttempt(orgIds, day);
      throw error;
    }
  }

  private notComputable(day: UtcDay, retryAt: Date | null): UnavailableError {
    const pauseMs = (retryAt ?? this.clock.now()).getTime() - this.clock.now().getTime();
    return new UnavailableError(
      `The figures of ${day} cannot be computed at the moment; it is tried again within a minute. Ranges without it are not affected.`,
      { retryAfterSeconds: Math.max(Math.ceil(pauseMs / 1000), 1) },
    );
  }

  /** Told once, and again when the reason changes. */
  private async noteFailure(orgId: string, day: UtcDay, error: unknown): Promise<void> {
    const { isNew } = await this.claims.noteFailure(orgId, day, String(error), this.clock.now());
    if (isNew) this.logger.error(`${day} of ${orgId} could not be computed and is tried again: ${String(error)}`);
  }

  private lastDay(): UtcDay {
    return UtcDay.of(this.clock.now()).plus(-1);
  }

  private async runSessions(): Promise<number> {
    const shares = new Map<string, number>();
    const counts = await Promise.all(Array.from({ length: SESSIONS }, () => this.runSession(shares)));
    await this.fillQuietDays();
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** `shares` counts how often a share of each day was taken here: those who come later take all that is left. */
  private async runSession(shares: Map<string, number>): Promise<number> {
    for (let done = 0; ;) {
      const now = this.clock.now();
      const due = await this.claims.listOldestDue(UtcDay.of(now), now);
      const day = UtcDay.tryParse(due[0]?.day ?? '');
      if (!day) return done;
      const taken = shares.get(day.toString()) ?? 0;
      const share = takeShare(due, Math.max(SESSIONS - taken, 1));
      const holder = randomUUID();
      const orgIds = await this.claims.claim(
        share.map(({ orgId }) => orgId),
        holder,
        now,
      );
      if (orgIds.length === 0) continue; // others were faster; what is left is looked at again
      shares.set(day.toString(), taken + 1);
      const computed = await this.rebuildClaimed(orgIds, day, holder);
      if (computed === null) return done;
      done += computed;
    }
  }

  /** How many were computed; null when nothing can be at the moment. What fails is paused, and later days go on. */
  private async rebuildClaimed(orgIds: string[], day: UtcDay, holder: string): Promise<number | null> {
    try {
      const startedMs = performance.now();
      const { computed } = await this.whileExtending(holder, () => this.attempt(orgIds, day));
      await this.claims.release(holder);
      const elapsedMs = Math.round(performance.now() - startedMs);
      this.logger.log(`Computed ${day} of ${computed} organizations in ${elapsedMs} ms`);
      return computed;
    } catch (error) {
      if (this.rollups.isStopping) {
        await this.claims.release(holder);
        return null;
      }
      if (isCollision(error)) {
        await this.claims.release(holder);
        return 0;
      }
      if (orgIds.length > 1) return this.rebuildOneByOne(orgIds, day, holder);
      for (const orgId of orgIds) await this.noteFailure(orgId, day, error);
      await this.claims.release(holder);
      return 0;
    }
  }

  /** After a failure of several: the one that cannot be computed must not hold up the others. */
  private async rebuildOneByOne(orgIds: string[], day: UtcDay, holder: string): Promise<number> {
    await this.claims.release(holder);
    let done = 0;
    for (const orgId of orgIds) {
      const now = this.clock.now();
      const ownHolder = randomUUID();
      const claimed = await this.claims.claim([orgId], ownHolder, now);
      if (claimed.length > 0) done += (await this.rebuildClaimed(claimed, day, ownHolder)) ?? 0;
    }
    return done;
  }

  private async fillQuietDays(): Promise<void> {
    const lastDay = this.lastDay();
    if (this.filledUntil === lastDay.toString()) return;
    let isComplete = true;
    for (const { orgId, from } of await this.claims.listBehind(lastDay)) {
      try {
        const filled = await this.withFree([orgId], () => this.fill(orgId, UtcDay.tryParse(from) ?? lastDay));
        if (filled.length === 0) isComplete = false;
      } catch (error) {
        if (isConnectionFailure(error) || this.rollups.isStopping) throw error;
        isComplete = false;
        if (!isCollision(error))
          this.logger.warn(`Days of ${orgId} from ${from} on have no rows yet: ${String(error)}`);
      }
    }
    if (isComplete) this.filledUntil = lastDay.toString();
  }

  private fill(orgId: string, from: UtcDay): Promise<void> {
    return this.rollups.fillQuietDays([orgId], from, this.lastDay(), this.clock.now());
  }

  /** Runs `work` on these organizations once each of them is free; `days` says what is waited for. */
  private async withClaim(
    orgIds: string[],
    waitMs: number,
    days: string,
    work: (orgIds: string[]) => Promise<unknown>,
  ): Promise<void> {
    const deadlineMs = this.clock.now().getTime() + waitMs;
    for (let waiting = orgIds; ;) {
      try {
        const done = await this.withFree(waiting, work);
        waiting = waiting.filter((orgId) => !done.includes(orgId));
      } catch (error) {
        if (!isCollision(error) && !isUndefinedTable(error)) throw error; // dropped meanwhile
      }
      if (waiting.length === 0) return;
      if (this.clock.now().getTime() > deadlineMs) {
        throw new UnavailableError(`${days} being computed by somebody else. Try again shortly.`);
      }
      await delay(POLL_MS);
    }
  }

  /** Runs `work` on those of these organizations that are free; returns them. */
  private async withFree(orgIds: string[], work: (orgIds: string[]) => Promise<unknown>): Promise<string[]> {
    const now = this.clock.now();
    const holder = randomUUID();
    const claimed = await this.claims.claim(orgIds, holder, now);
    if (claimed.length === 0) return [];
    try {
      await this.whileExtending(holder, () => work(claimed));
      return claimed;
    } finally {
      await this.claims.release(holder);
    }
  }

  private async whileExtending<T>(holder: string, work: () => Promise<T>): Promise<T> {
    const timer = setInterval(() => {
      this.claims.extend(holder, this.clock.now()).catch(() => undefined); // the lease is long enough for some misses
    }, LEASE_MS / 4);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }
}

/** Somebody else computed the same at the same time; their transaction won, and marks tell what is left to do. */
function isCollision(error: unknown): boolean {
  return isTransient(error) || isUniqueViolation(error);
}

/**
 * What one session takes on: its part of what is left of the day, so that all sessions end at about the same time. Who has
 * failed is taken alone.
 */
function takeShare(all: DirtyDay[], parts: number): DirtyDay[] {
  if (all[0] && all[0].failures > 0) return [all[0]];
  const due = all.filter(({ failures }) => failures === 0);
  const total = due.reduce((sum, { events }) => sum + events, 0);
  const limit = Math.min(Math.max(total / parts, MIN_SHARE_EVENTS), MAX_SHARE_EVENTS);
  const share: DirtyDay[] = [];
  let events = 0;
  for (const next of due.slice(0, MAX_ORGS_AT_ONCE)) {
    if (share.length > 0 && events + next.events > limit * 1.05) continue;
    share.push(next);
    events += next.events;
  }
  return share;
}
