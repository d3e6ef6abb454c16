import type { Principal } from '../../common/access/principal.js';
import { type LiveEvent, subjectOf } from './live-event.js';

/** A reader that has not taken this many events is told to read everything again instead. */
const MAX_WAITING = 500;

/** The stream of one tab: holds what its reader has not taken yet, at most one event about each thing. */
export class LiveReader {
  private readonly waiting = new Map<string, LiveEvent>();
  private isEnded = false;
  private resume: (() => void) | null = null;

  constructor(readonly caller: Principal) {}

  send(event: LiveEvent): void {
    if (this.waiting.has('resync')) return;
    const subject = subjectOf(event);
    this.waiting.delete(subject);
    this.waiting.set(subject, event);
    if (event.event === 'resync' || this.waiting.size > MAX_WAITING) {
      this.waiting.clear();
      this.waiting.set('resync', { event: 'resync', data: {} });
    }
    this.resume?.();
  }

  end(): void {
    this.isEnded = true;
    this.resume?.();
  }

  hasEnded(): boolean {
    return this.isEnded;
  }

  /** What waits, or what comes within `ms`; empty when nothing does, or when the stream has ended. */
  async take(ms: number): Promise<LiveEvent[]> {
    if (this.waiting.size === 0 && !this.isEnded) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.resume = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.resume = null;
    }
    const events = this.isEnded ? [] : [...this.waiting.values()];
    this.waiting.clear();
    return events;
  }
}
