import type { ReadingPace } from '../sessions/stream/session-stream.service.js';

/** A semaphore: bounds the batches that the followed sessions of one socket hold in memory. */
export class BatchSlots implements ReadingPace {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async begin(): Promise<() => void> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    return () => {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    };
  }
}
