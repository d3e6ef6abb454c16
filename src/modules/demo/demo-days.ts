import type { UtcDay } from '../../common/time/utc-day.js';

/** The days that are filled, today included. */
export interface DemoDays {
  readonly from: UtcDay;
  readonly today: UtcDay;
}

/** Told as work goes on. */
export type Progress = (done: number, total: number) => void;

/** Does a part of the work under a title, and shows how far it has come. */
export type Phase = <T>(title: string, work: (progress: Progress) => Promise<T>) => Promise<T>;
