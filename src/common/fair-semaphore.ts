export interface FairSemaphoreOptions {
  /** How many may be inside at once, in all and of one caller. */
  readonly size: number;
  readonly perCaller: number;
  readonly refuse: () => Error;
}

/** Idempotent. */
export type Release = () => void;

interface Waiter {
  readonly enter: () => void;
}

/** A semaphore for which callers take turns, so that one with a thousand requests does not delay the others. */
export class FairSemaphore {
  private free: number;
  private readonly inside = new Map<string, number>();
  private readonly lines = new Map<string, Waiter[]>();

  constructor(private readonly options: FairSemaphoreOptions) {
    this.free = options.size;
  }

  get waiting(): number {
    let count = 0;
    for (const line of this.lines.values()) count += line.length;
    return count;
  }

  acquire(caller: string, patienceMs: number): Promise<Release> {
    if (this.canEnter(caller)) return Promise.resolve(this.enter(caller));
    return new Promise((resolve, reject) => {
      const line = this.lines.get(caller) ?? [];
      const waiter: Waiter = {
        enter: () => {
          clearTimeout(timer);
          resolve(this.enter(caller));
        },
      };
      const giveUp = () => {
        line.splice(line.indexOf(waiter), 1);
        if (line.length === 0) this.lines.delete(caller);
        reject(this.options.refuse());
      };
      const timer = patienceMs === Infinity ? undefined : setTimeout(giveUp, patienceMs);
      line.push(waiter);
      this.lines.set(caller, line);
    });
  }

  async run<T>(caller: string, patienceMs: number, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire(caller, patienceMs);
    try {
      return await work();
    } finally {
      release();
    }
  }

  private canEnter(caller: string): boolean {
    return this.free > 0 && (this.inside.get(caller) ?? 0) < this.options.perCaller;
  }

  private enter(caller: string): Release {
    this.free--;
    this.inside.set(caller, (this.inside.get(caller) ?? 0) + 1);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.leave(caller);
    };
  }

  private leave(caller: string): void {
    this.free++;
    const left = (this.inside.get(caller) ?? 1) - 1;
    if (left === 0) this.inside.delete(caller);
    else this.inside.set(caller, left);
    this.admit();
  }

  private admit(): void {
    for (const [caller, line] of this.lines) {
      if (this.free === 0) return;
      if (!this.canEnter(caller)) continue;
      const next = line.shift();
      this.lines.delete(caller);
      if (line.length > 0) this.lines.set(caller, line); // behind the other callers
      next?.enter();
    }
  }
}
