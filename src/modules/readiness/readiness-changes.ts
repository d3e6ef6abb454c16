import type { CriterionEvaluation } from './readiness-report.entity.js';

/** Sub-applications that meet a criterion, of all evaluated. */
export type CriterionCount = Pick<CriterionEvaluation, 'numerator' | 'denominator'>;

/** `before` or `after` is absent when only one of two reports has the criterion. */
export interface CriterionChange {
  readonly criterion: string;
  readonly before?: CriterionCount;
  readonly after?: CriterionCount;
}

export interface Changes {
  readonly added: CriterionChange[];
  readonly removed: CriterionChange[];
  readonly improved: CriterionChange[];
  readonly worsened: CriterionChange[];
}

/** Equal shares, such as 1/2 and 2/4, are no change. */
export function compare(previous: Counts, current: Counts): Changes {
  const earlier = new Map(Object.entries(previous));
  const later = new Map(Object.entries(current));
  const both = [...later].flatMap(([criterion, evaluation]) => {
    const before = earlier.get(criterion);
    if (!before) return [];
    return [{ change: { criterion, before: count(before), after: count(evaluation) }, gain: gain(before, evaluation) }];
  });
  return {
    added: missingFrom(earlier, later).map(([criterion, after]) => ({ criterion, after: count(after) })),
    removed: missingFrom(later, earlier).map(([criterion, before]) => ({ criterion, before: count(before) })),
    improved: both.filter((entry) => entry.gain > 0).map(({ change }) => change),
    worsened: both.filter((entry) => entry.gain < 0).map(({ change }) => change),
  };
}

type Counts = Readonly<Record<string, CriterionCount>>;
type Entries = Map<string, CriterionCount>;

function missingFrom(one: Entries, other: Entries): [string, CriterionCount][] {
  return [...other].filter(([criterion]) => !one.has(criterion));
}

/** Positive when the share has grown. Cross-multiplied, because whole numbers compare exactly. */
function gain(before: CriterionCount, after: CriterionCount): number {
  return after.numerator * before.denominator - before.numerator * after.denominator;
}

function count({ numerator, denominator }: CriterionCount): CriterionCount {
  return { numerator, denominator };
}
