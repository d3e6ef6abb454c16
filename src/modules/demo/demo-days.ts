import type { UtcDay } from '../../common/time/utc-day.js';

/** Today included. */
export interface DemoDays {
  readonly from: UtcDay;
  readonly today: UtcDay;
}

export type Progress = (done: number, total: number) => void;

/** Runs one phase under a title and shows its progress. */
export type Phase = <T>(title: string, work: (progress: Progress) => Promise<T>) => Promise<T>;
