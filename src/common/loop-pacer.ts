/**
 * Spreads work over turns of the event loop. Who has much to do asks before each piece; only a few pieces are done in one
 * turn, so that whatever else has arrived is seen to between them.
 */
export class LoopPacer {
  private readonly waiting: (() => void)[] = [];
  private isScheduled = false;

  constructor(private readonly piecesPerTurn: number) {}

  /** Resolves when the next piece may be done. */
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
