import { hash } from 'node:crypto';
import { errors, jwtVerify, type CompactJWSHeaderParameters, type FlattenedJWSInput, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import { UnauthenticatedError, UnavailableError } from '../../common/errors/domain-error.js';
import type { Clock } from '../../common/time/clock.js';
import { isStorableText } from '../../common/validation/predicates.js';
import type { JwksCache } from './jwks-cache.js';

export interface VerifiedToken {
  issuer: string;
  subject: string;
  /** null: the token does not say. */
  issuedAt: Date | null;
  expiresAt: Date;
  claims: Record<string, unknown>;
}

export interface JwtVerifierOptions {
  issuer: string;
  audience: string;
  jwks: JwksCache;
  clock: Clock;
}

/** Public-key signatures only: with a shared-secret algorithm, a published key would serve as the secret. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const LEEWAY_SECONDS = 30;
const MAX_TOKEN_LENGTH = 16 * 1024;
/** The library ignores white space inside a signature; a token must have one spelling only. */
const TOKEN_SHAPE = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MAX_SUBJECT_LENGTH = 255;
const MAX_CACHED_TOKENS = 10_000;
/** In characters of all cached tokens. */
const MAX_CACHED_LENGTH = 32 * 1024 * 1024;

export class JwtVerifier {
  private readonly verified = new LRUCache<string, VerifiedToken>({
    max: MAX_CACHED_TOKENS,
    maxSize: MAX_CACHED_LENGTH,
  });
  private verifiedWith = 0;

  constructor(private readonly options: JwtVerifierOptions) {}

  /** Throws UnauthenticatedError for an invalid token, UnavailableError when the IdP's keys cannot be had. */
  async verify(token: string): Promise<VerifiedToken> {
    if (token.length > MAX_TOKEN_LENGTH || !TOKEN_SHAPE.test(token)) throw new UnauthenticatedError(true);
    const digest = hash('sha256', token, 'base64');
    if (this.verified.has(digest)) {
      await this.options.jwks.freshKeys();
      this.forgetWhenKeysChanged();
      const known = this.verified.get(digest);
      if (known && !this.isExpired(known)) return known;
      this.verified.delete(digest);
    }
    const { result, keysVersion } = await this.check(token);
    this.forgetWhenKeysChanged();
    if (keysVersion === this.verifiedWith) this.verified.set(digest, result, { size: token.length });
    return result;
  }

  private async check(token: string): Promise<{ result: VerifiedToken; keysVersion: number }> {
    let keysVersion = 0;
    // Only the key id counts: keys or URLs in the token itself are never used.
    const findKey = async (header: CompactJWSHeaderParameters, input: FlattenedJWSInput) => {
      const keys = await this.options.jwks.keysFor(header.kid);
      keysVersion = keys.version;
      return keys.find(header, input);
    };
    try {
      const payload = await this.verifySignatureAndClaims(token, findKey);
      return { result: this.toVerified(payload), keysVersion };
    } catch (error) {
      // A hostile token or a broken published key makes the library throw other errors, too.
      throw error instanceof UnavailableError ? error : new UnauthenticatedError(true);
    }
  }

  private async verifySignatureAndClaims(
    token: string,
    findKey: Extract<Parameters<typeof jwtVerify>[1], (...args: never[]) => unknown>,
  ): Promise<JWTPayload> {
    const options = {
      algorithms: ALGORITHMS,
      issuer: this.options.issuer,
      audience: this.options.audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: LEEWAY_SECONDS,
      currentDate: this.options.clock.now(),
    };
    try {
      return (await jwtVerify(token, findKey, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      // A token without a key id while several keys are published, as during a rotation.
      for await (const key of error) {
        const verified = await jwtVerify(token, key, options).catch(() => null);
        if (verified) return verified.payload;
      }
      throw error;
    }
  }

  private toVerified(payload: JWTPayload): VerifiedToken {
    const { sub: subject, exp, iat } = payload;
    if (
      typeof subject !== 'string' ||
      subject === '' ||
      subject.length > MAX_SUBJECT_LENGTH ||
      !isStorableText(subject)
    ) {
      throw new Error('The subject is unusable.');
    }
    if (iat !== undefined && iat * 1000 > this.options.clock.now().getTime() + LEEWAY_SECONDS * 1000) {
      throw new Error('The token was issued in the future.');
    }
    const expiresAt = new Date(Number(exp) * 1000);
    if (Number.isNaN(expiresAt.getTime())) throw new Error('The time of expiry is beyond all dates.');
    // Before 1970 is as good as unknown, and may be beyond all dates.
    return { issuer: this.options.issuer, subject, issuedAt: issuedAtOf(iat), expiresAt, claims: payload };
  }

  private isExpired(known: VerifiedToken): boolean {
    return known.expiresAt.getTime() + LEEWAY_SECONDS * 1000 <= this.options.clock.now().getTime();
  }

  private forgetWhenKeysChanged(): void {
    if (this.verifiedWith === this.options.jwks.version) return;
    this.verified.clear();
    this.verifiedWith = this.options.jwks.version;
  }
}

/** Of the claim `iat`; null when it is absent or no time. */
export function issuedAtOf(iat: unknown): Date | null {
  return typeof iat === 'number' && iat >= 0 ? new Date(iat * 1000) : null;
}
