import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { UnauthenticatedError } from '../common/errors/domain-error.js';
import { isApiKey } from '../common/validation/api-key-format.js';
import { AppConfig, type JwtConfig } from '../config/app-config.js';
import { OrganizationsService } from '../modules/organization/organizations/organizations.service.js';
import { SignInService } from '../modules/organization/users/sign-in.service.js';
import { UserEntity } from '../modules/organization/users/user.entity.js';
import { readIdentity } from './jwt/jwt-claims.js';
import { JwtVerifier } from './jwt/jwt-verifier.js';
import { PrincipalCache } from './principal-cache.js';

export const JWT_VERIFIER = Symbol('JwtVerifier');

/** Turns a bearer value, an API key or an SSO token, into the caller. */
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
    const principal = bearer.startsWith('apk_') ? await this.byApiKey(bearer) : await this.byToken(bearer);
    if (!principal) throw new UnauthenticatedError(true);
    return principal;
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
