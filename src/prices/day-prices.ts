import type { UtcDay } from '../common/time/utc-day.js';
import { scaled } from './decimal.js';
import type { AppliedPrice } from './price-index.js';
import type { Rates } from './price-layer.js';
import { ratesBy } from './price-reader.js';
import { MINUTES_OF_DAY } from './price-values.js';

/** A part of a day in which one price applies, or none. */
export interface DayPart {
  readonly from: number;
  readonly to: number;
  readonly applied: AppliedPrice | null;
  /** Of the time window, in millionths; null: outside of all. */
  readonly windowFactor: bigint | null;
}

const MINUTE_MS = 60_000;
const NO_PRICE = { applied: null, windowFactor: null };

/** The parts of a day, without gaps. */
export function partsOf(timeline: readonly AppliedPrice[], day: UtcDay): DayPart[] {
  const start = day.startsAt().getTime() / MINUTE_MS;
  const weekday = day.startsAt().getUTCDay();
  const parts: DayPart[] = [];
  let at = 0;
  for (const applied of timeline) {
    const from = Math.max(applied.since - start, 0);
    const to = Math.min(applied.until - start, MINUTES_OF_DAY);
    if (from >= to) continue;
    if (at < from) parts.push({ from: at, to: from, ...NO_PRICE });
    parts.push(...inWindows(applied, weekday, from, to));
    at = to;
  }
  if (at < MINUTES_OF_DAY) parts.push({ from: at, to: MINUTES_OF_DAY, ...NO_PRICE });
  return parts;
}

function inWindows(applied: AppliedPrice, weekday: number, from: number, to: number): DayPart[] {
  const windows = applied.price.windows.filter(({ weekdays }) => weekdays.includes(weekday));
  const ends = windows.flatMap((window) => [window.from, window.to]).filter((minute) => minute > from && minute < to);
  const starts = [...new Set([from, ...ends])].sort((a, b) => a - b);
  return starts.map((start, index) => {
    const factor = windows.find((window) => window.from <= start && start < window.to)?.factor ?? null;
    return { from: start, to: starts[index + 1] ?? to, applied, windowFactor: factor };
  });
}

/** The limits of the tiers of a part, beginning with 0. */
export function limitsOf({ applied }: DayPart): number[] {
  return [0, ...(applied?.price.tiers.map(({ above }) => above) ?? [])];
}

/** Rates of calls in the tier with this limit. The same arguments give the same object. */
export class RatesMemo {
  private readonly known = new Map<AppliedPrice, Map<string, Rates>>();

  of({ applied, windowFactor }: DayPart & { applied: AppliedPrice }, above: number): Rates {
    const ofPrice = this.known.get(applied) ?? new Map<string, Rates>();
    this.known.set(applied, ofPrice);
    const key = `${above} ${windowFactor}`;
    const { price, factor } = applied;
    const known = ofPrice.get(key);
    if (known) return known;
    const base = price.tiers.find((tier) => tier.above === above)?.rates ?? price.rates;
    const factors = [windowFactor, factor].filter((each) => each !== null);
    const rates = ratesBy((name) => (base[name] === null ? null : scaled(base[name], factors)));
    ofPrice.set(key, rates);
    return rates;
  }
}
