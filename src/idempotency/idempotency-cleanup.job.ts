import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { BulkDatabase } from '../database/bulk-database.js';
import { JobLedger } from '../database/job-ledger.js';
import { SystemDatabase } from '../database/system-database.js';
import { Clock } from '../common/time/clock.js';
import { IDEMPOTENCY_RETENTION_MS } from './idempotency.js';

const HOUR_MS = 3600_000;
const LEASE_MS = 5 * 60_000;
const BATCH = 1_000;
const JOB_RUN_RETENTION_MS = 7 * 24 * HOUR_MS;

/** Every hour, on one replica: forgets idempotency keys that are over, and old entries of the job ledger itself. */
@Injectable()
export class IdempotencyCleanupJob {
  constructor(
    private readonly ledger: JobLedger,
    private readonly system: SystemDatabase,
    private readonly bulk: BulkDatabase,
    private readonly clock: Clock,
  ) {}

  @Cron('17 * * * *')
  async run(): Promise<void> {
    const nowMs = this.clock.now().getTime();
    const slot = new Date(Math.floor(nowMs / HOUR_MS) * HOUR_MS);
    await this.ledger.runOnce('idempotency-cleanup', slot, LEASE_MS, async () => {
      await this.deleteBefore(new Date(nowMs - IDEMPOTENCY_RETENTION_MS));
      await this.system.query(`DELETE FROM job_runs r WHERE r.slot < $1`, [new Date(nowMs - JOB_RUN_RETENTION_MS)]);
    });
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
