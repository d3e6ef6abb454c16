import { SharedReads } from '../../src/common/shared-reads.js';

/** A source of which each read ends when the test says so. */
class Source {
  begun = 0;
  private readonly endings: ((error?: Error) => void)[] = [];

  read = (): Promise<number> => {
    const number = ++this.begun;
    return new Promise((resolve, reject) => {
      this.endings.push((error) => (error ? reject(error) : resolve(number)));
    });
  };

  async end(error?: Error): Promise<void> {
    this.endings.shift()?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('shared reads', () => {
  let source: Source;
  let reads: SharedReads<number>;

  beforeEach(() => {
    source = new Source();
    reads = new SharedReads();
  });

  const ask = (key = 'a') => reads.read(key, source.read);

  it('never give anybody what was read before they asked', async () => {
    const first = ask();
    const later = [ask(), ask(), ask()];
    expect(source.begun).toBe(1);
    await source.end();
    expect(source.begun).toBe(2);
    const latest = ask();
    await source.end();
    await source.end();
    expect(await Promise.all([first, ...later, latest])).toEqual([1, 2, 2, 2, 3]);
  });

  it('of different things do not wait for each other', async () => {
    const both = [ask('a'), ask('b')];
    expect(source.begun).toBe(2);
    await source.end();
    await source.end();
    expect(await Promise.all(both)).toEqual([1, 2]);
  });

  it('go on after one that failed', async () => {
    const failed = ask().catch(String);
    const next = ask();
    await source.end(new Error('away'));
    await source.end();
    expect([await failed, await next]).toEqual(['Error: away', 2]);
    const fresh = ask();
    await source.end();
    expect(await fresh).toBe(3);
  });
});
