import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { isTransient, isUndefinedTable, isUniqueViolation } from '../../../common/errors/database-errors.js';
import { UnavailableError } from '../../../common/errors/domain-error.js';
import { Clock } from '../../../common/time/clock.js';
import { AggregationClaimsRepository } from './aggregation-claims.repository.js';
import { LEASE_MS } from './pauses.js';

const POLL_MS = 200;

/** Another replica computed the same at the same time and its transaction won; dirty marks show what is left to do. */
export function isCollision(error: unknown): boolean {
  return isTransient(error) || isUniqueViolation(error);
}

@Injectable()
export class ClaimedWork {
  constructor(
    private readonly claims: AggregationClaimsRepository,
    private readonly clock: Clock,
  ) {}

  /** Waits until each organization is free. `work` may be repeated; `subject` is what the error says is not available. */
  async runWhenFree(
    orgIds: string[],
    waitMs: number,
    subject: string,
    work: (orgIds: string[]) => Promise<unknown>,
  ): Promise<void> {
    const deadlineMs = this.clock.now().getTime() + waitMs;
    for (let waiting = orgIds; ;) {
      try {
        const done = await this.runIfFree(waiting, work);
        waiting = waiting.filter((orgId) => !done.includes(orgId));
      } catch (error) {
        // The partition of the day may be dropped at the same time.
        if (!isCollision(error) && !isUndefinedTable(error)) throw error;
      }
      if (waiting.length === 0) return;
      if (this.clock.now().getTime() > deadlineMs) {
        throw new UnavailableError(`${subject} being computed by somebody else. Try again shortly.`);
      }
      await delay(POLL_MS);
    }
  }

  /** Returns the organizations that were free, for which `work` was run. */
  async runIfFree(orgIds: string[], work: (orgIds: string[]) => Promise<unknown>): Promise<string[]> {
    const holder = randomUUID();
    const claimed = await this.claims.claim(orgIds, holder, this.clock.now());
    if (claimed.length === 0) return [];
    try {
      await this.extendWhile(holder, () => work(claimed));
      return claimed;
    } finally {
      await this.claims.release(holder);
    }
  }

  async extendWhile<T>(holder: string, work: () => Promise<T>): Promise<T> {
    const timer = setInterval(() => {
      this.claims.extend(holder, this.clock.now()).catch(() => undefined); // the lease outlasts three failed extensions
    }, LEASE_MS / 4);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }
}
