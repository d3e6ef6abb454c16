import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { isConnectionLoss } from '../../common/errors/database-errors.js';
import { UnavailableError } from '../../common/errors/domain-error.js';
import { FairSemaphore, type Release } from '../../common/fair-semaphore.js';
import { AppConfig } from '../../config/app-config.js';
import { OrgDatabase } from '../../database/org-database.js';

/** Responses being sent at once; each holds a few megabytes. */
const MAX_ANSWERS = 16;
const MAX_ANSWERS_PER_ORG = 12;
const MAX_WAIT_MS = 10_000;
const MAX_ATTEMPTS = 5;
const RETRY_MS = 200;
/** Room for a hash of tens of thousands of people, which beats sorting; compiling a statement takes longer than running it. */
const FOR_SUMS = `SET LOCAL work_mem = '32MB'; SET LOCAL enable_sort = off; SET LOCAL jit = off`;

/** Limits the share of the request pool for analytics. Only a response that has not begun may be refused. */
@Injectable()
export class AnalyticsLoad {
  private readonly reads: FairSemaphore;
  private readonly answers: FairSemaphore;

  constructor(
    private readonly db: OrgDatabase,
    config: AppConfig,
  ) {
    const share = Math.max(1, Math.floor(config.database.poolSize / 3));
    this.reads = new FairSemaphore({ size: share, perCaller: share, refuse: busy });
    this.answers = new FairSemaphore({ size: MAX_ANSWERS, perCaller: MAX_ANSWERS_PER_ORG, refuse: busy });
  }

  read<Row>(orgId: string, sql: string, parameters: unknown[], name?: string): Promise<Row[]> {
    return this.reads.run(orgId, MAX_WAIT_MS, () => this.db.read<Row>(orgId, sql, parameters, name));
  }

  /** For sums of many rows. */
  readMany<Row>(orgId: string, sql: string, parameters: unknown[]): Promise<Row[]> {
    return this.reads.run(orgId, MAX_WAIT_MS, () =>
      this.db.readWithin<Row>(orgId, { settings: FOR_SUMS }, sql, parameters),
    );
  }

  /** Waits its turn, and retries after the loss of a connection. */
  async readBegun<Row>(orgId: string, sql: string, parameters: unknown[]): Promise<Row[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.reads.run(orgId, Infinity, () =>
          this.db.readWithin<Row>(orgId, { patienceMs: Infinity }, sql, parameters),
        );
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isConnectionLoss(error)) throw error;
        await delay(RETRY_MS * attempt);
      }
    }
  }

  begin(orgId: string): Promise<Release> {
    return this.answers.acquire(orgId, MAX_WAIT_MS);
  }
}

function busy(): UnavailableError {
  return new UnavailableError('Too many analytics answers are being made. Try again shortly.');
}
