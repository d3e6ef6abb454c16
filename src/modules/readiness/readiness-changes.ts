import type { Criteria, CriterionEvaluation } from './readiness-report.entity.js';

/** How many sub-applications of how many meet a criterion. */
export type CriterionCount = Pick<CriterionEvaluation, 'numerator' | 'denominator'>;

/** A criterion that differs between two reports; `before` or `after` is absent where only one of them has it. */
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

/** What differs from an earlier report. A share that is the same in other numbers, 1/2 and 2/4, has not changed. */
export function compare(previous: Criteria, current: Criteria): Changes {
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

type Entries = Map<string, CriterionEvaluation>;

function missingFrom(one: Entries, other: Entries): [string, CriterionEvaluation][] {
  return [...other].filter(([criterion]) => !one.has(criterion));
}

/** Positive when the share has grown. Multiplied crosswise, because whole numbers compare exactly. */
function gain(before: CriterionCount, after: CriterionCount): number {
  return after.numerator * before.denominator - before.numerator * after.denominator;
}

function count({ numerator, denominator }: CriterionEvaluation): CriterionCount {
  return { numerator, denominator };
}
