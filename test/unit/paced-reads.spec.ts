import { setTimeout as sleep } from 'node:timers/promises';
import { PacedReads } from '../../src/common/paced-reads.js';

const PACE = { share: 0.1, minPauseMs: 20, maxPauseMs: 400, maxKeys: 2 };

describe('paced reads', () => {
  it('share one load while it runs', async () => {
    const reads = new PacedReads<number>(PACE);
    let loads = 0;
    const load = async () => {
      await sleep(10);
      return ++loads;
    };
    expect(await Promise.all([reads.read('a', load), reads.read('a', load), reads.read('a', load)])).toEqual([1, 1, 1]);
  });

  it('give the last value until ten times its cost has passed', async () => {
    const reads = new PacedReads<number>(PACE);
    let loads = 0;
    const load = async () => {
      await sleep(30);
      return ++loads;
    };
    const startedMs = performance.now();
    expect(await reads.read('a', load)).toBe(1);
    while ((await reads.read('a', load)) === 1) await sleep(5);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(300);
    expect(loads).toBe(2);
  });

  it('wait no longer than the longest pause, whatever the cost', async () => {
    const reads = new PacedReads<number>({ ...PACE, maxPauseMs: 60 });
    let loads = 0;
    const load = async () => {
      await sleep(50);
      return ++loads;
    };
    await reads.read('a', load);
    await sleep(60);
    expect(await reads.read('a', load)).toBe(2);
  });

  it('try again at once after a failure', async () => {
    const reads = new PacedReads<number>(PACE);
    await expect(reads.read('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await reads.read('a', () => Promise.resolve(5))).toBe(5);
  });

  it('keep keys apart, and forget the ones used least', async () => {
    const reads = new PacedReads<string>(PACE);
    for (const key of ['a', 'b', 'c']) expect(await reads.read(key, () => Promise.resolve(key))).toBe(key);
    expect(await reads.read('a', () => Promise.resolve('new'))).toBe('new');
  });
});
