import type { UtcDay } from '../../common/time/utc-day.js';
import { Random } from './demo-random.js';

const [SUNDAY, FRIDAY, SATURDAY] = [0, 5, 6];
const HOLIDAYS = new Set(['01-01', '01-06', '05-01', '10-03', '11-01', '12-25', '12-26']);

/** Share of the usual work. */
export function busynessOf(day: UtcDay): number {
  const date = day.toString().slice('2026-'.length);
  if (isWeekend(day)) return 0.09;
  if (HOLIDAYS.has(date)) return 0.12;
  if (date >= '12-24' || date <= '01-02') return 0.2;
  return (isSummer(date) ? 0.85 : 1) * (day.startsAt().getUTCDay() === FRIDAY ? 0.85 : 1);
}

export function isWeekend(day: UtcDay): boolean {
  const weekday = day.startsAt().getUTCDay();
  return weekday === SUNDAY || weekday === SATURDAY;
}

export function isOnHoliday(name: string, day: UtcDay): boolean {
  const monday = day.plus(-((day.startsAt().getUTCDay() + 6) % 7)).toString();
  return new Random('holiday', name, monday).chance(isSummer(monday.slice('2026-'.length)) ? 0.3 : 0.06);
}

function isSummer(date: string): boolean {
  return date >= '07-20' && date < '08-29';
}
