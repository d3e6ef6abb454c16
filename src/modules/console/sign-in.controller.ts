import { Body, Controller, Get, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SameOriginGuard } from '../../auth/browser/same-origin.guard.js';
import { requireSafeTransport, transportWarning } from '../../auth/browser/transport.js';
import { PublicAccess } from '../../common/access/access.decorator.js';
import { ForbiddenError, InvalidRequestError } from '../../common/errors/domain-error.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { AppConfig } from '../../config/app-config.js';
import type { SignInMethod } from '../organization/console-sessions/console-session.js';
import { Browsers } from './browsers.js';
import {
  ConsoleSessionResponse,
  SignInMethodsResponse,
  SignInRequest,
  toConsoleSessionResponse,
} from './console.dto.js';
import { DoorsService } from './doors.service.js';
import { OidcClient } from './sso/oidc-client.js';

/** Signs browsers in and out. Request and reply are needed in person: cookies are theirs. */
@ApiTags('Console')
@Controller('auth')
@PublicAccess()
export class SignInController {
  constructor(
    private readonly doors: DoorsService,
    private readonly browsers: Browsers,
    private readonly oidc: OidcClient,
    private readonly config: AppConfig,
  ) {}

  /**
   * Tells how a browser may sign in
   * @remarks For the sign-in page of the console; needs no credential.
   */
  @Get('methods')
  @ApiProblems('invalid_request', 'internal_error')
  getSignInMethods(@Req() request: FastifyRequest): SignInMethodsResponse {
    const notice = transportWarning(request, this.config);
    try {
      requireSafeTransport(request, this.config);
    } catch (error) {
      if (error instanceof ForbiddenError) return { methods: [], notice: error.detail };
      throw error;
    }
    const methods: SignInMethod[] = this.oidc.isConfigured ? ['sso', 'key', 'link'] : ['key', 'link'];
    const canReturn = this.browsers.visitor(request).ownCookie !== null;
    return { methods, ...(notice && { notice }), ...(canReturn && { canReturn }) };
  }

  /**
   * Signs a browser in
   * @remarks With an API key or with the secret of a one-time link. The answer sets a cookie (`HttpOnly`, `SameSite=Strict`;
   * `Secure` and with the prefix `__Host-` under HTTPS) that is accepted wherever an API key is, but not for ingest, telemetry
   * and the sockets of agents. The session ends after 12 hours without use, after 7 days, with its key, or when somebody ends
   * it. A session that the browser had before ends; on the way into the demo it waits (`POST /auth/return`). Only for requests of the console's own pages: with `Sec-Fetch-Site:
   * same-origin`, or with its address as `Origin`; others get a 403. So does plain HTTP beyond this machine, unless
   * `CONSOLE_ALLOW_HTTP=true`.
   */
  @Post('session')
  @UseGuards(SameOriginGuard)
  @ApiProblems('invalid_request', 'unauthenticated', 'forbidden', 'request_timeout', 'payload_too_large')
  @ApiProblems('unsupported_media_type', 'rate_limited', 'internal_error', 'unavailable')
  async signIn(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() { apiKey, link }: SignInRequest,
  ): Promise<ConsoleSessionResponse> {
    const visitor = this.browsers.visitor(request);
    if ((apiKey === undefined) === (link === undefined)) {
      throw InvalidRequestError.ofField('apiKey', 'send an API key or the secret of a link, and not both');
    }
    const opened =
      link === undefined ? await this.doors.withKey(apiKey ?? '', visitor) : await this.doors.withLink(link, visitor);
    this.browsers.keepSession(reply, opened);
    return toConsoleSessionResponse(opened.session, opened.session.id);
  }

  /**
   * Takes a browser back from the demo
   * @remarks To the session that it had when it entered the demo with a link; the one in the demo ends. 401 when that session
   * has ended meanwhile. For requests of the console's own pages only, as for signing in.
   */
  @Post('return')
  @HttpCode(200)
  @UseGuards(SameOriginGuard)
  @ApiProblems('invalid_request', 'unauthenticated', 'forbidden', 'rate_limited', 'internal_error', 'unavailable')
  async returnFromDemo(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ConsoleSessionResponse> {
    const entered = await this.doors.backFromDemo(this.browsers.visitor(request));
    this.browsers.keepSession(reply, entered);
    return toConsoleSessionResponse(entered.session, entered.session.id);
  }

  /**
   * Signs a browser out
   * @remarks Ends its session, everywhere within one second, and deletes the cookie. A browser that is not signed in gets the
   * same answer. For requests of the console's own pages only, as for signing in.
   */
  @Post('sign-out')
  @HttpCode(204)
  @UseGuards(SameOriginGuard)
  @ApiProblems('invalid_request', 'forbidden', 'rate_limited', 'internal_error', 'unavailable')
  async signOut(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    this.browsers.forgetSession(reply);
    await this.doors.signOut(this.browsers.visitor(request));
  }
}
