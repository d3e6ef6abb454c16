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
  /** Called for every failed fetch, also when the old keys are still used. */
  onFailure?: (cause: unknown) => void;
}

export interface KeySet {
  readonly version: number;
  readonly kids: ReadonlySet<string>;
  readonly find: ReturnType<typeof createLocalJWKSet>;
}

const RENEW_AFTER_MS = 30_000;
/** How long keys, or a failure to fetch them, are used before a request waits for a new fetch. */
const TRUST_MS = 60_000;
const ATTEMPT_EVERY_MS = 10_000;
const MAX_OUTAGE_MS = 24 * 60 * 60 * 1000;

/** The issuer's signing keys. A removed key stops working within a minute; while the IdP is down, the last keys are used for a day. */
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

  /** Incremented when the published keys change; 0 before the first fetch. */
  get version(): number {
    return this.current?.version ?? 0;
  }

  /** Throws UnavailableError when no fresh enough keys can be had. */
  async freshKeys(): Promise<KeySet> {
    const usable = this.usableKeys();
    if (!usable) {
      await this.refreshUnlessRecent();
      return this.usableKeys() ?? this.unavailable();
    }
    const age = this.elapsedSince(this.fetchedAt);
    if (age < RENEW_AFTER_MS) return usable;
    const failureKnown = this.failedAt !== null && this.elapsedSince(this.failedAt) < TRUST_MS;
    const refresh = this.refreshUnlessRecent();
    if (age < TRUST_MS || failureKnown) return usable;
    await refresh;
    return this.usableKeys() ?? this.unavailable();
  }

  /** As freshKeys; fetches again for an unknown key id. */
  async keysFor(kid: unknown): Promise<KeySet> {
    const known = await this.freshKeys();
    if (typeof kid !== 'string' || known.kids.has(kid)) return known;
    await this.refreshUnlessRecent();
    const latest = this.usableKeys() ?? this.unavailable();
    // The IdP may have published the key while it is down, so the token is not known to be invalid.
    if (!latest.kids.has(kid) && this.failedAt !== null) this.unavailable();
    return latest;
  }

  private usableKeys(): KeySet | null {
    return this.clock.now().getTime() - this.fetchedAt < MAX_OUTAGE_MS ? this.current : null;
  }

  private unavailable(): never {
    throw new UnavailableError('The identity provider cannot be asked for its keys at the moment.', {
      retryAfterSeconds: ATTEMPT_EVERY_MS / 1000,
      cause: this.failure,
    });
  }

  /** Joins the running fetch, or starts one unless the last began less than ATTEMPT_EVERY_MS ago. Never rejects. */
  private refreshUnlessRecent(): Promise<void> {
    if (this.pending) return this.pending;
    if (this.elapsedSince(this.attemptedAt) < ATTEMPT_EVERY_MS) return Promise.resolve();
    this.attemptedAt = this.clock.now().getTime();
    this.pending = this.refresh(this.attemptedAt).finally(() => (this.pending = null));
    return this.pending;
  }

  private async refresh(startedAt: number): Promise<void> {
    try {
      this.accept(await fetchJwks(this.source));
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

  /** Infinity after the clock was set back, so that nothing stays fresh for too long. */
  private elapsedSince(time: number): number {
    const elapsed = this.clock.now().getTime() - time;
    return elapsed < 0 ? Infinity : elapsed;
  }
}
