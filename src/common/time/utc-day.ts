import { DAY_MS } from './durations.js';

const DAY_PATTERN = /^\d{4}-\d{2}-\d{2}$/;

export class UtcDay {
  private text: string | null = null;

  private constructor(private readonly startMs: number) {}

  /** null unless it is a real calendar day. */
  static tryParse(text: string): UtcDay | null {
    if (!DAY_PATTERN.test(text)) return null;
    const startMs = Date.parse(`${text}T00:00:00.000Z`);
    if (Number.isNaN(startMs)) return null;
    const day = new UtcDay(startMs);
    // Date.parse turns 30 February into 2 March; a real day survives the round trip.
    return day.toString() === text ? day : null;
  }

  static of(instant: Date): UtcDay {
    return new UtcDay(Math.floor(instant.getTime() / DAY_MS) * DAY_MS);
  }

  startsAt(): Date {
    return new Date(this.startMs);
  }

  next(): UtcDay {
    return this.plus(1);
  }

  plus(days: number): UtcDay {
    return new UtcDay(this.startMs + days * DAY_MS);
  }

  daysUntil(later: UtcDay): number {
    return (later.startMs - this.startMs) / DAY_MS;
  }

  isBefore(other: UtcDay): boolean {
    return this.startMs < other.startMs;
  }

  has(timeMs: number): boolean {
    return timeMs >= this.startMs && timeMs < this.startMs + DAY_MS;
  }

  toString(): string {
    this.text ??= new Date(this.startMs).toISOString().slice(0, 10); // requests ask for it many times
    return this.text;
  }
}
