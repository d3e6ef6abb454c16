import type { UtcDay } from '../common/time/utc-day.js';
import type { ClassKey, RateReason, RateSpan, Rates } from './price-list.js';

interface Run extends ClassKey {
  readonly since: UtcDay;
  last: UtcDay;
  readonly rates: Rates;
  readonly reasons: readonly RateReason[];
}

/** Merges the rates of days, which are added in order, into spans. */
export class SpanRuns {
  private readonly open = new Map<string, Run>();
  private readonly ended: Run[] = [];

  add(day: UtcDay, { above, minute }: ClassKey, rates: Rates, reasons: readonly RateReason[]): void {
    const key = `${above} ${minute}`;
    const run = this.open.get(key);
    // Rates are compared by identity: RatesMemo gives the same object for the same price.
    if (run?.rates === rates && run.reasons.join() === reasons.join() && run.last.daysUntil(day) <= 1) {
      run.last = day;
      return;
    }
    if (run) this.ended.push(run);
    this.open.set(key, { above, minute, since: day, last: day, rates, reasons });
  }

  end(): RateSpan[] {
    return [...this.ended, ...this.open.values()]
      .sort((a, b) => a.above - b.above || a.minute - b.minute || b.since.daysUntil(a.since))
      .map(({ since, last, ...span }) => ({ since: since.toString(), until: last.next().toString(), ...span }));
  }
}
