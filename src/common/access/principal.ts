import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Role } from './role.enum.js';

/**
 * What a credential is limited to. `telemetry`: sending usage and telemetry of its owner. A route is closed to limited
 * credentials unless it says otherwise, with `@ScopedAccess`.
 */
export type CredentialScope = 'telemetry';

/**
 * What the caller showed. `key`: an API key, `token`: a computer token, `jwt`: an SSO token, whose id is a hash of it;
 * `internal`: nothing, the service acts for a user. Never the secret itself.
 */
export interface Credential {
  readonly kind: 'key' | 'token' | 'jwt' | 'internal';
  readonly id: string;
}

/** The credential as one text, for limits and announcements. */
export function credentialName({ kind, id }: Credential): string {
  return `${kind} ${id}`;
}

/** Who is calling: established by the guard, passed explicitly to every service. */
export interface Principal {
  readonly orgId: string;
  readonly userId: string;
  readonly email: string | null;
  readonly role: Role;
  readonly credential: Credential;
  /** When the API key or the token ends, and with it every stream opened with it; null: never. */
  readonly expiresAt: Date | null;
  /** Where the request comes from; absent when it is none. */
  readonly address?: string;
  /** Absent: the credential is not limited. */
  readonly scope?: CredentialScope;
  /** Set for a computer token: the only computer for which it speaks. Routes that do not say so refuse it. */
  readonly computerId?: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    principal?: Principal;
  }
}

/** The caller of a route that declares `@Access`. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!principal) throw new Error('A route without @Access has no caller');
  return principal;
});
