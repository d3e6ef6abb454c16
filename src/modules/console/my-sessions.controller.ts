import { Controller, Delete, Get, HttpCode } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { ALL_ROLES } from '../../common/access/role.enum.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { Id } from '../../http/parameters/id.decorator.js';
import { ConsoleSessionsService } from '../organization/console-sessions/console-sessions.service.js';
import { ConsoleSessionsResponse, toConsoleSessionResponse } from './console.dto.js';

@ApiTags('Console')
@Controller('api/v0/me/sessions')
@Access(...ALL_ROLES)
export class MySessionsController {
  constructor(private readonly sessions: ConsoleSessionsService) {}

  /**
   * Lists the browsers in which the caller is signed in
   * @remarks Console sessions, not sessions with agents. Last used first, at most 100.
   */
  @Get()
  async listConsoleSessions(@CurrentPrincipal() caller: Principal): Promise<ConsoleSessionsResponse> {
    const { kind, id } = caller.credential;
    const sessions = await this.sessions.list(caller);
    return { sessions: sessions.map((each) => toConsoleSessionResponse(each, kind === 'console' ? id : null)) };
  }

  /**
   * Signs the caller out of all other browsers
   * @remarks Asked with an API key or a token: of all. Holds within one second and closes their open streams.
   */
  @Delete()
  @HttpCode(204)
  async endOtherConsoleSessions(@CurrentPrincipal() caller: Principal): Promise<void> {
    await this.sessions.endOthers(caller);
  }

  /**
   * Signs the caller out of one browser
   * @remarks Holds within one second and closes its open streams.
   */
  @Delete(':consoleSessionId')
  @HttpCode(204)
  @ApiProblems('not_found')
  async endConsoleSession(
    @CurrentPrincipal() caller: Principal,
    @Id('consoleSessionId', 'console session') consoleSessionId: string,
  ): Promise<void> {
    await this.sessions.end(caller, consoleSessionId);
  }
}
