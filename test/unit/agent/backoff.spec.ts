import { Backoff } from '../../../src/agent/relay/backoff.js';

const times = (backoff: Backoff, count: number) => Array.from({ length: count }, () => backoff.nextMs());

describe('the time between attempts', () => {
  it('doubles from half a second to half a minute', () => {
    expect(times(new Backoff(() => 1), 9)).toEqual([500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]);
  });

  it('is at least half of that', () => {
    expect(times(new Backoff(() => 0), 8)).toEqual([250, 500, 1000, 2000, 4000, 8000, 15000, 15000]);
  });

  it('is bounded however often it was tried', () => {
    const backoff = new Backoff();
    const last = times(backoff, 5_000).at(-1) ?? 0;
    expect([last >= 15_000, last <= 30_000]).toEqual([true, true]);
  });

  it('differs between clients that were cut off together', () => {
    const firsts = Array.from({ length: 20 }, () => new Backoff().nextMs());
    expect(new Set(firsts).size).toBeGreaterThan(1);
  });

  it('is short again after a success', () => {
    const backoff = new Backoff(() => 1);
    times(backoff, 5);
    backoff.reset();
    expect(backoff.nextMs()).toBe(500);
  });
});
