import { Injectable } from '@nestjs/common';
import { BulkDatabase } from '../database/bulk-database.js';
import { HourlyJob } from '../database/hourly-jobs.js';
import { JobLedger } from '../database/job-ledger.js';
import { Clock } from '../common/time/clock.js';
import { IDEMPOTENCY_RETENTION_MS } from './idempotency.js';

const BATCH = 1_000;

/** Every hour, on one replica: deletes expired idempotency keys. */
@Injectable()
export class IdempotencyCleanupJob {
  constructor(
    private readonly ledger: JobLedger,
    private readonly bulk: BulkDatabase,
    private readonly clock: Clock,
  ) {}

  @HourlyJob('idempotency-cleanup')
  async run(): Promise<void> {
    const expiredBefore = new Date(this.clock.now().getTime() - IDEMPOTENCY_RETENTION_MS);
    await this.ledger.runHourly('idempotency-cleanup', () => this.deleteBefore(expiredBefore));
  }

  private async deleteBefore(before: Date): Promise<void> {
    for (let deleted = BATCH; deleted === BATCH;) {
      const rows = await this.bulk.upkeep(
        `DELETE FROM idempotency_keys k WHERE k.created_at < $1 AND k.ctid = ANY (ARRAY(
           SELECT o.ctid FROM idempotency_keys o WHERE o.created_at < $1 LIMIT ${BATCH})) RETURNING 1`,
        [before],
      );
      deleted = rows.length;
    }
  }
}
