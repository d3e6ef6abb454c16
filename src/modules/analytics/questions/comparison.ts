import type { UtcDay } from '../../../common/time/utc-day.js';
import type { AnalyticsRange } from '../analytics-range.js';

export const COMPARISONS = ['previous', 'year', 'none'] as const;
export type Comparison = (typeof COMPARISONS)[number];

const WEEK_DAYS = 7;
const YEAR_DAYS = 52 * WEEK_DAYS;

/** Weekdays align: shifts are whole weeks. */
export function comparedRange(range: AnalyticsRange, comparison: Comparison, firstDay: UtcDay): AnalyticsRange | null {
  if (comparison === 'none') return null;
  const shift = comparison === 'year' ? YEAR_DAYS : Math.ceil(range.length / WEEK_DAYS) * WEEK_DAYS;
  return range.earlier(shift, firstDay);
}

/** As a ratio: 0.25 is a quarter more. Null without a base. */
export function changeOf(value: bigint | null, base: bigint | null): number | null {
  if (value === null || base === null || base === 0n) return null;
  return Number(value - base) / Number(base);
}

export function shareOf(value: bigint | null, total: bigint | null): number | null {
  if (value === null || total === null || total === 0n) return null;
  return Number(value) / Number(total);
}
