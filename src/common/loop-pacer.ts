/** Spreads work over rounds of the event loop: only `piecesPerTurn` callers of `next` continue in each round. */
export class LoopPacer {
  private readonly waiting: (() => void)[] = [];
  private isScheduled = false;

  constructor(private readonly piecesPerTurn: number) {}

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      for (const resolve of this.waiting.splice(0, this.piecesPerTurn)) resolve();
      if (this.waiting.length > 0) this.schedule();
    });
  }
}
