import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/time/clock.js';
import { DAY_MS, HOUR_MS, startOfHour } from '../common/time/durations.js';
import { DatabaseService } from './database.service.js';
import type { HourlyJobName } from './hourly-jobs.js';
import { SystemDatabase } from './system-database.js';

const RETENTION_MS = 7 * DAY_MS;

/** Runs scheduled work on one replica: each time slot of a job is a row, and the replica that inserts it does the work. */
@Injectable()
export class JobLedger {
  private readonly logger = new Logger('Jobs');

  constructor(
    private readonly database: DatabaseService,
    private readonly system: SystemDatabase,
    private readonly clock: Clock,
  ) {}

  async runHourly(job: HourlyJobName, work: () => Promise<void>): Promise<void> {
    await this.runOnce(job, startOfHour(this.clock.now()), work);
  }

  /** A run that fails is not repeated: the next slot has to make up for it. */
  async runOnce(job: string, slot: Date, work: () => Promise<void>): Promise<void> {
    if (!this.database.isOpen || !(await this.claim(job, slot))) return;
    try {
      await work();
    } catch (error) {
      this.logger.error(`Job ${job} of ${slot.toISOString()} failed: ${String(error)}`);
      return;
    }
    await this.system.query(`UPDATE job_runs r SET finished_at = $3 WHERE r.job = $1 AND r.slot = $2`, [
      job,
      slot,
      this.clock.now(),
    ]);
  }

  /** Also deletes old rows. Only the previous release reads `lease_until`; drop it in the next. */
  private async claim(job: string, slot: Date): Promise<boolean> {
    const nowMs = this.clock.now().getTime();
    const claimed = await this.system.query(
      `WITH old AS (DELETE FROM job_runs o WHERE o.slot < $4)
       INSERT INTO job_runs (job, slot, lease_until) VALUES ($1, $2, $3) ON CONFLICT (job, slot) DO NOTHING RETURNING 1`,
      [job, slot, new Date(nowMs + HOUR_MS), new Date(nowMs - RETENTION_MS)],
    );
    return claimed.length > 0;
  }
}
