const FIRST_MS = 500;
const MAX_MS = 30_000;

/** Exponential with jitter, so that clients that were cut off together do not return together. */
export class Backoff {
  private attempts = 0;

  constructor(private readonly random: () => number = Math.random) {}

  nextMs(): number {
    const ceiling = Math.min(MAX_MS, FIRST_MS * 2 ** this.attempts++);
    return ceiling / 2 + (this.random() * ceiling) / 2;
  }

  reset(): void {
    this.attempts = 0;
  }
}
