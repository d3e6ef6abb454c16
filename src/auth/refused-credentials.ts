import { Injectable } from '@nestjs/common';
import { boundedCache } from '../common/bounded-cache.js';
import { RateLimitedError, UnauthenticatedError } from '../common/errors/domain-error.js';
import { addressGroup } from '../http/limits/address-group.js';
import { rateLimitHeaders } from '../http/limits/rate-limiter.js';
import { Clock } from '../common/time/clock.js';
import { AppConfig } from '../config/app-config.js';
import { Notifications } from '../database/notifications.js';
import { MAX_LAG_MS } from '../modules/organization/credentials/credential-changes.js';

const WINDOW_MS = 60_000;
const REMEMBER_MS = 10_000;
/** With 100 refused credentials each, about 40 MB. */
const MAX_ADDRESSES = 4_000;
const MAX_KNOWN = 20_000;

export interface PresentedCredential {
  readonly address: string;
  readonly fingerprint: string;
}

interface Refusal {
  readonly detail: string;
  readonly atMs: number;
  /** The number of changes notified before the look-up began. */
  readonly changes: number;
}

interface Window {
  readonly endsMs: number;
  /** By fingerprint; null when the credential was refused without a look-up. */
  readonly refused: Map<string, Refusal | null>;
  readonly lookUps: Map<string, Promise<unknown>>;
  readonly waiting: (() => void)[];
}

/**
 * Keeps guesses away from the database. After `maxRefusedPerMinute` different refused credentials of one address, unknown
 * credentials of that address are refused without a look-up. A repeated one is refused from memory, until any credential is
 * added or changed.
 */
@Injectable()
export class RefusedCredentials {
  private readonly windows = boundedCache<Window>(MAX_ADDRESSES);
  /** Credentials that were valid here: guesses of others at the same address do not lock them out. */
  private readonly known = boundedCache<true>(MAX_KNOWN);
  private readonly limit: number;
  private changes = 0;

  constructor(
    config: AppConfig,
    private readonly notifications: Notifications,
    private readonly clock: Clock,
  ) {
    this.limit = config.http.maxRefusedPerMinute;
    const forget = () => this.changes++;
    notifications.on('credentials_changed', forget);
    notifications.on('credential_added', forget);
    notifications.onInterruption(forget);
  }

  /**
   * Runs `load`, which returns null for an invalid credential, unless the answer is in memory. `knownAs` names the
   * credential, or the person behind a short-lived one.
   */
  async lookUp<T>(presented: PresentedCredential, knownAs: string, load: () => Promise<T | null>): Promise<T | null> {
    if (this.known.has(knownAs)) return this.load(presented, knownAs, load);
    for (;;) {
      const window = this.windowOf(presented.address);
      this.refuseFromMemory(window, presented);
      const same = window.lookUps.get(presented.fingerprint);
      if (same) return same as Promise<T | null>;
      if (window.refused.size + window.lookUps.size < this.limit) {
        const lookUp = this.load(presented, knownAs, load).finally(() => endLookUp(window, presented));
        window.lookUps.set(presented.fingerprint, lookUp);
        return lookUp;
      }
      // Running look-ups count as refused until they end, so that parallel guesses get no more look-ups than the limit.
      await new Promise<void>((resolve) => window.waiting.push(resolve));
    }
  }

  /** Counts a refused credential; returns the error for the client, which beyond the limit is a rate limit. */
  count(presented: PresentedCredential, error: UnauthenticatedError): UnauthenticatedError | RateLimitedError {
    const window = this.windowOf(presented.address);
    if (!window.refused.has(presented.fingerprint)) {
      if (window.refused.size >= this.limit) return this.tooMany(window);
      window.refused.set(presented.fingerprint, null);
    }
    return Object.assign(error, { headers: { ...error.headers, ...this.headersOf(window) } });
  }

  private async load<T>(
    presented: PresentedCredential,
    knownAs: string,
    load: () => Promise<T | null>,
  ): Promise<T | null> {
    const { changes } = this;
    try {
      const found = await load();
      if (found === null) throw new UnauthenticatedError(true);
      this.known.set(knownAs, true);
      return found;
    } catch (error) {
      if (error instanceof UnauthenticatedError) {
        this.known.delete(knownAs);
        this.remember(presented, { detail: error.detail, atMs: this.clock.now().getTime(), changes });
      }
      throw error;
    }
  }

  private remember({ address, fingerprint }: PresentedCredential, refusal: Refusal): void {
    const { refused } = this.windowOf(address);
    if (refused.has(fingerprint) || refused.size < this.limit) refused.set(fingerprint, refusal);
  }

  private refuseFromMemory(window: Window, { fingerprint }: PresentedCredential): void {
    const isFull = window.refused.size >= this.limit;
    const refusal = window.refused.get(fingerprint);
    if (refusal && (isFull || this.isFresh(refusal))) throw new UnauthenticatedError(true, refusal.detail);
    if (isFull) throw this.tooMany(window);
  }

  private isFresh({ atMs, changes }: Refusal): boolean {
    const ageMs = this.clock.now().getTime() - atMs;
    return changes === this.changes && ageMs < REMEMBER_MS && this.notifications.lagMs < MAX_LAG_MS;
  }

  private windowOf(address: string): Window {
    const key = addressGroup(address);
    const nowMs = this.clock.now().getTime();
    const current = this.windows.get(key);
    if (current && current.endsMs > nowMs) return current;
    const window: Window = {
      endsMs: nowMs + WINDOW_MS,
      refused: new Map(),
      lookUps: new Map(),
      waiting: [],
    };
    this.windows.set(key, window);
    return window;
  }

  private tooMany(window: Window): RateLimitedError {
    const error = new RateLimitedError(
      `At most ${this.limit} different credentials a minute may be refused from one address.`,
      this.resetSeconds(window),
    );
    return Object.assign(error, { headers: { ...error.headers, ...this.headersOf(window) } });
  }

  private headersOf(window: Window): Record<string, string> {
    const remaining = Math.max(0, this.limit - window.refused.size);
    return rateLimitHeaders({ limit: this.limit, remaining, resetSeconds: this.resetSeconds(window) });
  }

  private resetSeconds({ endsMs }: Window): number {
    return Math.max(1, Math.ceil((endsMs - this.clock.now().getTime()) / 1000));
  }
}

function endLookUp(window: Window, { fingerprint }: PresentedCredential): void {
  window.lookUps.delete(fingerprint);
  for (const resume of window.waiting.splice(0)) resume();
}
