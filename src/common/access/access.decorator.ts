import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import { ApiProblems } from '../errors/problem.decorator.js';
import type { CredentialScope } from './principal.js';
import { Role } from './role.enum.js';

export const ACCESS_RULE = 'access-rule';
export const COMPUTER_ACCESS = 'computer-access';

/** Who may use a route: these roles, with an API key or an SSO token, and with credentials limited to these scopes; or anybody. */
export type AccessRule = { readonly roles: readonly Role[]; readonly scopes: readonly CredentialScope[] } | 'public';

/** Opens a route (or every route of a controller) to these roles, and says so in the API document. */
export const Access = (...roles: Role[]) => openTo({ roles, scopes: [] });

/** The same, also for credentials that are limited to `scope`. */
export const ScopedAccess = (scope: CredentialScope, ...roles: Role[]) => openTo({ roles, scopes: [scope] });

const openTo = (rule: AccessRule) =>
  applyDecorators(
    SetMetadata(ACCESS_RULE, rule),
    ApiBearerAuth('bearer'),
    ApiProblems('invalid_request', 'unauthenticated', 'forbidden', 'rate_limited', 'internal_error', 'unavailable'),
  );

/** Opens a route also to computer tokens, which may use no other. The route looks after which computer it is about. */
export const ComputerTokenAccess = () => SetMetadata(COMPUTER_ACCESS, true);

/** Opens a route to anybody, without credentials. */
export const PublicAccess = () => SetMetadata(ACCESS_RULE, 'public' satisfies AccessRule);
