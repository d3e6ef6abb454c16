/** Days of the address bar: pure functions over UTC days written YYYY-MM-DD. */

export type Preset = '7d' | '28d' | '90d' | 'month' | 'last-month' | 'year';
export type Comparison = 'previous' | 'year' | 'none';

export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** What the address holds: a preset moves with the days, two dates do not. */
export interface RangeChoice {
  readonly range?: Preset;
  readonly from?: string;
  readonly to?: string;
}

export const PRESETS: Readonly<Record<Preset, string>> = {
  '7d': 'Last 7 days',
  '28d': 'Last 28 days',
  '90d': 'Last 90 days',
  month: 'This month',
  'last-month': 'Last month',
  year: 'Last 365 days',
};

export const DEFAULT_PRESET: Preset = '28d';
export const MAX_DAYS = 366;
const DAY_MS = 86_400_000;
const WEEK = 7;
/** Whole weeks, so that weekdays align. */
const YEAR_DAYS = 364;

export function isDay(text: unknown): text is string {
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

export function daysOf({ from, to }: DayRange): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
}

/** Ends with the last closed day; today is never part of a range. */
export function resolve(choice: RangeChoice, today: string): DayRange {
  const last = addDays(today, -1);
  const { from, to } = choice;
  if (isDay(from) && isDay(to) && from <= to) return clamp({ from, to: to < last ? to : last });
  const month = `${last.slice(0, 7)}-01`;
  switch (choice.range ?? DEFAULT_PRESET) {
    case '7d':
      return { from: addDays(last, -6), to: last };
    case '28d':
      return { from: addDays(last, -27), to: last };
    case '90d':
      return { from: addDays(last, -89), to: last };
    case 'year':
      return { from: addDays(last, -364), to: last };
    case 'month':
      return { from: month, to: last };
    case 'last-month': {
      const end = addDays(month, -1);
      return { from: `${end.slice(0, 7)}-01`, to: end };
    }
  }
}

function clamp(range: DayRange): DayRange {
  const from = range.from > range.to ? range.to : range.from;
  return daysOf({ from, to: range.to }) > MAX_DAYS
    ? { from: addDays(range.to, 1 - MAX_DAYS), to: range.to }
    : { ...range, from };
}

/** The same length, before or after; never beyond the last closed day. */
export function shift(range: DayRange, steps: number, today: string): DayRange {
  const length = daysOf(range);
  const last = addDays(today, -1);
  const to = addDays(range.to, steps * length);
  const end = to > last ? last : to;
  return { from: addDays(end, 1 - length), to: end };
}

/** The window that the service compares with; null without comparison. */
export function comparedWith(range: DayRange, comparison: Comparison): DayRange | null {
  if (comparison === 'none') return null;
  const back = comparison === 'year' ? YEAR_DAYS : Math.ceil(daysOf(range) / WEEK) * WEEK;
  return { from: addDays(range.from, -back), to: addDays(range.to, -back) };
}

const LONG = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

export function spell({ from, to }: DayRange): string {
  return LONG.formatRange(new Date(`${from}T00:00:00Z`), new Date(`${to}T00:00:00Z`));
}
