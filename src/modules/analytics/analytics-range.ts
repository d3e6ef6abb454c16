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
    { today, firstDay, hasToday = false }: { today: UtcDay; firstDay: UtcDay; hasToday?: boolean },
  ): AnalyticsRange {
    const last = hasToday ? today : today.plus(-1);
    const start = parseDay('startDate', query.startDate);
    const end = parseDay('endDate', query.endDate);
    if (!hasToday && end.toString() === today.toString()) {
      const message = `Today (${today}) is not available: data has a 24-hour lag. The latest day is ${last}.`;
      throw new InvalidRequestError(message, [{ field: 'endDate', message: 'is today: data has a 24-hour lag' }]);
    }
    if (last.isBefore(end)) throw InvalidRequestError.ofField('endDate', `must not be after ${last}`);
    if (end.isBefore(start)) throw InvalidRequestError.ofField('startDate', 'must not be after endDate');
    if (start.daysUntil(end) >= MAX_DAYS) {
      throw InvalidRequestError.ofField('endDate', `must lie at most ${MAX_DAYS} days after startDate, both included`);
    }
    if (end.isBefore(firstDay)) return new AnalyticsRange(start, end, true);
    return new AnalyticsRange(start.isBefore(firstDay) ? firstDay : start, end, false);
  }

  /** The same number of days, that many days before. */
  earlier(days: number, firstDay: UtcDay): AnalyticsRange {
    const [start, end] = [this.start.plus(-days), this.end.plus(-days)];
    if (end.isBefore(firstDay)) return new AnalyticsRange(start, end, true);
    return new AnalyticsRange(start.isBefore(firstDay) ? firstDay : start, end, false);
  }

  /** The days before `today`. */
  closed(today: UtcDay): AnalyticsRange {
    if (this.end.isBefore(today)) return this;
    return new AnalyticsRange(this.start, today.plus(-1), this.isEmpty || !this.start.isBefore(today));
  }

  get length(): number {
    return this.start.daysUntil(this.end) + 1;
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
