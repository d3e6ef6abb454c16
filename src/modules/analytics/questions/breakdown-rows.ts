import type { AnalyticsRange } from '../analytics-range.js';
import type { Series } from './breakdown.repository.js';
import { changeOf, shareOf } from './comparison.js';
import { shown, type ShownFigure, sumKnown } from './figures.js';
import type { Metric } from './metrics.js';

/** A row before it is written; `previous` is undefined without a comparison, `series` on later pages. */
export interface Row {
  readonly value: bigint | null;
  readonly previous: bigint | null | undefined;
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

  write({ value, previous, series }: Row): ShownRow {
    return {
      value: shown(this.metric, value),
      share: shareOf(value, this.total.value),
      previous_value: shown(this.metric, previous ?? null),
      change: changeOf(value, previous ?? null),
      ...(series ? { series: this.days.map((date) => ({ date, value: this.ofDay(series, date) })) } : {}),
    };
  }

  /** On a day without facts nothing happened. */
  private ofDay(series: Series, date: string): ShownFigure {
    return shown(this.metric, valueOn(series, date));
  }
}

/** Everything but the named rows. */
export function restOf(total: Row, named: readonly Row[], isUnpriced: boolean): Row {
  const previous = named.map((row) => row.previous ?? null);
  return {
    value: isUnpriced ? null : without(total.value, sumKnown(named.map(({ value }) => value))),
    previous: total.previous === undefined ? undefined : without(total.previous, sumKnown(previous)),
    series: total.series ? restOfSeries(total.series, named) : undefined,
  };
}

function restOfSeries(total: Series, named: readonly Row[]): Series {
  const entries = [...total].map(([day, value]): [string, bigint | null] => {
    const known = sumKnown(named.map(({ series }) => (series ? valueOn(series, day) : 0n)));
    return [day, without(value, known)];
  });
  return new Map(entries);
}

export function totalOf(series: Series): bigint | null {
  return sumKnown([...series.values()]);
}

function valueOn(series: Series, day: string): bigint | null {
  const value = series.get(day);
  return value === undefined ? 0n : value;
}

function without(value: bigint | null, part: bigint | null): bigint | null {
  return value === null ? null : value - (part ?? 0n);
}
