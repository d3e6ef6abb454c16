import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import { ApiProblems } from '../errors/problem.decorator.js';
import type { CredentialScope } from './principal.js';
import { Role } from './role.enum.js';

export const ACCESS_RULE = 'access-rule';
export const COMPUTER_ACCESS = 'computer-access';

export type AccessRule = { readonly roles: readonly Role[]; readonly scopes: readonly CredentialScope[] } | 'public';

export const Access = (...roles: Role[]) => openTo({ roles, scopes: [] });

/** Also for credentials that are limited to `scope`. */
export const ScopedAccess = (scope: CredentialScope, ...roles: Role[]) => openTo({ roles, scopes: [scope] });

const openTo = (rule: AccessRule) =>
  applyDecorators(
    SetMetadata(ACCESS_RULE, rule),
    ApiBearerAuth('bearer'),
    ApiProblems('invalid_request', 'unauthenticated', 'forbidden', 'rate_limited', 'internal_error', 'unavailable'),
  );

/** The cookie of a browser opens every route but those of machines: ingest, telemetry and the sockets of agents. */
export function takesCookie(rule: AccessRule, isForComputers: boolean): boolean {
  return rule !== 'public' && rule.scopes.length === 0 && !isForComputers;
}

/** Opens a route also to computer tokens; the route itself checks which computer it is about. */
export const ComputerTokenAccess = () => SetMetadata(COMPUTER_ACCESS, true);

export const PublicAccess = () => SetMetadata(ACCESS_RULE, 'public' satisfies AccessRule);
