import { LRUCache } from 'lru-cache';

interface Pace {
  /** The share of one core that the reads of a key may take. */
  readonly share: number;
  readonly minPauseMs: number;
  readonly maxPauseMs: number;
  readonly maxKeys: number;
}

interface Line<T> {
  startedMs: number;
  pauseMs: number;
  value: T | null;
  running: Promise<T> | null;
}

/** Reads on demand, shared by all who ask, and repeated only as often as their cost allows. */
export class PacedReads<T> {
  private readonly lines: LRUCache<string, Line<T>>;

  constructor(private readonly pace: Pace) {
    this.lines = new LRUCache({ max: pace.maxKeys });
  }

  /** The value is at most one pause old. */
  read(key: string, load: () => Promise<T>): Promise<T> {
    const line = this.lines.get(key);
    if (line?.running) return line.running;
    if (line && line.value !== null && performance.now() - line.startedMs < line.pauseMs)
      return Promise.resolve(line.value);
    const next = line ?? { startedMs: 0, pauseMs: 0, value: null, running: null };
    this.lines.set(key, next);
    next.running = this.load(next, load).finally(() => (next.running = null));
    return next.running;
  }

  private async load(line: Line<T>, load: () => Promise<T>): Promise<T> {
    const startedMs = performance.now();
    const value = await load();
    const costMs = performance.now() - startedMs;
    const { share, minPauseMs, maxPauseMs } = this.pace;
    line.startedMs = startedMs;
    line.pauseMs = Math.min(Math.max(costMs / share, minPauseMs), maxPauseMs);
    line.value = value;
    return value;
  }
}
