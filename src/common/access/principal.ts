import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Role } from './role.enum.js';

/** What a credential is limited to. Routes refuse limited credentials unless declared with `@ScopedAccess`. */
export type CredentialScope = 'telemetry';

/**
 * What the caller showed. `key`: an API key, `token`: a computer token, `jwt`: an SSO token, whose id is a hash of it;
 * `console`: the cookie of a signed-in browser; `internal`: nothing, the service acts for a user. Never the secret itself.
 */
export interface Credential {
  readonly kind: 'key' | 'token' | 'jwt' | 'console' | 'internal';
  readonly id: string;
}

/** The credential as one text, for limits and announcements. */
export function credentialName({ kind, id }: Credential): string {
  return `${kind} ${id}`;
}

export type RequestClient = 'web' | 'non-interactive-cli';

/** The client that analytics show for what a caller does through the API. */
export function clientOf({ credential }: Pick<Principal, 'credential'>): RequestClient {
  return credential.kind === 'console' ? 'web' : 'non-interactive-cli';
}

/** The caller: established by the guard, passed explicitly to every service. */
export interface Principal {
  readonly orgId: string;
  readonly userId: string;
  readonly email: string | null;
  readonly role: Role;
  readonly credential: Credential;
  /** When the credential, and every stream opened with it, expires; null: never. */
  readonly expiresAt: Date | null;
  /** Absent outside of requests. */
  readonly address?: string;
  readonly scope?: CredentialScope;
  /** For a computer token: its computer. Only routes with `@ComputerTokenAccess` accept it. */
  readonly computerId?: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    principal?: Principal;
  }
}

export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!principal) throw new Error('A route without @Access has no caller');
  return principal;
});
