import { type BeforeApplicationShutdown, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { Notifications } from '../../../database/notifications.js';

const POLL_MS = 1_000;

/** Waits for one session on behalf of one reader. */
export class SessionWatch {
  private isDirty = false;
  private hasEnded = false;
  private resume: (() => void) | null = null;

  constructor(
    readonly orgId: string,
    readonly userId: string,
    private readonly onClose: (watch: SessionWatch) => void,
  ) {}

  /** Whether the reader has to go: the service stops, or the credential has changed. */
  get ended(): boolean {
    return this.hasEnded;
  }

  /** Waits until something may have happened, `ms` at most; says whether it did not just run out of patience. */
  async next(ms: number): Promise<boolean> {
    if (!this.isDirty && !this.hasEnded) {
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
    this.hasEnded = true;
    this.resume?.();
  }

  close(): void {
    this.onClose(this);
  }
}

/** Tells the readers of this process what other replicas committed. */
@Injectable()
export class SessionWatcher implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly watches = new Map<string, Set<SessionWatch>>();
  private readonly poll: NodeJS.Timeout;

  constructor(notifications: Notifications) {
    notifications.on('session_changed', ({ sessionId }) => this.of(sessionId).forEach((watch) => watch.wake()));
    notifications.on('credentials_changed', ({ userId, credentialId }) => {
      if (credentialId === undefined) this.endOf(userId); // a single one is a computer's, which reads no streams
    });
    // Whoever reads looks whether the organization's policy still allows it.
    notifications.on('controls_changed', ({ orgId }) => this.wakeAllOf(orgId));
    notifications.onInterruption(() => this.wakeAll());
    // Wake-ups are hints: while they cannot be heard, readers look for themselves.
    this.poll = setInterval(() => notifications.lagMs > POLL_MS && this.wakeAll(), POLL_MS);
    this.poll.unref();
  }

  watch(sessionId: string, { orgId, userId }: Pick<Principal, 'orgId' | 'userId'>): SessionWatch {
    const watch = new SessionWatch(orgId, userId, (closed) => this.remove(sessionId, closed));
    this.watches.set(sessionId, (this.watches.get(sessionId) ?? new Set()).add(watch));
    return watch;
  }

  /** Readers would keep the server from closing for ever. */
  beforeApplicationShutdown(): void {
    this.all().forEach((watch) => watch.end());
  }

  onModuleDestroy(): void {
    clearInterval(this.poll);
  }

  private endOf(userId: string | undefined): void {
    this.all()
      .filter((watch) => watch.userId === userId)
      .forEach((watch) => watch.end());
  }

  private wakeAllOf(orgId: string | undefined): void {
    this.all()
      .filter((watch) => watch.orgId === orgId)
      .forEach((watch) => watch.wake());
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
