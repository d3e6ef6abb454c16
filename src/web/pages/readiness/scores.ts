import { percent } from '../../format.js';

const POINTS = new Intl.NumberFormat('en', { maximumFractionDigits: 1, signDisplay: 'exceptZero' });

export interface Count {
  readonly numerator: number;
  readonly denominator: number;
}

export const score = (value: number | null) => (value === null ? '–' : percent(value));
/** Between two scores, in percentage points. */
export const points = (change: number | null) => (change === null ? '–' : `${POINTS.format(change * 100)} points`);

/** Whether a criterion is met, in a word. */
export function stateOf({ numerator, denominator }: Count): 'met' | 'partly' | 'missing' {
  if (numerator === denominator) return 'met';
  return numerator === 0 ? 'missing' : 'partly';
}

/** `1 of 2`; nothing to count where there is one only. */
export function countOf(count: Count | undefined): string {
  if (!count) return 'not evaluated';
  const state = stateOf(count);
  return count.denominator === 1 ? state : `${count.numerator} of ${count.denominator}`;
}

export interface Difference {
  readonly criterion: string;
  readonly before?: Count | undefined;
  readonly after?: Count | undefined;
}

export interface Differences {
  readonly improved: readonly Difference[];
  readonly worsened: readonly Difference[];
  readonly added: readonly Difference[];
  readonly removed: readonly Difference[];
}

/** What differs between any two reports of a repository; the service does the same for neighbours. */
export function compare(before: Readonly<Record<string, Count>>, after: Readonly<Record<string, Count>>): Differences {
  const share = ({ numerator, denominator }: Count) => numerator / denominator;
  const changes: Record<keyof Differences, Difference[]> = { improved: [], worsened: [], added: [], removed: [] };
  for (const criterion of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
    const [was, is] = [before[criterion], after[criterion]];
    const difference = { criterion, before: was, after: is };
    if (was && is) {
      if (share(is) > share(was)) changes.improved.push(difference);
      if (share(is) < share(was)) changes.worsened.push(difference);
    } else (is ? changes.added : changes.removed).push(difference);
  }
  return changes;
}
