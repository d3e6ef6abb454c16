import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { Role } from '../common/access/role.enum.js';
import { UnauthenticatedError } from '../common/errors/domain-error.js';
import { isApiKey, isComputerToken } from '../common/access/api-key-format.js';
import { AppConfig, type JwtConfig } from '../config/app-config.js';
import type { ApiKeyScope } from '../modules/organization/api-keys/api-key.entity.js';
import { tokenCredential } from '../modules/organization/computer-tokens/computer-tokens.repository.js';
import { OrganizationsService } from '../modules/organization/organizations/organizations.service.js';
import { SignInService } from '../modules/organization/users/sign-in.service.js';
import { UserEntity } from '../modules/organization/users/user.entity.js';
import { readIdentity, type TokenIdentity } from './jwt/jwt-claims.js';
import { JwtVerifier, type VerifiedToken } from './jwt/jwt-verifier.js';
import { PrincipalCache } from './principal-cache.js';
import { RefusedCredentials, type ShownCredential } from './refused-credentials.js';

export const JWT_VERIFIER = Symbol('JwtVerifier');

/** Turns a bearer value, an API key, a computer token or an SSO token, into the caller. */
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

  async authenticate(bearer: string, address: string): Promise<Principal> {
    const shown = { address, fingerprint: hash('sha256', bearer, 'base64url') };
    try {
      const principal = await this.find(bearer, shown);
      if (!principal) throw new UnauthenticatedError(true);
      return principal;
    } catch (error) {
      throw error instanceof UnauthenticatedError ? this.refused.count(shown, error) : error;
    }
  }

  private find(bearer: string, shown: ShownCredential): Promise<Principal | null> {
    if (bearer.startsWith('apk_')) return this.byApiKey(bearer, shown);
    return bearer.startsWith('apc_') ? this.byComputerToken(bearer, shown) : this.byToken(bearer, shown);
  }

  private async byComputerToken(token: string, shown: ShownCredential): Promise<Principal | null> {
    if (!isComputerToken(token)) return null;
    const name = `token ${shown.fingerprint}`;
    return this.principals.get(name, async () => {
      const found = await this.refused.lookUp(shown, name, () => this.signIn.withComputerToken(token));
      if (!found) return null;
      const { id, computerId, user } = found;
      return { principal: { ...toPrincipal(user, tokenCredential(id), null), computerId }, expiresAt: null };
    });
  }

  private async byApiKey(key: string, shown: ShownCredential): Promise<Principal | null> {
    if (!isApiKey(key)) return null;
    const name = `key ${shown.fingerprint}`;
    return this.principals.get(name, async () => {
      const found = await this.refused.lookUp(shown, name, () => this.signIn.withApiKey(key));
      if (!found) return null;
      const { apiKey, user } = found;
      const { expiresAt } = apiKey;
      return { principal: limitTo(apiKey.scope, toPrincipal(user, `key ${apiKey.id}`, expiresAt)), expiresAt };
    });
  }

  private async byToken(token: string, shown: ShownCredential): Promise<Principal | null> {
    const { jwt } = this.config;
    if (!jwt || !this.jwtVerifier) return null;
    // Also when the caller is known: it keeps the issuer's keys fresh and notices one that was withdrawn.
    const verified = await this.jwtVerifier.verify(token);
    const name = `jwt ${shown.fingerprint}`;
    return this.principals.get(name, async () => {
      const identity = readIdentity(verified, jwt);
      const person = JSON.stringify([verified.issuer, verified.subject, identity.organization]);
      const user = await this.refused.lookUp(shown, person, () => this.findPerson(jwt, verified, identity));
      if (!user) return null;
      // The verifier looks at the expiry, with its leeway; here it would only be looked at twice.
      return { principal: toPrincipal(user, name, verified.expiresAt), expiresAt: null };
    });
  }

  private async findPerson(
    jwt: JwtConfig,
    { issuer, subject }: VerifiedToken,
    identity: TokenIdentity,
  ): Promise<UserEntity | null> {
    const organization = identity.organization ?? (await this.defaultOrganization(jwt));
    if (organization === null) return null;
    const emailVerified = identity.emailVerified || jwt.trustEmail;
    return this.signIn.withSso(organization, { ...identity, emailVerified, issuer, subject });
  }

  private async defaultOrganization(jwt: JwtConfig): Promise<string | null> {
    const organization = jwt.defaultOrg === null ? null : await this.organizations.find(jwt.defaultOrg);
    return organization?.id ?? null;
  }
}

function toPrincipal(user: UserEntity, credentialId: string, expiresAt: Date | null): Principal {
  return { orgId: user.orgId, userId: user.id, email: user.email, role: user.role, credentialId, expiresAt };
}

/** A key for telemetry reports for its owner alone, whatever their role: of an owner or a manager it acts as a member's. */
function limitTo(scope: ApiKeyScope, principal: Principal): Principal {
  if (scope === 'full') return principal;
  return { ...principal, scope, role: principal.role === Role.Guest ? Role.Guest : Role.Member };
}
