import type { UtcDay } from '../../common/time/utc-day.js';

/** What charts show at first. */
export const SHOWN_DAYS = 30;
const STRETCH_DAYS = 5 * 7;

/** Today included. */
export interface DemoDays {
  readonly from: UtcDay;
  readonly today: UtcDay;
}

/** Both days included. */
export interface Stretch {
  readonly from: UtcDay;
  readonly to: UtcDay;
}

export type Progress = (done: number, total: number) => void;

/** Runs one phase under a title and shows its progress. */
export type Phase = <T>(title: string, work: (progress: Progress) => Promise<T>) => Promise<T>;

/** Today and the SHOWN_DAYS before it; and the rest, if there is one. */
export function recentAndOlder({ from, today }: DemoDays): { recent: Stretch; older: Stretch | null } {
  const first = today.plus(-SHOWN_DAYS);
  if (!from.isBefore(first)) return { recent: { from, to: today }, older: null };
  return { recent: { from: first, to: today }, older: { from, to: first.plus(-1) } };
}

/** Newest first. */
export function stretchesOf({ from, to }: Stretch): Stretch[] {
  const stretches: Stretch[] = [];
  for (let last = to; !last.isBefore(from); last = last.plus(-STRETCH_DAYS)) {
    const first = last.plus(1 - STRETCH_DAYS);
    stretches.push({ from: first.isBefore(from) ? from : first, to: last });
  }
  return stretches;
}

export function lengthOf({ from, to }: Stretch): number {
  return from.daysUntil(to) + 1;
}
