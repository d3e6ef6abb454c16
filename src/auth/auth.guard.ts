import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard as PassportGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ACCESS_RULE, type AccessRule, COMPUTER_ACCESS, takesCookie } from '../common/access/access.decorator.js';
import { credentialName, type CredentialScope, type Principal } from '../common/access/principal.js';
import type { Role } from '../common/access/role.enum.js';
import { ForbiddenError, RateLimitedError, UnauthenticatedError } from '../common/errors/domain-error.js';
import { AppConfig } from '../config/app-config.js';
import { ControlsService } from '../modules/organization/controls/controls.service.js';
import { requestContext } from '../common/request-context.js';
import { rateLimitHeaders, RateLimiter, type RateLimitState } from '../http/limits/rate-limiter.js';
import { Authenticator } from './authenticator.js';
import type { VisibleRequest } from './bearer.strategy.js';
import { readCookies, SESSION_COOKIE } from './browser/cookies.js';
import { requireSameOrigin } from './browser/same-origin.js';
import { isEncrypted, requireSafeTransport } from './browser/transport.js';

const TWO_COOKIES =
  'The browser sent two cookies of this name, and one may be planted. Delete the cookies of this site, and sign in again.';

/** Guards every route, in this order: authentication, rate limit, network policy, scope, computer token, role. */
@Injectable()
export class AuthGuard extends PassportGuard('bearer') {
  constructor(
    private readonly reflector: Reflector,
    private readonly rateLimiter: RateLimiter,
    private readonly authenticator: Authenticator,
    private readonly controls: ControlsService,
    private readonly config: AppConfig,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS_RULE, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (rule === 'public') return true;
    if (!rule) throw new ForbiddenError('This route declares no access.');
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const isForComputers = this.isForComputers(context);
    const principal =
      (takesCookie(rule, isForComputers) ? await this.authenticateBrowser(context) : null) ??
      (await this.authenticate(context));
    logCaller(principal);
    this.limit(reply, this.rateLimiter.countRequest(credentialName(principal.credential)));
    await this.controls.requireAllowedAddress(principal);
    requireScope(principal.scope, rule.scopes);
    if (principal.computerId !== undefined && !isForComputers) {
      throw new ForbiddenError('A computer token can only connect as the agent of its computer.');
    }
    requireRole(principal.role, rule.roles);
    return true;
  }

  /** Passport sees only the header: credentials in a query string or a body are never used. */
  override getRequest(context: ExecutionContext): VisibleRequest {
    const request = requestOf(context);
    const { headers, ip } = request;
    return {
      headers: countAuthorizations(request) === 1 ? { authorization: headers.authorization } : {},
      authenticate: (bearer) => this.authenticator.authenticate(bearer, ip),
    };
  }

  override handleRequest<T>(error: unknown, principal: T, _info: unknown, context: ExecutionContext): T {
    if (error) throw error as Error;
    if (!principal) throw new UnauthenticatedError(false);
    const request = requestOf(context);
    request.principal = { ...(principal as unknown as Principal), address: request.ip };
    return principal;
  }

  private isForComputers(context: ExecutionContext): boolean {
    return this.reflector.getAllAndOverride(COMPUTER_ACCESS, [context.getHandler(), context.getClass()]) === true;
  }

  /** null: the request has no cookie, or says itself who calls. */
  private async authenticateBrowser(context: ExecutionContext): Promise<Principal | null> {
    const request = requestOf(context);
    if (request.headers.cookie === undefined || countAuthorizations(request) > 0) return null;
    const [cookie, another] = readCookies(request, SESSION_COOKIE, isEncrypted(request, this.config));
    if (cookie === undefined) return null;
    if (another !== undefined) throw new UnauthenticatedError(true, TWO_COOKIES);
    requireSafeTransport(request, this.config);
    requireSameOrigin(request, this.config);
    const principal = await this.authenticator.authenticateBrowser(cookie, request.ip);
    request.principal = { ...principal, address: request.ip };
    return request.principal;
  }

  private async authenticate(context: ExecutionContext): Promise<Principal> {
    await super.canActivate(context);
    const { principal } = requestOf(context);
    if (!principal) throw new UnauthenticatedError(false);
    return principal;
  }

  private limit(reply: FastifyReply, state: RateLimitState): void {
    void reply.headers(rateLimitHeaders(state));
    if (!state.exceeded) return;
    throw new RateLimitedError(`At most ${state.limit} requests a minute.`, state.resetSeconds);
  }
}

function logCaller({ userId }: Principal): void {
  const context = requestContext.getStore();
  if (context) context.caller = userId;
}

function requestOf(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}

function countAuthorizations({ raw }: FastifyRequest): number {
  return raw.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'authorization').length;
}

function requireScope(scope: CredentialScope | undefined, allowed: readonly CredentialScope[]): void {
  if (scope === undefined || allowed.includes(scope)) return;
  throw new ForbiddenError(`This API key has the scope "${scope}": it may send usage and telemetry, and nothing else.`);
}

function requireRole(role: Role, allowed: readonly Role[]): void {
  if (allowed.includes(role)) return;
  throw new ForbiddenError(`This needs the role ${allowed.join(' or ')}; you are a ${role}.`);
}
