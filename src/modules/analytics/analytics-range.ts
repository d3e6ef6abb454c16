import { InvalidRequestError } from '../../common/errors/domain-error.js';
import { UtcDay } from '../../common/time/utc-day.js';

const MAX_DAYS = 366;

/** Validated once, inclusive at both ends. */
export class AnalyticsRange {
  private constructor(
    readonly start: UtcDay,
    readonly end: UtcDay,
    /** True when the range lies before the first day of data. */
    readonly isEmpty: boolean,
  ) {}

  static of(
    query: { startDate: string; endDate: string },
    { today, firstDay }: { today: UtcDay; firstDay: UtcDay },
  ): AnalyticsRange {
    const start = parseDay('startDate', query.startDate);
    const end = parseDay('endDate', query.endDate);
    if (end.toString() === today.toString()) {
      const message = `Today (${today}) is not available: data has a 24-hour lag. The latest day is ${today.plus(-1)}.`;
      throw new InvalidRequestError(message, [{ field: 'endDate', message: 'is today: data has a 24-hour lag' }]);
    }
    if (!end.isBefore(today)) throw InvalidRequestError.ofField('endDate', `must not be after ${today.plus(-1)}`);
    if (end.isBefore(start)) throw InvalidRequestError.ofField('startDate', 'must not be after endDate');
    if (start.daysUntil(end) >= MAX_DAYS) {
      throw InvalidRequestError.ofField('endDate', `must lie at most ${MAX_DAYS} days after startDate, both included`);
    }
    if (end.isBefore(firstDay)) return new AnalyticsRange(start, end, true);
    return new AnalyticsRange(start.isBefore(firstDay) ? firstDay : start, end, false);
  }

  *days(): Generator<UtcDay> {
    if (this.isEmpty) return;
    for (let day = this.start; !this.end.isBefore(day); day = day.next()) yield day;
  }
}

function parseDay(field: string, text: string): UtcDay {
  const day = UtcDay.tryParse(text);
  if (!day) throw InvalidRequestError.ofField(field, 'must be a day written YYYY-MM-DD');
  return day;
}
