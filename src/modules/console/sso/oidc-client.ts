import { Injectable, Logger } from '@nestjs/common';
import * as oidc from 'openid-client';
import { UnauthenticatedError, UnavailableError } from '../../../common/errors/domain-error.js';
import { Clock } from '../../../common/time/clock.js';
import { isLengthWithin, isStorableText } from '../../../common/validation/predicates.js';
import { AppConfig, type JwtConfig, type OidcConfig } from '../../../config/app-config.js';
import { mergeClaims } from './merged-claims.js';

/** What only the browser that began a sign-in has, in an encrypted cookie. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Somebody whom the identity provider has authenticated. */
export interface AuthenticatedPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly sid: string | null;
  readonly claims: Record<string, unknown>;
}

export class DeniedByProviderError extends UnauthenticatedError {}

const TIMEOUT_SECONDS = 5;
const REDISCOVER_AFTER_MS = 10 * 60_000;
const MAX_SID = 255;
const MAX_SUBJECT = 255;

/** Signs people in at the identity provider: authorization code with PKCE. Its tokens are dropped after the exchange. */
@Injectable()
export class OidcClient {
  private readonly logger = new Logger('SSO');
  private discovered: { provider: oidc.Configuration; atMs: number } | null = null;

  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  get isConfigured(): boolean {
    return this.config.console.oidc !== null && this.config.jwt !== null;
  }

  /** The address of the provider to which the browser has to go. */
  async begin(): Promise<{ url: string; pending: PendingSignIn }> {
    const { settings } = this.settings();
    const provider = await this.discover();
    const pending = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
    };
    const url = oidc.buildAuthorizationUrl(provider, {
      redirect_uri: this.redirectUri,
      scope: settings.scopes,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, pending };
  }

  /** `query`: with which the provider sent the browser back. */
  async finish(query: Record<string, string>, { state, nonce, verifier }: PendingSignIn): Promise<AuthenticatedPerson> {
    const { jwt } = this.settings();
    const provider = await this.discover();
    const url = new URL(`${this.redirectUri}?${new URLSearchParams(query).toString()}`);
    try {
      const tokens = await oidc.authorizationCodeGrant(provider, url, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const idToken: Record<string, unknown> = { ...tokens.claims() };
      const subject = usableSubject(idToken['sub']);
      const claims = mergeClaims(idToken, await this.userInfo(provider, tokens.access_token, subject));
      const { sid } = claims;
      const isUsable = typeof sid === 'string' && sid.length <= MAX_SID && isStorableText(sid);
      return { issuer: jwt.issuer, subject, sid: isUsable ? sid : null, claims };
    } catch (error) {
      throw this.explained(error);
    }
  }

  private get redirectUri(): string {
    return `${this.config.http.publicUrl}/auth/callback`;
  }

  private settings(): { jwt: JwtConfig; settings: OidcConfig } {
    const { jwt, console: own } = this.config;
    if (!jwt || !own.oidc) throw new Error('Single sign-on is not configured');
    return { jwt, settings: own.oidc };
  }

  private async discover(): Promise<oidc.Configuration> {
    const nowMs = this.clock.now().getTime();
    if (this.discovered && Math.abs(nowMs - this.discovered.atMs) < REDISCOVER_AFTER_MS)
      return this.discovered.provider;
    const { jwt, settings } = this.settings();
    const { clientId, clientSecret } = settings;
    const authentication = clientSecret === null ? oidc.None() : authenticationWith(clientSecret);
    const isPlain = jwt.issuer.startsWith('http:');
    try {
      const provider = await oidc.discovery(new URL(jwt.issuer), clientId, clientSecret ?? undefined, authentication, {
        timeout: TIMEOUT_SECONDS,
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that it is noticed; an operator chose the issuer
        execute: [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])],
      });
      const { issuer } = provider.serverMetadata();
      if (issuer !== jwt.issuer) throw new Error(`The discovery document says that the issuer is ${issuer}.`);
      this.discovered = { provider, atMs: nowMs };
      return provider;
    } catch (cause) {
      throw this.unavailable(cause);
    }
  }

  /** Many providers put address and name only here. Without an answer, the ID token has to suffice. */
  private async userInfo(
    provider: oidc.Configuration,
    accessToken: string,
    subject: string,
  ): Promise<Record<string, unknown>> {
    if (provider.serverMetadata().userinfo_endpoint === undefined) return {};
    try {
      return await oidc.fetchUserInfo(provider, accessToken, subject);
    } catch (cause) {
      this.logger.warn(`The identity provider does not tell about the person: ${messageOf(cause)}`);
      return {};
    }
  }

  private explained(error: unknown): Error {
    if (error instanceof oidc.AuthorizationResponseError) {
      return new DeniedByProviderError(true, `The identity provider answered: ${error.error}.`);
    }
    const isAway = error instanceof TypeError || (error instanceof oidc.ClientError && error.code === 'OAUTH_TIMEOUT');
    if (isAway) return this.unavailable(error);
    this.logger.warn(`The answer of the identity provider was refused: ${messageOf(error)}`);
    return new UnauthenticatedError(true, 'The answer of the identity provider is not valid.');
  }

  private unavailable(cause: unknown): UnavailableError {
    this.logger.warn(`The identity provider cannot be used: ${messageOf(cause)}`);
    return new UnavailableError('The identity provider cannot be reached at the moment.', { cause });
  }
}

/** As the provider supports it: in the header where it can. */
function authenticationWith(secret: string): oidc.ClientAuth {
  return (provider, ...request) => {
    const supported = provider.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isBasic = supported.includes('client_secret_basic');
    (isBasic ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret))(provider, ...request);
  };
}

function usableSubject(subject: unknown): string {
  const isUsable = typeof subject === 'string' && isLengthWithin(subject, 1, MAX_SUBJECT) && isStorableText(subject);
  if (!isUsable) throw new Error('The subject is unusable.');
  return subject;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
