import { compare } from '../../src/modules/readiness/readiness-changes.js';
import { assess } from '../../src/modules/readiness/readiness-level.js';
import type { Criteria } from '../../src/modules/readiness/readiness-report.entity.js';

type Shares = Record<string, [numerator: number, denominator: number]>;

/** A report with these shares. */
const report = (shares: Shares): Criteria =>
  Object.fromEntries(
    Object.entries(shares).map(([id, [numerator, denominator]]) => [id, { numerator, denominator, rationale: '' }]),
  );
const pillar = (shares: Shares, name: string) => assess(report(shares)).pillars.find((entry) => entry.name === name);

const NINE_PILLARS = [
  'Style & Validation',
  'Build System',
  'Testing',
  'Documentation',
  'Development Environment',
  'Debugging & Observability',
  'Security',
  'Task Discovery',
  'Product & Experimentation',
];

describe('the level of a report', () => {
  it.each<[number, number, number, string]>([
    [0, 1, 1, 'Functional'],
    [199, 1000, 1, 'Functional'],
    [1, 5, 2, 'Documented'],
    [28, 100, 2, 'Documented'],
    [399, 1000, 2, 'Documented'],
    [2, 5, 3, 'Standardized'],
    [53, 100, 3, 'Standardized'],
    [599, 1000, 3, 'Standardized'],
    [3, 5, 4, 'Optimized'],
    [74, 100, 4, 'Optimized'],
    [799, 1000, 4, 'Optimized'],
    [4, 5, 5, 'Autonomous'],
    [1, 1, 5, 'Autonomous'],
  ])('with a score of %d/%d is %d, %s', (numerator, denominator, level, levelName) => {
    const assessed = assess(report({ readme: [numerator, denominator] }));
    expect(assessed).toMatchObject({ score: numerator / denominator, level, levelName });
  });

  it('counts every criterion the same, however many applications it is about', () => {
    const { score } = assess(report({ readme: [1, 1], lint_config: [0, 9] }));
    expect(score).toBe(0.5);
  });

  it.each<[Shares, number, number]>([
    [{ a: [1, 10], b: [7, 10] }, 0.4, 3],
    [{ a: [1, 10], b: [2, 10], c: [3, 10] }, 0.2, 2],
    [{ a: [7, 10], b: [1, 10], c: [10, 10] }, 0.6, 4],
  ])('of %j does not fall short by a rounding error', (shares, score, level) => {
    expect(assess(report(shares))).toMatchObject({ score, level });
  });

  it('of thirds is the nearest that twelve decimals can say', () => {
    expect(assess(report({ a: [1, 3] })).score).toBe(0.333333333333);
  });
});

describe('the pillars of a report', () => {
  it('are always the nine, with no score where nothing was evaluated', () => {
    const { pillars } = assess(report({ readme: [1, 2] }));
    expect(pillars.map(({ name }) => name)).toEqual(NINE_PILLARS);
    expect(pillars.filter(({ score }) => score !== null)).toEqual([
      { name: 'Documentation', score: 0.5, criteria: ['readme'] },
    ]);
  });

  it('have the mean of their own criteria for a score', () => {
    const shares: Shares = { lint_config: [1, 1], type_check: [1, 2], readme: [0, 1] };
    expect(pillar(shares, 'Style & Validation')).toEqual({
      name: 'Style & Validation',
      score: 0.75,
      criteria: ['lint_config', 'type_check'],
    });
    expect(pillar(shares, 'Documentation')?.score).toBe(0);
  });

  it.each([
    ['n_plus_one_detection', 'Style & Validation'],
    ['dead_feature_flag_detection', 'Build System'],
    ['test_isolation', 'Testing'],
    ['agents_md_validation', 'Documentation'],
    ['devcontainer_runnable', 'Development Environment'],
    ['profiling_instrumentation', 'Debugging & Observability'],
    ['min_release_age', 'Security'],
    ['pr_templates', 'Task Discovery'],
    ['error_to_insight_pipeline', 'Product & Experimentation'],
  ])('have %s in %s', (id, name) => {
    expect(pillar({ [id]: [1, 1] }, name)?.criteria).toEqual([id]);
  });

  it.each(['our_own_rule', 'README', 'size', 'get', 'then', 'Testing', ''])('have "%s" in Other', (id) => {
    const { pillars } = assess(report({ [id]: [1, 4] }));
    expect(pillars.slice(9)).toEqual([{ name: 'Other', score: 0.25, criteria: [id] }]);
  });
});

describe('the changes since a report', () => {
  const changes = (before: Shares, after: Shares) => compare(report(before), report(after));
  const NONE = { added: [], removed: [], improved: [], worsened: [] };

  it('are none when nothing differs', () => {
    expect(changes({ a: [1, 2] }, { a: [1, 2] })).toEqual(NONE);
  });

  it.each<[string, Shares, Shares, object]>([
    [
      'improved',
      { a: [1, 2] },
      { a: [2, 2] },
      { before: { numerator: 1, denominator: 2 }, after: { numerator: 2, denominator: 2 } },
    ],
    [
      'worsened',
      { a: [1, 1] },
      { a: [2, 3] },
      { before: { numerator: 1, denominator: 1 }, after: { numerator: 2, denominator: 3 } },
    ],
    ['added', {}, { a: [1, 2] }, { after: { numerator: 1, denominator: 2 } }],
    ['removed', { a: [0, 2] }, {}, { before: { numerator: 0, denominator: 2 } }],
  ])('name what was %s', (kind, before, after, counts) => {
    expect(changes(before, after)).toEqual({ ...NONE, [kind]: [{ criterion: 'a', ...counts }] });
  });

  it.each<[Shares, Shares]>([
    [{ a: [1, 2] }, { a: [2, 4] }],
    [{ a: [1, 3] }, { a: [333_333, 999_999] }],
    [{ a: [0, 1] }, { a: [0, 7] }],
  ])('do not name a share that is the same in other numbers: %j and %j', (before, after) => {
    expect(changes(before, after)).toEqual(NONE);
  });

  it('notice the smallest difference that two shares can have', () => {
    expect(changes({ a: [499_999, 999_999] }, { a: [500_000, 1_000_000] }).improved).toHaveLength(1);
  });

  it('do not speak of reasons', () => {
    const [before, after] = [report({ a: [1, 2] }), report({ a: [1, 2] })];
    expect(compare(before, { a: { ...after.a, rationale: 'for another reason' } } as Criteria)).toEqual(NONE);
  });
});
