import type { PriceList, Rates, RateSpan } from '../../../prices/price-list.js';
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
}

/** The prices of a range. */
export class RateTable {
  private readonly byClass = new Map<string, SegmentRates>();
  private readonly tiered = new Set<number>();

  private constructor(
    /** The first day of each segment. */
    private readonly segments: readonly string[],
    readonly rows: readonly SegmentRates[],
    tiered: Iterable<number>,
  ) {
    for (const row of rows) this.byClass.set(classKey(row, row.segment), row);
    this.tiered = new Set(tiered);
  }

  static of(prices: PriceList, classes: readonly CallClass[], { start, end }: AnalyticsRange): RateTable {
    const spans = new Map<number, RateSpan[]>();
    for (const { modelId, model } of classes) {
      if (!spans.has(modelId)) spans.set(modelId, prices.spansOf(model, start, end));
    }
    const [first, last] = [start.toString(), end.toString()];
    const changes = [...spans.values()].flat().flatMap(({ since, until }) => [since, until]);
    const inside = changes.filter((day) => day > first && day <= last);
    const segments = [first, ...new Set(inside.sort())];
    const rows = classes.flatMap((each) =>
      segments.flatMap((day, segment) => {
        const rates = ratesOn(spans.get(each.modelId) ?? [], day, each);
        return rates ? [{ ...each, segment, rates }] : [];
      }),
    );
    const tiered = [...spans].filter(([, all]) => all.some(({ above }) => above > 0)).map(([modelId]) => modelId);
    return new RateTable(segments, rows, tiered);
  }

  segmentOf(day: string): number {
    return this.segments.findLastIndex((first) => first <= day);
  }

  find(ofClass: Omit<CallClass, 'model'>, segment: number): Rates | null {
    return this.byClass.get(classKey(ofClass, segment))?.rates ?? null;
  }

  /** Whether the price of a call depends on its size. */
  hasTiers(modelId: number): boolean {
    return this.tiered.has(modelId);
  }
}

/** A class that the list no longer has is priced like the one below it: days without raw events keep their classes. */
function ratesOn(spans: readonly RateSpan[], day: string, { above, minute }: CallClass): Rates | null {
  const fitting = spans.filter(
    (span) =>
      span.since <= day && day < span.until && span.above <= Math.max(above, 0) && span.minute <= Math.max(minute, 0),
  );
  const [best] = fitting.sort((a, b) => b.above - a.above || b.minute - a.minute);
  return best?.rates ?? null;
}

function classKey({ modelId, above, minute }: Omit<CallClass, 'model'>, segment: number): string {
  return `${modelId} ${above} ${minute} ${segment}`;
}
