import { FairSemaphore } from '../../src/common/fair-semaphore.js';

const busy = new Error('busy');
const of = (size: number, perCaller = size) => new FairSemaphore({ size, perCaller, refuse: () => busy });

describe('a fair semaphore', () => {
  it('lets in as many as it has places, and as many of one caller', async () => {
    const semaphore = of(3, 2);
    await semaphore.acquire('ada', 0);
    await semaphore.acquire('ada', 0);
    await expect(semaphore.acquire('ada', 0)).rejects.toBe(busy);
    await semaphore.acquire('bob', 0);
    await expect(semaphore.acquire('cleo', 0)).rejects.toBe(busy);
  });

  it('lets callers take turns, however often one of them asks', async () => {
    const semaphore = of(1);
    const entered: string[] = [];
    const release = await semaphore.acquire('ada', 0);
    const all = ['ada', 'ada', 'ada', 'bob', 'cleo', 'bob'].map((caller) =>
      semaphore.run(caller, Infinity, () => Promise.resolve(entered.push(caller))),
    );
    release();
    await Promise.all(all);
    expect(entered).toEqual(['ada', 'bob', 'cleo', 'ada', 'bob', 'ada']);
  });

  it('passes by a caller who has enough already', async () => {
    const semaphore = of(2, 1);
    const releaseAda = await semaphore.acquire('ada', 0);
    const releaseBob = await semaphore.acquire('bob', 0);
    const entered: string[] = [];
    const all = ['ada', 'cleo'].map((caller) =>
      semaphore.run(caller, Infinity, () => Promise.resolve(entered.push(caller))),
    );
    releaseBob();
    await all[1];
    expect(entered).toEqual(['cleo']);
    releaseAda();
    await Promise.all(all);
    expect(entered).toEqual(['cleo', 'ada']);
  });

  it('takes a place back once, whoever says it twice, and after a failure', async () => {
    const semaphore = of(1);
    const release = await semaphore.acquire('ada', 0);
    release();
    release();
    await expect(semaphore.run('ada', 0, () => Promise.reject(busy))).rejects.toBe(busy);
    await semaphore.acquire('ada', 0);
    await expect(semaphore.acquire('bob', 0)).rejects.toBe(busy);
  });

  it('forgets who gave up waiting', async () => {
    const semaphore = of(1);
    const release = await semaphore.acquire('ada', 0);
    await expect(semaphore.acquire('bob', 1)).rejects.toBe(busy);
    expect(semaphore.waiting).toBe(0);
    release();
    await semaphore.acquire('cleo', 0);
  });
});
