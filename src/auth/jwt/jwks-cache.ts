import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { canonicalJson } from '../../common/canonical-json.js';
import { UnavailableError } from '../../common/errors/domain-error.js';
import type { Clock } from '../../common/time/clock.js';
import { fetchJwks, type JwksSource } from './jwks-fetch.js';

export interface JwksCacheOptions {
  issuer: string;
  jwksUrl: string | null;
  clock: Clock;
  fetch?: typeof fetch;
  /** Told about every failed fetch, also those that no request notices because old keys still serve. */
  onFailure?: (cause: unknown) => void;
}

/** The keys as they were published at one time. */
export interface KeySet {
  readonly version: number;
  readonly kids: ReadonlySet<string>;
  readonly find: ReturnType<typeof createLocalJWKSet>;
}

const renewAfterMs = 30_000;
/** How long an answer of the IdP, be it keys or a failure, is relied upon without waiting for a new one. */
const trustMs = 60_000;
const attemptEveryMs = 10_000;
const maxOutageMs = 24 * 60 * 60 * 1000;

/**
 * The issuer's signing keys. A removed key stops within a minute while the IdP is up; when it is down, the last known
 * keys serve on for a day.
 */
export class JwksCache {
  private readonly source: JwksSource;
  private readonly clock: Clock;
  private readonly onFailure: (cause: unknown) => void;

  private current: KeySet | null = null;
  private content = '';
  private fetchedAt = -Infinity;
  private attemptedAt = -Infinity;
  private failedAt: number | null = null;
  private failure: unknown;
  private pending: Promise<void> | null = null;

  constructor(options: JwksCacheOptions) {
    this.source = { issuer: options.issuer, jwksUrl: options.jwksUrl, fetch: options.fetch ?? fetch };
    this.clock = options.clock;
    this.onFailure = options.onFailure ?? (() => undefined);
  }

  /** Grows whenever the published keys change; 0 before the first fetch. */
  get version(): number {
    return this.current?.version ?? 0;
  }

  /** Keys that are fresh enough to decide with. Throws UnavailableError when there are none. */
  async freshKeys(): Promise<KeySet> {
    const usable = this.usableKeys();
    if (!usable) {
      await this.refreshUnlessRecent();
      return this.usableKeys() ?? this.unavailable();
    }
    const age = this.elapsedSince(this.fetchedAt);
    if (age < renewAfterMs) return usable;
    const failureKnown = this.failedAt !== null && this.elapsedSince(this.failedAt) < trustMs;
    const refresh = this.refreshUnlessRecent();
    if (age < trustMs || failureKnown) return usable;
    await refresh;
    return this.usableKeys() ?? this.unavailable();
  }

  /** As freshKeys; in addition a key id never seen before is asked for at the IdP. */
  async keysFor(kid: unknown): Promise<KeySet> {
    const known = await this.freshKeys();
    if (typeof kid !== 'string' || known.kids.has(kid)) return known;
    await this.refreshUnlessRecent();
    const latest = this.usableKeys() ?? this.unavailable();
    // The IdP may have published that key while it cannot be asked: the token is not known to be bad.
    if (!latest.kids.has(kid) && this.failedAt !== null) this.unavailable();
    return latest;
  }

  private usableKeys(): KeySet | null {
    return this.clock.now().getTime() - this.fetchedAt < maxOutageMs ? this.current : null;
  }

  private unavailable(): never {
    throw new UnavailableError('The identity provider cannot be asked for its keys at the moment.', {
      retryAfterSeconds: attemptEveryMs / 1000,
      cause: this.failure,
    });
  }

  /** Joins the fetch under way, or starts one unless the last began a moment ago. Never rejects. */
  private refreshUnlessRecent(): Promise<void> {
    if (this.pending) return this.pending;
    if (this.elapsedSince(this.attemptedAt) < attemptEveryMs) return Promise.resolve();
    this.attemptedAt = this.clock.now().getTime();
    this.pending = this.refresh(this.attemptedAt).finally(() => (this.pending = null));
    return this.pending;
  }

  private async refresh(startedAt: number): Promise<void> {
    try {
      this.accept(await fetchJwks(this.source));
      // Counted from the start of the fetch, the answer is never younger than it claims.
      this.fetchedAt = startedAt;
      this.failedAt = null;
      this.failure = undefined;
    } catch (cause) {
      this.failedAt = startedAt;
      this.failure = cause;
      this.onFailure(cause);
    }
  }

  private accept(jwks: JSONWebKeySet): void {
    const content = jwks.keys.map(canonicalJson).sort().join('\n');
    if (this.current && content === this.content) return;
    const find = createLocalJWKSet(jwks);
    const kids = new Set(jwks.keys.flatMap((key) => (typeof key.kid === 'string' ? [key.kid] : [])));
    this.current = { version: this.version + 1, kids, find };
    this.content = content;
  }

  /** A clock that was set back makes everything old, so that nothing stays fresh for longer than meant. */
  private elapsedSince(time: number): number {
    const elapsed = this.clock.now().getTime() - time;
    return elapsed < 0 ? Infinity : elapsed;
  }
}
