import { Cron } from '@nestjs/schedule';

/**
 * The minute at which each job starts; different ones, because they share the pool of `BulkDatabase`. Work that must
 * happen within seconds (aggregation, expired turns) runs at intervals on every replica instead and claims rows.
 */
export const HOURLY_JOBS = {
  'event-storage': 17,
  'idempotency-cleanup': 29,
  'session-retention': 41,
  'telemetry-upkeep': 53,
  'console-cleanup': 5,
} as const;

export type HourlyJobName = keyof typeof HOURLY_JOBS;

/** Calls a method every hour; it has to pass its work to `JobLedger.runHourly`. */
export const HourlyJob = (name: HourlyJobName) => Cron(`${HOURLY_JOBS[name]} * * * *`);
