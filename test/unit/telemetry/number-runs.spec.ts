import {
  addNumber,
  addRun,
  countNumbers,
  noNumbers,
  type Numbers,
} from '../../../src/modules/telemetry/claims/number-runs.js';

/** Records `[number, time]` that arrive one by one. */
function arrived(records: readonly (readonly [number, number])[]): Numbers {
  const numbers = noNumbers();
  for (const [number, timeMs] of records) addNumber(numbers, number, timeMs);
  return numbers;
}

const counted = (records: readonly (readonly [number, number])[]) => countNumbers(arrived(records));
const run = (length: number, fromMs = 0, first = 0) =>
  Array.from({ length }, (_, i) => [first + i, fromMs + i * 10] as const);

describe('the numbers of a session', () => {
  it('are all there when none is missing, also when they do not begin with 0', () => {
    expect(counted(run(38))).toEqual({ numbered: 38, seen: 38 });
    expect(counted(run(5, 0, 57))).toEqual({ numbered: 5, seen: 5 });
  });

  it('show what is missing between the first and the last', () => {
    expect(counted(run(38).filter(([number]) => number !== 7 && number !== 20))).toEqual({ numbered: 38, seen: 36 });
  });

  it('count once, however often and in whatever order they arrive', () => {
    const records = run(20);
    const shuffled = [...records.slice(10), ...records.slice(0, 12), ...records].reverse();
    expect(counted(shuffled)).toEqual({ numbered: 20, seen: 20 });
  });

  it('begin anew where they fall back: a gap of the second run is not hidden by the first', () => {
    const resumed = run(6, 10_000).filter(([number]) => number !== 3);
    expect(counted([...run(38), ...resumed])).toEqual({ numbered: 44, seen: 43 });
    expect(counted([...resumed, ...run(38)])).toEqual({ numbered: 44, seen: 43 });
  });

  it('go on when a resumed session goes on', () => {
    expect(counted([...run(38), ...run(5, 10_000, 38)])).toEqual({ numbered: 43, seen: 43 });
  });

  it('may be dated in another order, as long as that is a matter of moments', () => {
    const records = [...run(9), [10, 100], [9, 101], [11, 102], [13, 110], [12, 109]] as const;
    expect(counted(records)).toEqual({ numbered: 14, seen: 14 });
  });

  it('put a late record into the run of its time', () => {
    const late = [7, 70] as const;
    const first = run(38).filter(([number]) => number !== 7);
    expect(counted([...first, ...run(6, 10_000), late])).toEqual({ numbered: 44, seen: 44 });
  });

  it('are the same whether they come one by one or as runs of several requests', () => {
    const [a, b] = [arrived(run(20)), arrived(run(30, 0).slice(15))];
    for (const part of b.runs) addRun(a, part);
    expect(countNumbers(a)).toEqual({ numbered: 30, seen: 30 });
  });

  it('are not believed when one is far away from the others', () => {
    expect(counted([...run(5), [900_000_000, 60]])).toEqual({ numbered: 6, seen: 6 });
  });

  it('stay exact and small with a thousand gaps, and with a thousand runs', () => {
    const everySecond = run(2_001).filter(([number]) => number % 2 === 0);
    const gaps = arrived(everySecond);
    expect(countNumbers(gaps)).toEqual({ numbered: 2_001, seen: 1_001 });
    expect(gaps.runs.flatMap(({ ranges }) => ranges).length).toBeLessThanOrEqual(200);

    const restarts = arrived(Array.from({ length: 1_000 }, (_, i) => run(3, i * 1_000)).flat());
    expect(countNumbers(restarts)).toEqual({ numbered: 3_000, seen: 3_000 });
    expect(restarts.runs.length).toBeLessThanOrEqual(20);
  });
});
