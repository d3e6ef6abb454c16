import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Credential, Principal } from '../common/access/principal.js';
import { Role } from '../common/access/role.enum.js';
import { UnauthenticatedError } from '../common/errors/domain-error.js';
import { newId } from '../common/new-id.js';
import { isApiKey, isComputerToken } from '../common/access/api-key-format.js';
import { AppConfig, type JwtConfig } from '../config/app-config.js';
import type { ApiKeyScope } from '../modules/organization/api-keys/api-key.entity.js';
import { endOf } from '../modules/organization/console-sessions/console-session.js';
import { OrganizationsService } from '../modules/organization/organizations/organizations.service.js';
import { SignInService } from '../modules/organization/credentials/sign-in.service.js';
import { UserEntity } from '../modules/organization/users/user.entity.js';
import { readIdentity, type TokenIdentity } from './jwt/jwt-claims.js';
import { issuedAtOf, JwtVerifier, type VerifiedToken } from './jwt/jwt-verifier.js';
import { PrincipalCache } from './principal-cache.js';
import { RefusedCredentials, type PresentedCredential } from './refused-credentials.js';

const SESSION_ENDED = 'You are signed out: the session has ended. Sign in again.';

export const JWT_VERIFIER = Symbol('JwtVerifier');

/** Finds the caller behind a bearer value (an API key, a computer token or an SSO token) or behind the cookie of a browser. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly config: AppConfig,
    private readonly principals: PrincipalCache,
    private readonly refused: RefusedCredentials,
    private readonly signIn: SignInService,
    private readonly organizations: OrganizationsService,
    /** null: no SSO is configured. */
    @Inject(JWT_VERIFIER) private readonly jwtVerifier: JwtVerifier | null,
  ) {}

  authenticate(bearer: string, address: string): Promise<Principal> {
    const presented = { address, fingerprint: hash('sha256', bearer, 'base64url') };
    return this.counted(presented, async () => {
      const principal = await this.find(bearer, presented);
      if (!principal) throw new UnauthenticatedError(true);
      return principal;
    });
  }

  /** `cookie`: the value of the cookie of a browser. */
  authenticateBrowser(cookie: string, address: string): Promise<Principal> {
    const presented = { address, fingerprint: hash('sha256', cookie, 'base64url') };
    return this.counted(presented, async () => {
      const principal = await this.byCookie(cookie, presented);
      if (!principal) throw new UnauthenticatedError(true, SESSION_ENDED);
      return principal;
    });
  }

  /** Runs `load` under the limits of refused credentials. Every attempt counts as another credential: nothing is shared. */
  attempt<T>(address: string, load: () => Promise<T>): Promise<T> {
    const presented = { address, fingerprint: newId() };
    return this.counted(presented, async () => {
      const found = await this.refused.lookUp(presented, presented.fingerprint, async () => ({ value: await load() }));
      if (!found) throw new UnauthenticatedError(true);
      return found.value;
    });
  }

  /** The user whom an identity provider has authenticated, with these claims. */
  async person(issuer: string, subject: string, claims: Record<string, unknown>): Promise<UserEntity | null> {
    const { jwt } = this.config;
    const token = { issuer, subject, issuedAt: issuedAtOf(claims.iat) };
    return jwt && this.findPerson(jwt, token, readIdentity(claims, jwt));
  }

  private async counted<T>(presented: PresentedCredential, find: () => Promise<T>): Promise<T> {
    try {
      return await find();
    } catch (error) {
      throw error instanceof UnauthenticatedError ? this.refused.count(presented, error) : error;
    }
  }

  private find(bearer: string, presented: PresentedCredential): Promise<Principal | null> {
    if (bearer.startsWith('apk_')) return this.byApiKey(bearer, presented);
    return bearer.startsWith('apc_') ? this.byComputerToken(bearer, presented) : this.byToken(bearer, presented);
  }

  private byCookie(cookie: string, presented: PresentedCredential): Promise<Principal | null> {
    const name = `console ${presented.fingerprint}`;
    return this.principals.get(name, async () => {
      const found = await this.refused.lookUp(presented, name, async () => {
        const signedIn = await this.signIn.withConsoleSession(cookie);
        if (!signedIn) throw new UnauthenticatedError(true, SESSION_ENDED);
        return signedIn;
      });
      if (!found) return null;
      const { session, user } = found;
      const expiresAt = endOf(session);
      return { principal: toPrincipal(user, { kind: 'console', id: session.id }, expiresAt), expiresAt };
    });
  }

  private async byComputerToken(token: string, presented: PresentedCredential): Promise<Principal | null> {
    if (!isComputerToken(token)) return null;
    const name = `token ${presented.fingerprint}`;
    return this.principals.get(name, async () => {
      const found = await this.refused.lookUp(presented, name, () => this.signIn.withComputerToken(token));
      if (!found) return null;
      const { id, computerId, user } = found;
      return { principal: { ...toPrincipal(user, { kind: 'token', id }, null), computerId }, expiresAt: null };
    });
  }

  private async byApiKey(key: string, presented: PresentedCredential): Promise<Principal | null> {
    if (!isApiKey(key)) return null;
    const name = `key ${presented.fingerprint}`;
    return this.principals.get(name, async () => {
      const found = await this.refused.lookUp(presented, name, () => this.signIn.withApiKey(key));
      if (!found) return null;
      const { apiKey, user } = found;
      const { id, scope, expiresAt } = apiKey;
      return { principal: limitTo(scope, toPrincipal(user, { kind: 'key', id }, expiresAt)), expiresAt };
    });
  }

  private async byToken(token: string, presented: PresentedCredential): Promise<Principal | null> {
    const { jwt } = this.config;
    if (!jwt || !this.jwtVerifier) return null;
    // Verified even when the caller is cached: this refreshes the issuer's keys and notices a withdrawn one.
    const verified = await this.jwtVerifier.verify(token);
    const name = `jwt ${presented.fingerprint}`;
    return this.principals.get(name, async () => {
      const identity = readIdentity(verified.claims, jwt);
      const person = JSON.stringify([verified.issuer, verified.subject, identity.organization]);
      const user = await this.refused.lookUp(presented, person, () => this.findPerson(jwt, verified, identity));
      if (!user) return null;
      // The verifier has checked the expiry, with its leeway: the cache must not check it again without.
      return {
        principal: toPrincipal(user, { kind: 'jwt', id: presented.fingerprint }, verified.expiresAt),
        expiresAt: null,
      };
    });
  }

  private async findPerson(
    jwt: JwtConfig,
    { issuer, subject, issuedAt }: Pick<VerifiedToken, 'issuer' | 'subject' | 'issuedAt'>,
    identity: TokenIdentity,
  ): Promise<UserEntity | null> {
    const organization = identity.organization ?? (await this.defaultOrganization(jwt));
    if (organization === null) return null;
    const emailVerified = identity.emailVerified || jwt.trustEmail;
    const team = identity.team === null ? null : { name: identity.team, issuedAt };
    return this.signIn.withSso(organization, { ...identity, emailVerified, issuer, subject, team });
  }

  private async defaultOrganization(jwt: JwtConfig): Promise<string | null> {
    const organization = jwt.defaultOrg === null ? null : await this.organizations.find(jwt.defaultOrg);
    return organization?.id ?? null;
  }
}

function toPrincipal(user: UserEntity, credential: Credential, expiresAt: Date | null): Principal {
  return { orgId: user.orgId, userId: user.id, email: user.email, role: user.role, credential, expiresAt };
}

/** A telemetry key reports for its own user only, so an owner's or a manager's acts with the role of a member. */
function limitTo(scope: ApiKeyScope, principal: Principal): Principal {
  if (scope === 'full') return principal;
  return { ...principal, scope, role: principal.role === Role.Guest ? Role.Guest : Role.Member };
}
