import type { AnalyticsRange } from '../analytics-range.js';
import { type Amount, NOTHING, type Series, sumOf, without } from './amounts.js';
import { changeOf, shareOf } from './comparison.js';
import { shown, type ShownFigure } from './figures.js';
import type { Metric } from './metrics.js';

/** A row before it is written; `previous` is undefined without a comparison, `series` on later pages. */
export interface Row {
  readonly amount: Amount;
  readonly previous: Amount | undefined;
  readonly series: Series | undefined;
}

export interface ShownRow {
  readonly value: ShownFigure;
  readonly share: number | null;
  readonly previous_value: ShownFigure;
  readonly change: number | null;
  readonly series?: { date: string; value: ShownFigure }[];
}

/** How rows of one list are written. */
export class RowWriter {
  private readonly days: string[];

  constructor(
    private readonly metric: Metric,
    range: AnalyticsRange,
    private readonly total: Row,
  ) {
    this.days = [...range.days()].map(String);
  }

  write({ amount: { value }, previous, series }: Row): ShownRow {
    const before = previous?.value ?? null;
    return {
      value: shown(this.metric, value),
      share: shareOf(value, this.total.amount.value),
      previous_value: shown(this.metric, before),
      change: changeOf(value, before),
      ...(series ? { series: this.days.map((date) => ({ date, value: this.ofDay(series, date) })) } : {}),
    };
  }

  private ofDay(series: Series, date: string): ShownFigure {
    return shown(this.metric, amountOn(series, date).value);
  }
}

/** Everything but the named rows. */
export function restOf(total: Row, named: readonly Row[]): Row {
  return {
    amount: without(total.amount, sumOf(named.map(({ amount }) => amount))),
    previous: total.previous && without(total.previous, sumOf(named.map(({ previous }) => previous ?? NOTHING))),
    series: total.series ? restOfSeries(total.series, named) : undefined,
  };
}

function restOfSeries(total: Series, named: readonly Row[]): Series {
  const entries = [...total].map(([day, amount]): [string, Amount] => {
    const known = sumOf(named.map(({ series }) => (series ? amountOn(series, day) : NOTHING)));
    return [day, without(amount, known)];
  });
  return new Map(entries);
}

function amountOn(series: Series, day: string): Amount {
  return series.get(day) ?? NOTHING;
}
