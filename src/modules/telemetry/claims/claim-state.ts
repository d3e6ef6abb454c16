import { addNumber, addRun, countNumbers, noNumbers, type NumberRun, type Numbers } from './number-runs.js';

/** Points of delta sums that are remembered, so that a retried export is not added twice. */
const MAX_POINTS = 128;
/** Series of cumulative sums; those of further attribute sets are left out. */
const MAX_SERIES = 200;
/** Claims are taken on trust: no session uses more in a day. */
const MAX_CLAIMED = 10_000_000_000_000;

/** `base`: the value with which the day began; not fixed while it is only the smallest that was seen. */
interface Series {
  base: number;
  last: number;
  isBaseFixed: boolean;
}

/** What a session says it sent on a day, and what arrived of it; stored as JSON. */
export interface ClaimState {
  numbers: Numbers;
  points: string[];
  deltas: number;
  series: Record<string, Series>;
  hasCounters: boolean;
  /** In the unit of the counters. */
  arrived: number;
}

/** One value of a counter. */
export interface CounterPoint {
  /** The attribute set; for a delta also its interval. */
  readonly id: string;
  readonly value: number;
  readonly isDelta: boolean;
  /** Of a cumulative sum: whether it began on the day of the claim. */
  readonly isOfToday: boolean;
}

/** What one or more requests add to a session's claim. */
export interface ClaimPart {
  readonly numbers: Numbers;
  readonly deltas: Map<string, number>;
  readonly sums: Map<string, { min: number; max: number; isOfToday: boolean }>;
  arrived: number;
}

export interface ClaimSums {
  readonly numbered: number;
  readonly numberedSeen: number;
  readonly claimed: number;
  readonly claimedSeen: number;
}

/** Distinct points of a session that wait to be written; further ones are left out. */
const MAX_WAITING_POINTS = 5_000;

export function noClaim(): ClaimState {
  return { numbers: noNumbers(), points: [], deltas: 0, series: {}, hasCounters: false, arrived: 0 };
}

export function noPart(): ClaimPart {
  return { numbers: noNumbers(), deltas: new Map(), sums: new Map(), arrived: 0 };
}

export function noteNumber(part: ClaimPart, number: number, timeMs: number): void {
  addNumber(part.numbers, number, timeMs);
}

export function notePoint(part: ClaimPart, { id, value, isDelta, isOfToday }: CounterPoint): void {
  if (part.deltas.size + part.sums.size >= MAX_WAITING_POINTS) return;
  const amount = Math.min(Math.max(0, Math.round(value)), MAX_CLAIMED);
  if (isDelta) part.deltas.set(id, amount);
  else noteSum(part, id, { min: amount, max: amount, isOfToday });
}

function noteSum(
  part: ClaimPart,
  id: string,
  { min, max, isOfToday }: { min: number; max: number; isOfToday: boolean },
) {
  const known = part.sums.get(id) ?? { min, max, isOfToday };
  part.sums.set(id, { min: Math.min(known.min, min), max: Math.max(known.max, max), isOfToday });
}

export function mergeParts(into: ClaimPart, part: ClaimPart): void {
  addNumbers(into.numbers, part.numbers);
  for (const [id, value] of part.deltas) into.deltas.set(id, value);
  for (const [id, sum] of part.sums) noteSum(into, id, sum);
  into.arrived += part.arrived;
}

/** `before`: the claim of the same session on the day before, with which its cumulative sums begin. */
export function addPart(state: ClaimState, part: ClaimPart, before: ClaimState | null): void {
  addNumbers(state.numbers, part.numbers);
  const known = new Set(state.points);
  for (const [id, value] of part.deltas) {
    if (known.has(id)) continue;
    state.points.push(id);
    state.deltas = Math.min(state.deltas + value, MAX_CLAIMED);
  }
  state.points.splice(0, Math.max(0, state.points.length - MAX_POINTS));
  for (const [id, sum] of part.sums) addSum(state, id, sum, before?.series[id]?.last ?? null);
  state.hasCounters ||= part.deltas.size + part.sums.size > 0;
  state.arrived += part.arrived;
}

function addSum(
  { series }: ClaimState,
  id: string,
  { min, max, isOfToday }: { min: number; max: number; isOfToday: boolean },
  before: number | null,
): void {
  const known = series[id];
  if (known) {
    known.last = Math.max(known.last, max);
    if (!known.isBaseFixed) known.base = Math.min(known.base, min);
  } else if (Object.keys(series).length < MAX_SERIES) {
    const isBaseFixed = isOfToday || before !== null;
    series[id] = { base: isOfToday ? 0 : (before ?? min), last: max, isBaseFixed };
  }
}

function addNumbers(into: Numbers, { runs, foldedNumbered, foldedSeen }: Numbers): void {
  into.foldedNumbered += foldedNumbered;
  into.foldedSeen += foldedSeen;
  for (const run of runs) addRun(into, run satisfies NumberRun);
}

/** A session that sends no counters is not compared with any. */
export function sumClaim({ numbers, deltas, series, hasCounters, arrived }: ClaimState): ClaimSums {
  const { numbered, seen } = countNumbers(numbers);
  if (!hasCounters) return { numbered, numberedSeen: seen, claimed: 0, claimedSeen: 0 };
  const sums = Object.values(series).reduce((total, { base, last }) => total + Math.max(0, last - base), 0);
  return { numbered, numberedSeen: seen, claimed: deltas + sums, claimedSeen: arrived };
}
