import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { UnauthenticatedError } from '../common/errors/domain-error.js';
import { isApiKey, isComputerToken } from '../common/validation/api-key-format.js';
import { AppConfig, type JwtConfig } from '../config/app-config.js';
import { tokenCredential } from '../modules/organization/computer-tokens/computer-tokens.repository.js';
import { OrganizationsService } from '../modules/organization/organizations/organizations.service.js';
import { SignInService } from '../modules/organization/users/sign-in.service.js';
import { UserEntity } from '../modules/organization/users/user.entity.js';
import { readIdentity } from './jwt/jwt-claims.js';
import { JwtVerifier } from './jwt/jwt-verifier.js';
import { PrincipalCache } from './principal-cache.js';

export const JWT_VERIFIER = Symbol('JwtVerifier');

/** Turns a bearer value, an API key, a computer token or an SSO token, into the caller. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly config: AppConfig,
    private readonly principals: PrincipalCache,
    private readonly signIn: SignInService,
    private readonly organizations: OrganizationsService,
    /** null: no SSO is configured. */
    @Inject(JWT_VERIFIER) private readonly jwtVerifier: JwtVerifier | null,
  ) {}

  async authenticate(bearer: string): Promise<Principal> {
    const principal = await this.find(bearer);
    if (!principal) throw new UnauthenticatedError(true);
    return principal;
  }

  private find(bearer: string): Promise<Principal | null> {
    if (bearer.startsWith('apk_')) return this.byApiKey(bearer);
    return bearer.startsWith('apc_') ? this.byComputerToken(bearer) : this.byToken(bearer);
  }

  private async byComputerToken(token: string): Promise<Principal | null> {
    if (!isComputerToken(token)) return null;
    return this.principals.get(`token ${fingerprint(token)}`, async () => {
      const found = await this.signIn.withComputerToken(token);
      if (!found) return null;
      const { id, computerId, user } = found;
      return { principal: { ...toPrincipal(user, tokenCredential(id), null), computerId }, expiresAt: null };
    });
  }

  private async byApiKey(key: string): Promise<Principal | null> {
    if (!isApiKey(key)) return null;
    return this.principals.get(`key ${fingerprint(key)}`, async () => {
      const found = await this.signIn.withApiKey(key);
      if (!found) return null;
      const { apiKey, user } = found;
      const { expiresAt } = apiKey;
      return { principal: toPrincipal(user, `key ${apiKey.id}`, expiresAt), expiresAt };
    });
  }

  private async byToken(token: string): Promise<Principal | null> {
    const { jwt } = this.config;
    if (!jwt || !this.jwtVerifier) return null;
    // Also when the caller is known: it keeps the issuer's keys fresh and notices one that was withdrawn.
    const verified = await this.jwtVerifier.verify(token);
    return this.principals.get(`jwt ${fingerprint(token)}`, async () => {
      const identity = readIdentity(verified, jwt);
      const organization = identity.organization ?? (await this.defaultOrganization(jwt));
      if (organization === null) return null;
      const user = await this.signIn.withSso(organization, {
        ...identity,
        emailVerified: identity.emailVerified || jwt.trustEmail,
        issuer: verified.issuer,
        subject: verified.subject,
      });
      if (!user) return null;
      const principal = toPrincipal(user, `jwt ${fingerprint(token)}`, verified.expiresAt);
      // The verifier looks at the expiry, with its leeway; here it would only be looked at twice.
      return { principal, expiresAt: null };
    });
  }

  private async defaultOrganization(jwt: JwtConfig): Promise<string | null> {
    const organization = jwt.defaultOrg === null ? null : await this.organizations.find(jwt.defaultOrg);
    return organization?.id ?? null;
  }
}

function toPrincipal(user: UserEntity, credentialId: string, expiresAt: Date | null): Principal {
  return { orgId: user.orgId, userId: user.id, email: user.email, role: user.role, credentialId, expiresAt };
}

/** Names a credential without revealing it. */
function fingerprint(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
