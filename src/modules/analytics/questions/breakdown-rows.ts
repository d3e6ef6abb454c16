import type { AnalyticsRange } from '../analytics-range.js';
import { changeOf, shareOf } from './comparison.js';
import { shown, type ShownFigure } from './figures.js';
import type { Metric } from './metrics.js';
import { minus, NOTHING, type Series, type Sum, sumOf, valueOf } from './sums.js';

/** A row before it is written; `previous` is undefined without a comparison, `series` on later pages. */
export interface Row {
  readonly value: Sum;
  readonly previous: Sum | undefined;
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

  write(row: Row): ShownRow {
    const value = valueOf(row.value);
    const previous = row.previous ? valueOf(row.previous) : null;
    const { series } = row;
    return {
      value: shown(this.metric, value),
      share: shareOf(value, valueOf(this.total.value)),
      previous_value: shown(this.metric, previous),
      change: changeOf(value, previous),
      ...(series ? { series: this.days.map((date) => ({ date, value: this.ofDay(series, date) })) } : {}),
    };
  }

  /** On a day without facts nothing happened. */
  private ofDay(series: Series, date: string): ShownFigure {
    return shown(this.metric, valueOf(series.get(date) ?? NOTHING));
  }
}

/** Everything but the named rows. */
export function restOf(total: Row, named: readonly Row[]): Row {
  const previous = named.map((row) => row.previous ?? NOTHING);
  return {
    value: minus(total.value, sumOf(named.map(({ value }) => value))),
    previous: total.previous && minus(total.previous, sumOf(previous)),
    series: total.series && restOfSeries(total.series, named),
  };
}

function restOfSeries(total: Series, named: readonly Row[]): Series {
  const ofDay = (day: string) => sumOf(named.map(({ series }) => series?.get(day) ?? NOTHING));
  return new Map([...total].map(([day, all]) => [day, minus(all, ofDay(day))]));
}
