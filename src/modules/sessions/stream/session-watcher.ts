import { type BeforeApplicationShutdown, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Notifications } from '../../../database/notifications.js';

const POLL_MS = 1_000;

export class SessionWatch {
  private isDirty = false;
  private isEnded = false;
  private resume: (() => void) | null = null;

  constructor(private readonly onClose: (watch: SessionWatch) => void) {}

  /** Whether the reader has to go: the service stops, or the caller may not go on. */
  hasEnded(): boolean {
    return this.isEnded;
  }

  /** Waits for a change, at most `ms`; returns whether there may be one. */
  async next(ms: number): Promise<boolean> {
    if (!this.isDirty && !this.isEnded) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.resume = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.resume = null;
    }
    const wasDirty = this.isDirty;
    this.isDirty = false;
    return wasDirty;
  }

  wake(): void {
    this.isDirty = true;
    this.resume?.();
  }

  end(): void {
    this.isEnded = true;
    this.resume?.();
  }

  close(): void {
    this.onClose(this);
  }
}

@Injectable()
export class SessionWatcher implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly watches = new Map<string, Set<SessionWatch>>();
  private readonly poll: NodeJS.Timeout;

  constructor(notifications: Notifications) {
    notifications.on('session_changed', ({ sessionId }) => this.of(sessionId).forEach((watch) => watch.wake()));
    notifications.onInterruption(() => this.wakeAll());
    // While notifications are delayed, readers poll.
    this.poll = setInterval(() => notifications.lagMs > POLL_MS && this.wakeAll(), POLL_MS);
    this.poll.unref();
  }

  watch(sessionId: string): SessionWatch {
    const watch = new SessionWatch((closed) => this.remove(sessionId, closed));
    this.watches.set(sessionId, (this.watches.get(sessionId) ?? new Set()).add(watch));
    return watch;
  }

  /** The server waits for open responses before it closes. */
  beforeApplicationShutdown(): void {
    this.all().forEach((watch) => watch.end());
  }

  onModuleDestroy(): void {
    clearInterval(this.poll);
  }

  private wakeAll(): void {
    this.all().forEach((watch) => watch.wake());
  }

  private of(sessionId: string | undefined): Set<SessionWatch> {
    return this.watches.get(sessionId ?? '') ?? new Set();
  }

  private all(): SessionWatch[] {
    return [...this.watches.values()].flatMap((watches) => [...watches]);
  }

  private remove(sessionId: string, watch: SessionWatch): void {
    const watches = this.watches.get(sessionId);
    watches?.delete(watch);
    if (watches?.size === 0) this.watches.delete(sessionId);
  }
}
