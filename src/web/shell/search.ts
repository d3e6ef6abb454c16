import { type Comparison, type DayRange, isDay, type Preset, PRESETS, type RangeChoice, resolve } from '../ranges.js';

/** The part of the address that every page understands. Whatever does not belong there is left out, never an error. */
export interface ShellSearch extends RangeChoice {
  readonly cmp?: Comparison;
}

const COMPARISONS: readonly Comparison[] = ['previous', 'year', 'none'];

export function readShellSearch(raw: Record<string, unknown>): ShellSearch {
  return {
    ...(typeof raw.range === 'string' && raw.range in PRESETS ? { range: raw.range as Preset } : {}),
    ...(isDay(raw.from) && isDay(raw.to) ? { from: raw.from, to: raw.to } : {}),
    ...(COMPARISONS.includes(raw.cmp as Comparison) ? { cmp: raw.cmp as Comparison } : {}),
  };
}

export function utcToday(): string {
  return new Date().toISOString().slice(0, 10);
}

/** What a page asks of the service. */
export interface Period extends DayRange {
  readonly comparison: Comparison;
}

export function periodOf(search: ShellSearch): Period {
  return { ...resolve(search, utcToday()), comparison: search.cmp ?? 'previous' };
}
