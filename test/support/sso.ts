import { randomUUID } from 'node:crypto';
import { startIdentityProvider, type IdentityProvider, type IdentityProviderClient } from './identity-provider.js';

export const SSO_AUDIENCE = 'https://api.example.com';

/** An identity provider with any claims a test needs. */
export class Sso {
  private constructor(
    readonly provider: IdentityProvider,
    private readonly client: IdentityProviderClient,
  ) {}

  static async start({ alg = 'RS256' }: { alg?: 'RS256' | 'ES256' } = {}): Promise<Sso> {
    const client: IdentityProviderClient = { clientId: 'person', clientSecret: 's3cret', claims: {} };
    return new Sso(await startIdentityProvider({ alg, audience: SSO_AUDIENCE, clients: [client] }), client);
  }

  /** Configures a service to trust this provider. */
  get env(): Record<string, string> {
    return { JWT_ISSUER: this.provider.issuer, JWT_AUDIENCE: SSO_AUDIENCE };
  }

  /** From the token endpoint; for a new person with a verified address unless `sub` and `email` are given. */
  async token(claims: Record<string, unknown>): Promise<string> {
    const name = randomUUID();
    this.client.claims = { sub: name, email: `${name}@example.com`, email_verified: true, ...claims };
    return this.provider.token(this.client.clientId);
  }

  stop(): Promise<void> {
    return this.provider.stop();
  }
}
