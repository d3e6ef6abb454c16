import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/time/clock.js';
import { DatabaseService } from './database.service.js';
import { SystemDatabase } from './system-database.js';

const MAX_ATTEMPTS = 5;

/** Shares scheduled work between replicas: each slot of a job is one row, and whoever inserts it does the work. */
@Injectable()
export class JobLedger {
  private readonly logger = new Logger('Jobs');

  constructor(
    private readonly database: DatabaseService,
    private readonly system: SystemDatabase,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `work` if no other replica did or does. A run that dies is taken over when its lease is over; a slot that keeps
   * failing is given up after a few attempts. Returns whether the work was done here.
   */
  async runOnce(job: string, slot: Date, leaseMs: number, work: () => Promise<void>): Promise<boolean> {
    if (!this.database.isOpen || !(await this.claim(job, slot, leaseMs))) return false;
    try {
      await work();
    } catch (error) {
      this.logger.error(`Job ${job} of ${slot.toISOString()} failed: ${String(error)}`);
      return false;
    }
    await this.system.query(`UPDATE job_runs r SET finished_at = $3 WHERE r.job = $1 AND r.slot = $2`, [
      job,
      slot,
      this.clock.now(),
    ]);
    return true;
  }

  private async claim(job: string, slot: Date, leaseMs: number): Promise<boolean> {
    const now = this.clock.now();
    const [claimed] = await this.system.query(
      `INSERT INTO job_runs AS r (job, slot, lease_until) VALUES ($1, $2, $3)
       ON CONFLICT (job, slot) DO UPDATE SET attempts = r.attempts + 1, lease_until = excluded.lease_until
        WHERE r.finished_at IS NULL AND r.lease_until < $4 AND r.attempts < $5
       RETURNING 1`,
      [job, slot, new Date(now.getTime() + leaseMs), now, MAX_ATTEMPTS],
    );
    return claimed !== undefined;
  }
}
