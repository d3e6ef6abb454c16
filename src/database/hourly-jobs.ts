import { Cron } from '@nestjs/schedule';

/**
 * The minute at which each hourly job starts; different ones, so that jobs do not compete for the connections of
 * `BulkDatabase`. Work that must happen within seconds (aggregation, expired turns) is no job of this kind: every replica
 * looks for it at short intervals and claims rows instead of a time slot.
 */
export const HOURLY_JOBS = {
  'event-storage': 17,
  'idempotency-cleanup': 29,
  'session-retention': 41,
} as const;

export type HourlyJobName = keyof typeof HOURLY_JOBS;

/** Calls a method every hour; it has to pass its work to `JobLedger.runHourly`. */
export const HourlyJob = (name: HourlyJobName) => Cron(`${HOURLY_JOBS[name]} * * * *`);
