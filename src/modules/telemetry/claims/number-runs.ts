/** Numbers that one process of an agent gave its records, as far as they arrived: ranges in order, each `[first, last]`. */
export interface NumberRun {
  /** Unix milliseconds of the first and the last record. */
  fromMs: number;
  toMs: number;
  ranges: [first: number, last: number][];
}

/** What is known of the numbers of a session on a day. */
export interface Numbers {
  runs: NumberRun[];
  /** Of runs and ranges that are no longer kept one by one. */
  foldedNumbered: number;
  foldedSeen: number;
}

/** A larger step is not believed to be a gap; it begins another run. */
const MAX_GAP = 100_000;
/** Records that are written at the same time may be dated in another order than they are numbered. */
const MAX_SKEW_MS = 2_000;
const MAX_RUNS = 20;
const MAX_RANGES = 200;

export function noNumbers(): Numbers {
  return { runs: [], foldedNumbered: 0, foldedSeen: 0 };
}

/** How many numbers were given, and how many of these arrived. */
export function countNumbers({ runs, foldedNumbered, foldedSeen }: Numbers): { numbered: number; seen: number } {
  let [numbered, seen] = [foldedNumbered, foldedSeen];
  for (const run of runs) {
    numbered += lastOf(run) - firstOf(run) + 1;
    for (const [first, last] of run.ranges) seen += last - first + 1;
  }
  return { numbered, seen };
}

/** Nearly every number continues the last run. */
export function addNumber(numbers: Numbers, number: number, timeMs: number): void {
  const run = numbers.runs.at(-1);
  const range = run?.ranges.at(-1);
  if (run && range?.[1] === number - 1 && timeMs >= run.toMs) {
    range[1] = number;
    run.toMs = timeMs;
  } else addRun(numbers, { fromMs: timeMs, toMs: timeMs, ranges: [[number, number]] });
}

/**
 * Adds what arrived, in any order and however often. Within a run numbers grow with time; where they fall back, the agent
 * was started anew.
 */
export function addRun(numbers: Numbers, added: NumberRun): void {
  const { runs } = numbers;
  const overlapping = runs.find((run) => added.fromMs <= run.toMs && added.toMs >= run.fromMs);
  const before = runs.findLast((run) => run.toMs < added.fromMs);
  const after = runs.find((run) => run.fromMs > added.toMs);
  const run =
    overlapping ?? (before && isOneRun(before, added) ? before : after && isOneRun(added, after) ? after : null);
  if (run) extend(run, added);
  else runs.push({ ...added, ranges: added.ranges.map(([first, last]) => [first, last]) });
  runs.sort((a, b) => a.fromMs - b.fromMs);
  fold(numbers);
}

function isOneRun(earlier: NumberRun, later: NumberRun): boolean {
  const step = firstOf(later) - lastOf(earlier);
  if (step > 0) return step <= MAX_GAP;
  return later.fromMs - earlier.toMs <= MAX_SKEW_MS && areDisjoint(earlier, later);
}

/** A number that is there already was given by another process. */
function areDisjoint(earlier: NumberRun, later: NumberRun): boolean {
  return later.ranges.every(([first, last]) => earlier.ranges.every(([from, to]) => last < from || first > to));
}

function firstOf(run: NumberRun): number {
  return run.ranges[0]?.[0] ?? 0;
}

function lastOf(run: NumberRun): number {
  return run.ranges.at(-1)?.[1] ?? 0;
}

function extend(run: NumberRun, added: NumberRun): void {
  run.fromMs = Math.min(run.fromMs, added.fromMs);
  run.toMs = Math.max(run.toMs, added.toMs);
  for (const [first, last] of added.ranges) insert(run.ranges, first, last);
}

/** Searched from the end, where most of them belong. */
function insert(ranges: [number, number][], first: number, last: number): void {
  let at = ranges.length;
  while ((ranges[at - 1]?.[0] ?? -1) > first) at--;
  const before = ranges[at - 1];
  if (before && first <= before[1] + 1) {
    before[1] = Math.max(before[1], last);
    at--;
  } else ranges.splice(at, 0, [first, last]);
  const range = ranges[at];
  for (let next = ranges[at + 1]; range && next && next[0] <= range[1] + 1; next = ranges[at + 1]) {
    range[1] = Math.max(range[1], next[1]);
    ranges.splice(at + 1, 1);
  }
}

/** Bounds what is kept: the oldest is added up, so that only a repetition of it could still count twice. */
function fold(numbers: Numbers): void {
  while (numbers.runs.length > MAX_RUNS) foldRanges(numbers, numbers.runs.shift()?.ranges ?? []);
  for (const run of numbers.runs) {
    const excess = run.ranges.length - MAX_RANGES;
    if (excess <= 0) continue;
    const folded = run.ranges.splice(0, excess);
    // The numbers between the folded ranges and the rest are missing as well.
    numbers.foldedNumbered += firstOf(run) - (folded.at(-1)?.[1] ?? 0) - 1;
    foldRanges(numbers, folded);
  }
}

function foldRanges(numbers: Numbers, ranges: [number, number][]): void {
  numbers.foldedNumbered += (ranges.at(-1)?.[1] ?? 0) - (ranges[0]?.[0] ?? 0) + 1;
  for (const [first, last] of ranges) numbers.foldedSeen += last - first + 1;
}
