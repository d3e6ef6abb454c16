import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { JobLedger } from '../../database/job-ledger.js';
import { SystemDatabase } from '../../database/system-database.js';
import { Clock } from '../time/clock.js';
import { IDEMPOTENCY_RETENTION_MS } from './idempotency.js';

const HOUR_MS = 3600_000;
const LEASE_MS = 5 * 60_000;
const JOB_RUN_RETENTION_MS = 7 * 24 * HOUR_MS;

/** Every hour, on one replica: forgets idempotency keys that are over, and old entries of the job ledger itself. */
@Injectable()
export class IdempotencyCleanupJob {
  constructor(
    private readonly ledger: JobLedger,
    private readonly system: SystemDatabase,
    private readonly clock: Clock,
  ) {}

  @Cron('17 * * * *')
  async run(): Promise<void> {
    const nowMs = this.clock.now().getTime();
    const slot = new Date(Math.floor(nowMs / HOUR_MS) * HOUR_MS);
    await this.ledger.runOnce('idempotency-cleanup', slot, LEASE_MS, async () => {
      await this.system.query(`DELETE FROM idempotency_keys k WHERE k.created_at < $1`, [
        new Date(nowMs - IDEMPOTENCY_RETENTION_MS),
      ]);
      await this.system.query(`DELETE FROM job_runs r WHERE r.slot < $1`, [new Date(nowMs - JOB_RUN_RETENTION_MS)]);
    });
  }
}
