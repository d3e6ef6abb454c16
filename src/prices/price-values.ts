import { isWholeNumber, parseInstant } from '../common/validation/predicates.js';
import { UtcDay } from '../common/time/utc-day.js';
import { parseDecimal } from './decimal.js';
import type { Period, TimeWindow } from './price-layer.js';
import type { PriceProblems } from './price-problems.js';

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export const MINUTES_OF_DAY = 1440;
export const MAX_INPUT_TOKENS = 2_147_483_647;

const MINUTE_MS = 60_000;
const CLOCK_RANGE = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)$/;

/** Minutes since 1970 of a day or of an instant at a whole minute; null when it is neither. */
export function parseMinute(text: string): number | null {
  const at = UtcDay.tryParse(text)?.startsAt() ?? parseInstant(text);
  return at === null || at.getTime() % MINUTE_MS !== 0 ? null : at.getTime() / MINUTE_MS;
}

export function formatMinute(minute: number): string {
  const text = new Date(minute * MINUTE_MS).toISOString();
  return minute % MINUTES_OF_DAY === 0 ? text.slice(0, 10) : text.replace('.000', '');
}

export function readPeriod(value: Record<string, unknown>, place: string, problems: PriceProblems): Period {
  const bound = (field: string, open: number): number => {
    const text = value[field];
    if (text === undefined || text === null) return open;
    const minute = typeof text === 'string' ? parseMinute(text) : null;
    if (minute !== null) return minute;
    problems.add(
      `${place}.${field}`,
      'must be a day written YYYY-MM-DD, or a whole minute such as 2026-08-16T16:00:00Z',
    );
    return open;
  };
  const period = { since: bound('since', -Infinity), until: bound('until', Infinity) };
  if (period.since >= period.until) problems.add(`${place}.until`, 'must be later than since');
  return period;
}

/** In millionths; null when it is absent or wrong. */
export function readDecimal(value: unknown, place: string, problems: PriceProblems): bigint | null {
  if (value === undefined) return null;
  const number = typeof value === 'string' ? parseDecimal(value) : null;
  if (number === null) {
    problems.add(place, 'must be decimal text from "0" to "999999" with at most six decimals, such as "0.25"');
  }
  return number;
}

export function readFactor(value: unknown, place: string, problems: PriceProblems): bigint {
  if (value === undefined) problems.add(place, 'is missing; it must be decimal text such as "0.9"');
  return readDecimal(value, place, problems) ?? 0n;
}

/** `above` is exclusive, `from` inclusive. */
export function readLimit(tier: Record<string, unknown>, place: string, problems: PriceProblems): number {
  const field = tier.from === undefined ? 'above' : 'from';
  const limit = tier[field];
  if (tier.from !== undefined && tier.above !== undefined) problems.add(place, 'must have above or from, not both');
  if (isWholeNumber(limit, 1, MAX_INPUT_TOKENS - 1)) return field === 'from' ? limit - 1 : limit;
  problems.add(`${place}.${field}`, `must be a whole number of tokens from 1 to ${MAX_INPUT_TOKENS - 1}`);
  return 0;
}

export function readWindows(value: unknown, place: string, problems: PriceProblems): TimeWindow[] {
  const windows = problems
    .optionalList(value, place)
    .flatMap((item, index) => readWindow(item, `${place}.${index}`, problems));
  for (const [index, window] of windows.entries()) {
    const other = windows.slice(0, index).find((earlier) => overlap(earlier, window));
    if (other) problems.add(place, 'must not overlap');
  }
  return windows;
}

function readWindow(value: unknown, place: string, problems: PriceProblems): TimeWindow[] {
  const window = problems.object(value, place, ['days', 'utc', 'factor']);
  const factor = readFactor(window.factor, `${place}.factor`, problems);
  const weekdays =
    window.days === undefined ? WEEKDAYS.map((_, day) => day) : readDays(window.days, `${place}.days`, problems);
  return problems.list(window.utc, `${place}.utc`).flatMap((text, index) => {
    const [, ...digits] = CLOCK_RANGE.exec(typeof text === 'string' ? text : '') ?? [];
    const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = digits.map(Number);
    const [from, to] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
    if (from < to && to <= MINUTES_OF_DAY) return [{ weekdays, from, to, factor }];
    problems.add(
      `${place}.utc.${index}`,
      'must be a range within a day, such as "01:00-04:00"; split one that passes midnight',
    );
    return [];
  });
}

function readDays(value: unknown, place: string, problems: PriceProblems): number[] {
  const days = problems.list(value, place).map((day) => (WEEKDAYS as readonly unknown[]).indexOf(day));
  if (days.includes(-1) || new Set(days).size !== days.length || days.length === 0) {
    problems.add(place, `must list different days of ${WEEKDAYS.join(', ')}`);
  }
  return days.filter((day) => day >= 0);
}

function overlap(a: TimeWindow, b: TimeWindow): boolean {
  return a.from < b.to && b.from < a.to && a.weekdays.some((day) => b.weekdays.includes(day));
}
