import { Controller, Get, HttpCode, Query, Req, Res } from '@nestjs/common';
import { ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PublicAccess } from '../../../common/access/access.decorator.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { AnyQuery } from '../../../common/validation/any-query.js';
import { Browsers } from '../browsers.js';
import { SsoQuery } from './sso.dto.js';
import { SsoService } from './sso.service.js';

const SEE_OTHER = 303;

/** Leads browsers to the identity provider and back. Whatever goes wrong is shown by the sign-in page of the console. */
@ApiTags('Console')
@Controller('auth')
@PublicAccess()
export class SsoController {
  constructor(
    private readonly sso: SsoService,
    private readonly browsers: Browsers,
  ) {}

  /**
   * Leads a browser to the identity provider
   * @remarks Authorization code with PKCE. 404 when `OIDC_CLIENT_ID` is not set. When the provider cannot be reached, or the
   * connection is not safe, the browser is led to `/console/sign-in?error=unavailable` (`insecure`).
   */
  @Get('sso')
  @HttpCode(SEE_OTHER)
  @ApiResponse({ status: SEE_OTHER, description: 'The browser goes on at the identity provider.' })
  @ApiProblems('invalid_request', 'not_found', 'internal_error')
  async beginSso(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query() { to = '/console/' }: SsoQuery,
  ): Promise<void> {
    const { url, transaction } = await this.sso.begin(request, this.browsers.visitor(request), to);
    if (transaction !== null) this.browsers.keepTransaction(reply, transaction);
    reply.header('Location', url);
  }

  /**
   * Takes a browser back from the identity provider
   * @remarks Signs it in like `POST /auth/session` and leads it to where it wanted to go. A sign-in that is refused leads to
   * `/console/sign-in?error=...&requestId=...`: `expired` (it took more than ten minutes, or began in another browser),
   * `denied` (the provider refused), `refused` (the person has no account here, or the answer is not valid), `forbidden` (a
   * policy of the organization), `busy`, `unavailable`, `insecure`. The log has the details under the id of the request.
   */
  @Get('callback')
  @HttpCode(SEE_OTHER)
  @ApiQuery({ name: 'code', required: false, type: String, description: 'Of the provider.', example: 'z8Qw1r' })
  @ApiQuery({ name: 'state', required: false, type: String, description: 'As it was sent.', example: 'Xb2ldk' })
  @ApiQuery({ name: 'error', required: false, type: String, description: 'Why not.', example: 'access_denied' })
  @ApiResponse({ status: SEE_OTHER, description: 'The browser goes on in the console.' })
  @ApiProblems('invalid_request', 'not_found', 'internal_error')
  async finishSso(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query() query: AnyQuery,
  ): Promise<void> {
    const sealed = this.browsers.transaction(request);
    this.browsers.forgetTransaction(reply);
    const { url, opened } = await this.sso.finish(request, this.browsers.visitor(request), query.values, sealed);
    if (opened !== null) this.browsers.keepSession(reply, opened);
    reply.header('Location', url);
  }
}
