import { UtcDay } from '../../src/common/time/utc-day.js';

export function utcDay(text: string): UtcDay {
  const day = UtcDay.tryParse(text);
  if (!day) throw new Error(`${text} is no day`);
  return day;
}
