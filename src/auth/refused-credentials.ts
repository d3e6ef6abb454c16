import { Injectable } from '@nestjs/common';
import { boundedCache } from '../common/bounded-cache.js';
import { RateLimitedError, UnauthenticatedError } from '../common/errors/domain-error.js';
import { addressGroup } from '../http/limits/address-group.js';
import { rateLimitHeaders } from '../http/limits/rate-limiter.js';
import { Clock } from '../common/time/clock.js';
import { AppConfig } from '../config/app-config.js';
import { Notifications } from '../database/notifications.js';

const WINDOW_MS = 60_000;
const REMEMBER_MS = 10_000;
const MAX_SILENCE_MS = 800;
/** With 100 refused credentials each, about 40 MB. */
const MAX_ADDRESSES = 4_000;
const MAX_KNOWN = 20_000;

/** A credential as it came, without its secret. */
export interface ShownCredential {
  readonly address: string;
  readonly fingerprint: string;
}

/** Why a look-up refused a credential. */
interface Refusal {
  readonly detail: string;
  readonly atMs: number;
  /** How many changes had been heard of when the look-up began. */
  readonly changes: number;
}

/** One address in one minute. */
interface Window {
  readonly endsMs: number;
  /** The different credentials that were refused; null where that took no look-up. */
  readonly refused: Map<string, Refusal | null>;
  readonly lookUps: Map<string, Promise<unknown>>;
  /** Who is told when a look-up has ended. */
  readonly waiting: (() => void)[];
}

/**
 * Keeps guesses away from the database. Each address may show so many different credentials a minute that are refused; after
 * that, credentials that were never good here are refused without a look-up. A refused one that comes again is answered
 * from memory, and forgotten as soon as any credential is added or changed.
 */
@Injectable()
export class RefusedCredentials {
  private readonly windows = boundedCache<Window>(MAX_ADDRESSES);
  /** What was good once, so that a colleague's guesses do not lock anybody out who works here already. */
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
   * Runs `load`, which asks the database and gives null for a credential that is no good, unless that is known. `knownAs`
   * stands for the credential, or for the person behind those that are short-lived.
   */
  async lookUp<T>(shown: ShownCredential, knownAs: string, load: () => Promise<T | null>): Promise<T | null> {
    if (this.known.has(knownAs)) return this.load(shown, knownAs, load);
    for (;;) {
      const window = this.windowOf(shown.address);
      this.requireUndecided(window, shown);
      const same = window.lookUps.get(shown.fingerprint);
      if (same) return same as Promise<T | null>;
      if (window.refused.size + window.lookUps.size < this.limit) {
        const lookUp = this.load(shown, knownAs, load).finally(() => noteEnd(window, shown));
        window.lookUps.set(shown.fingerprint, lookUp);
        return lookUp;
      }
      // Those under way may use up what is left of the minute: many at once must not cost more look-ups than one by one.
      await new Promise<void>((resolve) => window.waiting.push(resolve));
    }
  }

  /** Notes that a credential was refused, and returns what the caller is told: the same, or that these were too many. */
  count(shown: ShownCredential, error: UnauthenticatedError): UnauthenticatedError | RateLimitedError {
    const window = this.windowOf(shown.address);
    if (!window.refused.has(shown.fingerprint)) {
      if (window.refused.size >= this.limit) return this.tooMany(window);
      window.refused.set(shown.fingerprint, null);
    }
    return Object.assign(error, { headers: { ...error.headers, ...this.headersOf(window) } });
  }

  private async load<T>(shown: ShownCredential, knownAs: string, load: () => Promise<T | null>): Promise<T | null> {
    const { changes } = this;
    try {
      const found = await load();
      if (found === null) throw new UnauthenticatedError(true);
      this.known.set(knownAs, true);
      return found;
    } catch (error) {
      if (error instanceof UnauthenticatedError) {
        this.known.delete(knownAs);
        this.remember(shown, { detail: error.detail, atMs: this.clock.now().getTime(), changes });
      }
      throw error;
    }
  }

  private remember({ address, fingerprint }: ShownCredential, refusal: Refusal): void {
    const { refused } = this.windowOf(address);
    if (refused.has(fingerprint) || refused.size < this.limit) refused.set(fingerprint, refusal);
  }

  /** Throws when no look-up is needed to refuse the credential, or when there have been too many. */
  private requireUndecided(window: Window, { fingerprint }: ShownCredential): void {
    const isFull = window.refused.size >= this.limit;
    const refusal = window.refused.get(fingerprint);
    if (refusal && (isFull || this.isFresh(refusal))) throw new UnauthenticatedError(true, refusal.detail);
    if (isFull) throw this.tooMany(window);
  }

  private isFresh({ atMs, changes }: Refusal): boolean {
    const ageMs = this.clock.now().getTime() - atMs;
    return changes === this.changes && ageMs < REMEMBER_MS && this.notifications.lagMs < MAX_SILENCE_MS;
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

function noteEnd(window: Window, { fingerprint }: ShownCredential): void {
  window.lookUps.delete(fingerprint);
  for (const resume of window.waiting.splice(0)) resume();
}
