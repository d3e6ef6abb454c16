import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { isTransient, isUndefinedTable, isUniqueViolation } from '../../../common/errors/database-errors.js';
import { UnavailableError } from '../../../common/errors/domain-error.js';
import { Clock } from '../../../common/time/clock.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import { AggregationClaimsRepository, type DirtyDay } from './aggregation-claims.repository.js';
import { RollupsRepository } from './rollups.repository.js';

const LEASE_MS = 60_000;
/** One CPU-bound session per core; more would only slow each other down. */
const SESSIONS = Math.min(availableParallelism(), 4);
/** A share of a day that is not worth a scan of its own. */
const MIN_SHARE_EVENTS = 100_000;
const MAX_ORGS_AT_ONCE = 2_000;
const MAX_SHARE_EVENTS = 6_000_000;
/** For how long a version is kept after a newer one: a stream ends as it began. */
const KEEP_SUPERSEDED_MS = 10 * 60_000;
const WAIT_FOR_OTHERS_MS = 20_000;
const POLL_MS = 200;
const SHOW_MS = 500;
/** For so long a number of due days may stay the same: more than a lease, which failed work keeps. */
const GIVE_UP_MS = 3 * LEASE_MS;

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
    await this.rollups.deleteSuperseded(new Date(now.getTime() - KEEP_SUPERSEDED_MS));
    await this.claims.mergeMarks(UtcDay.of(now));
  }

  /** Computes a day of some organizations, due or not; days whose events are gone stay as they are. */
  async rebuild(orgIds: string[], day: UtcDay): Promise<boolean> {
    if ((await this.claims.listFrozenDays(day, day)).size > 0) return false;
    await this.withClaim(orgIds, (claimed) => this.rebuildDay(claimed, day, { isMarked: false }));
    return true;
  }

  /** Computes these days of an organization before anybody is told about them, unless somebody else did so meanwhile. */
  async ensureComputed(orgId: string, days: UtcDay[]): Promise<void> {
    for (const day of days) {
      await this.withClaim([orgId], (claimed) => this.rebuildDay(claimed, day, { isMarked: true }));
    }
  }

  /** Days on which nothing happened have weekly and monthly users too. */
  async ensureFilled(orgId: string, from: UtcDay): Promise<void> {
    await this.withClaim([orgId], () => this.fill(orgId, from));
  }

  /** Runs `work`, which may be repeated, while nobody computes days of the organization. */
  whileNothingIsComputed(orgId: string, work: () => Promise<void>): Promise<void> {
    return this.withClaim([orgId], work);
  }

  private rebuildDay(orgIds: string[], day: UtcDay, { isMarked }: { isMarked: boolean }): Promise<number> {
    return this.rollups.rebuildDay({ orgIds, isMarked }, day, this.lastDay(), this.clock.now());
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
        leaseFrom(now),
      );
      if (orgIds.length === 0) continue; // others were faster; what is left is looked at again
      shares.set(day.toString(), taken + 1);
      const computed = await this.rebuildClaimed(orgIds, day, holder);
      if (computed === null) return done;
      done += computed;
    }
  }

  /** How many were computed; null after a failure. Its claim is not given back: the lease keeps others from failing at once. */
  private async rebuildClaimed(orgIds: string[], day: UtcDay, holder: string): Promise<number | null> {
    try {
      const startedMs = performance.now();
      const computed = await this.whileExtending(holder, () => this.rebuildDay(orgIds, day, { isMarked: true }));
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
      this.logger.error(`${day} of ${orgIds.join()} could not be computed: ${String(error)}`);
      return null;
    }
  }

  /** After a failure of several: the one that cannot be computed must not hold up the others. */
  private async rebuildOneByOne(orgIds: string[], day: UtcDay, holder: string): Promise<number> {
    await this.claims.release(holder);
    let done = 0;
    for (const orgId of orgIds) {
      const now = this.clock.now();
      const ownHolder = randomUUID();
      const claimed = await this.claims.claim([orgId], ownHolder, now, leaseFrom(now));
      if (claimed.length > 0) done += (await this.rebuildClaimed(claimed, day, ownHolder)) ?? 0;
    }
    return done;
  }

  private async fillQuietDays(): Promise<void> {
    const lastDay = this.lastDay();
    if (this.filledUntil === lastDay.toString()) return;
    let isComplete = true;
    for (const { orgId, from } of await this.claims.listBehind(lastDay)) {
      const filled = await this.withFree([orgId], () => this.fill(orgId, UtcDay.tryParse(from) ?? lastDay));
      if (filled.length === 0) isComplete = false;
    }
    if (isComplete) this.filledUntil = lastDay.toString();
  }

  private fill(orgId: string, from: UtcDay): Promise<void> {
    return this.rollups.fillQuietDays([orgId], from, this.lastDay(), this.clock.now());
  }

  /** Runs `work` on these organizations once each of them is free. */
  private async withClaim(orgIds: string[], work: (orgIds: string[]) => Promise<unknown>): Promise<void> {
    const deadlineMs = performance.now() + WAIT_FOR_OTHERS_MS;
    for (let waiting = orgIds; ;) {
      try {
        const done = await this.withFree(waiting, work);
        waiting = waiting.filter((orgId) => !done.includes(orgId));
      } catch (error) {
        if (!isCollision(error) && !isUndefinedTable(error)) throw error; // dropped meanwhile
      }
      if (waiting.length === 0) return;
      if (performance.now() > deadlineMs)
        throw new UnavailableError('These days are being computed. Try again shortly.');
      await delay(POLL_MS);
    }
  }

  /** Runs `work` on those of these organizations that are free; returns them. */
  private async withFree(orgIds: string[], work: (orgIds: string[]) => Promise<unknown>): Promise<string[]> {
    const now = this.clock.now();
    const holder = randomUUID();
    const claimed = await this.claims.claim(orgIds, holder, now, leaseFrom(now));
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
      this.claims.extend(holder, leaseFrom(this.clock.now())).catch(() => undefined); // the lease is long enough for some misses
    }, LEASE_MS / 4);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }
}

function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}

/** Somebody else computed the same at the same time; their transaction won, and marks tell what is left to do. */
function isCollision(error: unknown): boolean {
  return isTransient(error) || isUniqueViolation(error);
}

/** What one session takes on: its part of what is left of the day, so that all sessions end at about the same time. */
function takeShare(due: DirtyDay[], parts: number): DirtyDay[] {
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
