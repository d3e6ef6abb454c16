import {
  addPart,
  type ClaimState,
  type CounterPoint,
  mergeParts,
  noClaim,
  noPart,
  notePoint,
  sumClaim,
} from '../../../src/modules/telemetry/claims/claim-state.js';

const delta = (id: string, value: number): CounterPoint => ({ id, value, isDelta: true, isOfToday: true });
const sum = (id: string, value: number, isOfToday = true): CounterPoint => ({ id, value, isDelta: false, isOfToday });

function add(state: ClaimState, points: CounterPoint[], before: ClaimState | null = null): ClaimState {
  const part = noPart();
  for (const point of points) notePoint(part, point);
  addPart(state, part, before);
  return state;
}

const claimed = (state: ClaimState) => sumClaim(state).claimed;

describe('counters that agents send', () => {
  it('as deltas are added up, each once', () => {
    const state = add(noClaim(), [delta('a', 100), delta('b', 20)]);
    add(state, [delta('b', 20), delta('c', 3)]);
    expect(claimed(state)).toBe(123);
  });

  it('as cumulative sums count with their largest value, so that a lost export heals', () => {
    const state = add(noClaim(), [sum('a', 100)]);
    add(state, [sum('a', 400)]);
    add(state, [sum('a', 300)]);
    expect(claimed(state)).toBe(400);
  });

  it('as cumulative sums that go on after midnight count from where the day before ended', () => {
    const yesterday = add(noClaim(), [sum('a', 400)]);
    expect(claimed(add(noClaim(), [sum('a', 450, false)], yesterday))).toBe(50);
  });

  it('as cumulative sums of a time before, of which nothing is known, count from the first value', () => {
    const state = add(noClaim(), [sum('a', 400, false)]);
    add(state, [sum('a', 450, false)]);
    expect(claimed(state)).toBe(50);
  });

  it('are the same whether requests are written together or one by one', () => {
    const [first, second] = [noPart(), noPart()];
    for (const point of [delta('a', 1), sum('s', 5)]) notePoint(first, point);
    for (const point of [delta('a', 1), delta('b', 2), sum('s', 9)]) notePoint(second, point);
    mergeParts(first, second);
    const together = noClaim();
    addPart(together, first, null);
    expect(claimed(together)).toBe(12);
  });

  it('are compared with nothing when there are none', () => {
    const part = noPart();
    part.arrived = 500;
    const state = noClaim();
    addPart(state, part, null);
    expect(sumClaim(state)).toEqual({ numbered: 0, numberedSeen: 0, claimed: 0, claimedSeen: 0 });
    expect(sumClaim(add(state, [delta('a', 1_000)]))).toMatchObject({ claimed: 1_000, claimedSeen: 500 });
  });

  it('of hostile size and number stay bounded', () => {
    const state = noClaim();
    for (let i = 0; i < 20; i++)
      add(
        state,
        Array.from({ length: 10_000 }, (_, n) => delta(`${i} ${n}`, 1e300)),
      );
    add(
      state,
      Array.from({ length: 1_000 }, (_, n) => sum(`${n}`, 1e12)),
    );
    expect(claimed(state)).toBeLessThan(Number.MAX_SAFE_INTEGER);
    expect(JSON.stringify(state).length).toBeLessThan(40_000);
  });
});
