import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { isConnectionFailure, isUndefinedTable } from '../../../../common/errors/database-errors.js';
import { UnavailableError } from '../../../../common/errors/domain-error.js';
import { Clock } from '../../../../common/time/clock.js';
import { UtcDay } from '../../../../common/time/utc-day.js';
import { Notifications } from '../../../../database/notifications.js';
import { AggregationClaimsRepository } from '../aggregation-claims.repository.js';
import { ClaimedWork, isCollision } from '../claimed-work.js';
import { DayComputations } from '../day-computations.js';
import { AddedFactsRepository } from './added-facts.repository.js';
import { type DayRules, FactRules } from './fact-rules.js';
import { MissingFactsRepository, type OrgDay } from './missing-facts.repository.js';

/** An older release may still run beside this one and compute days without facts. */
const LOOK_AGAIN_MS = 10 * 60_000;
const MAX_FOUND = 10_000;
const MAX_ORGS_AT_ONCE = 50;
/** More of them are not computed while a reader waits. */
const MAX_FOR_READER = 3;
const READER_WAIT_MS = 20_000;
const RETRY_SECONDS = 15;

/** Gives facts to days that have none or that were made by other rules, the newest first, when nothing else is due. */
@Injectable()
export class FactsService implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Aggregation');
  private readonly stopping = new AbortController();
  private readonly checkedPrices = new Map<string, string>();
  private readonly failed = new Set<string>();
  private queue: OrgDay[] = [];
  private lookedAtMs = -Infinity;

  constructor(
    private readonly missing: MissingFactsRepository,
    private readonly added: AddedFactsRepository,
    private readonly factRules: FactRules,
    private readonly claims: AggregationClaimsRepository,
    private readonly claimedWork: ClaimedWork,
    private readonly days: DayComputations,
    private readonly clock: Clock,
    notifications: Notifications,
  ) {
    notifications.on('prices_changed', () => (this.lookedAtMs = -Infinity));
  }

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  /** Works for about this long; returns how many organization days got facts. Ends early when events are to be counted. */
  async addMissing(budgetMs: number): Promise<number> {
    const startedMs = performance.now();
    if (this.queue.length === 0 && performance.now() - this.lookedAtMs > LOOK_AGAIN_MS) await this.look();
    let done = 0;
    while (this.queue.length > 0 && performance.now() - startedMs < budgetMs && !this.days.isStopping) {
      const now = this.clock.now();
      if ((await this.claims.listOldestDue(UtcDay.of(now), now)).length > 0) break;
      done += await this.addNext();
    }
    if (done > 0) this.logger.log(`Facts: made for ${done} organization days; ${await this.left()} left`);
    return done;
  }

  /** Makes the facts of a range for a reader if few are missing; else the error says how many. */
  async ensure(orgId: string, range: { start: UtcDay; end: UtcDay }): Promise<void> {
    const days = await this.listOutdated(orgId, range.start, range.end);
    if (days.length > MAX_FOR_READER) {
      this.lookedAtMs = -Infinity;
      throw new UnavailableError(
        `The figures of ${days.length} days from ${range.start} to ${range.end} are still being computed; the newest come first.`,
        { retryAfterSeconds: RETRY_SECONDS },
      );
    }
    for (const day of days) {
      await this.claimedWork.runWhenFree([orgId], READER_WAIT_MS, `${day} is`, () => this.addTo(orgId, day));
    }
  }

  private async left(): Promise<number> {
    return Math.max(await this.missing.count(), this.queue.length);
  }

  private async look(): Promise<void> {
    const found = await this.missing.list(MAX_FOUND);
    this.lookedAtMs = found.length < MAX_FOUND ? performance.now() : -Infinity;
    const known = new Set(found.map(({ orgId, day }) => `${day} ${orgId}`));
    for (const orgId of await this.missing.listOrganizations()) {
      for (const day of await this.listChanged(orgId)) {
        if (!known.has(`${day} ${orgId}`)) found.push({ orgId, day: `${day}` });
      }
    }
    this.queue = found
      .filter(({ orgId, day }) => !this.failed.has(`${day} ${orgId}`))
      .sort((a, b) => (a.day === b.day ? 0 : a.day < b.day ? 1 : -1));
    if (this.queue.length > 0) this.logger.log(`Facts: to be made for ${await this.left()} organization days`);
  }

  /** Of an organization whose price list has changed since the last look. */
  private async listChanged(orgId: string): Promise<UtcDay[]> {
    const { revision } = (await this.rulesOf(orgId)).listOf(orgId);
    if (this.checkedPrices.get(orgId) === revision) return [];
    const days = await this.listOutdated(orgId, null, null);
    this.checkedPrices.set(orgId, revision);
    return days;
  }

  private rulesOf(orgId: string): Promise<DayRules> {
    return this.factRules.of([orgId], UtcDay.of(this.clock.now()));
  }

  /** The newest first. */
  private async listOutdated(orgId: string, from: UtcDay | null, to: UtcDay | null): Promise<UtcDay[]> {
    const stored = await this.missing.listRules(orgId, from, to);
    const current = await this.rulesOf(orgId);
    return stored
      .map(({ day, ...made }) => ({ ...made, day: toDay(day) }))
      .filter(({ day, version, rules }) => rules !== current.on(day).textOf(orgId, version))
      .map(({ day }) => day);
  }

  /** The newest day of the queue, for several organizations at once. */
  private async addNext(): Promise<number> {
    const text = this.queue[0]?.day ?? '';
    const day = toDay(text);
    const isNext = (item: OrgDay, i: number) => i < MAX_ORGS_AT_ONCE && item.day === text;
    const orgIds = this.queue.filter(isNext).map(({ orgId }) => orgId);
    this.queue = this.queue.filter((item, i) => !isNext(item, i));
    try {
      return await this.addClaimed(orgIds, day);
    } catch (error) {
      if (this.days.isStopping || isConnectionFailure(error)) throw error;
      let done = 0;
      for (const orgId of orgIds) done += await this.tryAdd(orgId, day);
      return done;
    }
  }

  /** One day that fails does not hold up the others; it is tried again when a reader asks for it. */
  private async tryAdd(orgId: string, day: UtcDay): Promise<number> {
    try {
      return await this.addClaimed([orgId], day);
    } catch (error) {
      if (this.days.isStopping || isConnectionFailure(error)) throw error;
      if (!isCollision(error) && !isUndefinedTable(error)) {
        this.failed.add(`${day} ${orgId}`);
        this.logger.error(`The facts of ${day} of ${orgId} could not be made: ${String(error)}`);
      }
      return 0;
    }
  }

  private async addClaimed(orgIds: string[], day: UtcDay): Promise<number> {
    let done = 0;
    await this.claimedWork.runIfFree(orgIds, async (claimed) => {
      done = await this.added.add(claimed, day, this.stopping.signal);
      for (const orgId of claimed) done += await this.rebuildOutdated(orgId, day);
    });
    return done;
  }

  private async addTo(orgId: string, day: UtcDay): Promise<void> {
    await this.added.add([orgId], day, this.stopping.signal);
    await this.rebuildOutdated(orgId, day);
  }

  /** A day with late events, or with facts by other rules, gets a new version. */
  private async rebuildOutdated(orgId: string, day: UtcDay): Promise<number> {
    const outdated = await this.listOutdated(orgId, day, day);
    if (outdated.length === 0) return 0;
    return (await this.days.rebuild([orgId], day, { onlyDirty: false })).computed;
  }
}

function toDay(text: string): UtcDay {
  const day = UtcDay.tryParse(text);
  if (!day) throw new Error(`${text} is not a day`);
  return day;
}
