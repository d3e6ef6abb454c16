import type { ExactInteger } from '../../../common/exact-json.js';
import { formatDollars } from '../../../prices/cost.js';
import type { SummaryMetric } from './metrics.js';
import { METRICS } from './metrics.js';

/** Exact; money in pico-dollars. Null: not known. */
export type Figures<Name extends string> = Readonly<Record<Name, bigint | null>>;
export type ShownFigure = ExactInteger | string | null;
export type ShownFigures<Name extends string> = Record<Name, ShownFigure>;

export const SUMMARY_METRICS: readonly SummaryMetric[] = METRICS.flatMap((metric): SummaryMetric[] => {
  if (metric === 'count') return [];
  return metric === 'cost' ? ['cost', 'reported_cost'] : [metric];
});

/** A number, or an amount of dollars as text. */
export function shown(metric: string, value: bigint | null): ShownFigure {
  if (value === null) return null;
  if (metric === 'cost' || metric === 'reported_cost') return formatDollars(value);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

export function shownFigures<Name extends string>(names: readonly Name[], figures: Figures<Name>): ShownFigures<Name> {
  return Object.fromEntries(names.map((name) => [name, shown(name, figures[name])])) as ShownFigures<Name>;
}

/** Of what is known; null when nothing is. */
export function sumKnown(values: readonly (bigint | null)[]): bigint | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 && values.length > 0 ? null : known.reduce((sum, value) => sum + value, 0n);
}

/** Of amounts that agents told; null when none did. */
export function sumTold(values: readonly (bigint | null)[]): bigint | null {
  return values.length === 0 ? null : sumKnown(values);
}
