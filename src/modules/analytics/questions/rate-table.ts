import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../../common/bounded-cache.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import type { PriceList, RateReason, Rates, RateSpan } from '../../../prices/price-list.js';
import type { AnalyticsRange } from '../analytics-range.js';

/** Calls of a model that have one price on each day. */
export interface CallClass {
  readonly modelId: number;
  readonly model: string;
  /** -1: the size of the calls is not known. */
  readonly above: number;
  readonly minute: number;
}

/** The rates of a class in a segment: days of the range between which no price changes. */
export interface SegmentRates extends CallClass {
  readonly segment: number;
  readonly rates: Rates;
  readonly reasons: readonly RateReason[];
}

/** The prices of a range. */
export class RateTable {
  private readonly byClass = new Map<string, SegmentRates>();

  private constructor(
    /** The first day of each segment. */
    readonly segments: readonly string[],
    readonly rows: readonly SegmentRates[],
  ) {
    for (const row of rows) this.byClass.set(classKey(row, row.segment), row);
  }

  static of(
    prices: PriceList,
    calls: readonly CallClass[],
    { start, end }: Pick<AnalyticsRange, 'start' | 'end'>,
  ): RateTable {
    const classes = [...new Map(calls.map((each) => [classKey(each, 0), each])).values()];
    const spans = new Map<string, RateSpan[]>();
    for (const model of new Set(classes.map((each) => each.model))) {
      const stored = classes.filter((each) => each.model === model);
      spans.set(model, spansOf(prices, model, stored, { start, end }));
    }
    const [first, last] = [start.toString(), end.toString()];
    const changes = [...spans.values()].flat().flatMap(({ since, until }) => [since, until]);
    const inside = changes.filter((day) => day > first && day <= last);
    const segments = [first, ...new Set(inside.sort())];
    const rows = classes.flatMap((each) => {
      const own = (spans.get(each.model) ?? []).filter((span) => isOf(span)(each));
      return segments.flatMap((day, segment): SegmentRates[] => {
        const span = own.find(({ since, until }) => since <= day && day < until);
        return span ? [{ ...each, segment, rates: span.rates, reasons: span.reasons }] : [];
      });
    });
    return new RateTable(segments, rows);
  }

  segmentOf(day: string): number {
    return this.segments.findLastIndex((first) => first <= day);
  }

  /** Null: the class has no price then. */
  find(ofClass: Omit<CallClass, 'model'>, segment: number): SegmentRates | null {
    return this.byClass.get(classKey(ofClass, segment)) ?? null;
  }
}

/** Looking through the days of a year takes milliseconds for each model, so that whole years are remembered. */
const remembered = new WeakMap<PriceList, LRUCache<string, RateSpan[]>>();
const MAX_REMEMBERED = 2_000;

function spansOf(
  prices: PriceList,
  model: string,
  classes: readonly CallClass[],
  { start, end }: Pick<AnalyticsRange, 'start' | 'end'>,
): RateSpan[] {
  const [first, last] = [`${start}`.slice(0, 4), `${end}`.slice(0, 4)];
  const key = JSON.stringify([model, first, last, classes.map(({ above, minute }) => `${above} ${minute}`).sort()]);
  const known = remembered.get(prices) ?? boundedCache<RateSpan[]>(MAX_REMEMBERED);
  remembered.set(prices, known);
  const from = UtcDay.tryParse(`${first}-01-01`) ?? start;
  const to = UtcDay.tryParse(`${last}-12-31`) ?? end;
  const spans = known.get(key) ?? prices.spansOf(model, from, to, classes).filter((span) => classes.some(isOf(span)));
  known.set(key, spans);
  return spans;
}

const isOf = (span: RateSpan) => (each: CallClass) => each.above === span.above && each.minute === span.minute;

function classKey({ modelId, above, minute }: Omit<CallClass, 'model'>, segment: number): string {
  return `${modelId} ${above} ${minute} ${segment}`;
}
