import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { toPeriod } from '../../common/time/period.js';
import { Id } from '../../http/parameters/id.decorator.js';
import {
  ApiIdempotencyKey,
  Idempotency,
  type IdempotencyKey,
  IdempotencyService,
} from '../../idempotency/idempotency.js';
import { toPageRequest } from '../../http/paging/paging.js';
import {
  CreateSessionRequest,
  ListSessionsQuery,
  OnComputerQuery,
  RenameSessionRequest,
  SessionResponse,
  SessionsResponse,
  toSessionResponse,
  toSessionsResponse,
  UpdateSessionRequest,
} from './sessions.dto.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Sessions')
@Controller('api/v0/sessions')
@Access(Role.Owner, Role.Manager, Role.Member)
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Lists your sessions
   * @remarks Newest first. With `computerId`, those on that computer; an unknown one has none. The filters can be combined.
   */
  @Get()
  @ApiProblems('invalid_request')
  async listSessions(
    @CurrentPrincipal() caller: Principal,
    @Query() query: ListSessionsQuery,
  ): Promise<SessionsResponse> {
    const { computerId, status, text, from, to } = query;
    const page = toPageRequest(query, caller, 'sessions', { computerId, status, text, from, to });
    const filter = { computerId, status, text, ...toPeriod(query) };
    return toSessionsResponse(await this.sessions.list(caller, page, filter), page);
  }

  /**
   * Starts a session on one of the organization's computers
   * @remarks The computer is yours or shared with the organization, else a 403. The session starts from the organization's `sessionDefaultSettings`; the autonomy level is lowered to
   * `maxAutonomyLevel`. A model that a policy forbids is a 403 that names the rule.
   */
  @Post()
  @ApiIdempotencyKey()
  @ApiProblems('invalid_request', 'not_found', 'conflict', 'payload_too_large', 'unsupported_media_type')
  createSession(
    @CurrentPrincipal() caller: Principal,
    @Idempotency() key: IdempotencyKey | null,
    @Body() body: CreateSessionRequest,
  ): Promise<SessionResponse> {
    return this.idempotency.once(caller, key, body, async (tx) =>
      toSessionResponse(await this.sessions.create(tx, caller, body)),
    );
  }

  /**
   * Returns one of your sessions
   * @remarks With `computerId`, a 404 unless the session is on that computer.
   */
  @Get(':sessionId')
  @ApiProblems('invalid_request', 'not_found')
  async getSession(
    @CurrentPrincipal() caller: Principal,
    @Id('sessionId', 'session') sessionId: string,
    @Query() query: OnComputerQuery,
  ): Promise<SessionResponse> {
    return toSessionResponse(await this.sessions.get(caller, sessionId, query.computerId));
  }

  /**
   * Changes the settings of a session
   * @remarks Field by field; null clears a field. What the organization's policies say about new sessions holds here too.
   */
  @Patch(':sessionId')
  @ApiProblems('invalid_request', 'not_found', 'payload_too_large', 'unsupported_media_type')
  async updateSession(
    @CurrentPrincipal() caller: Principal,
    @Id('sessionId', 'session') sessionId: string,
    @Body() body: UpdateSessionRequest,
  ): Promise<SessionResponse> {
    return toSessionResponse(await this.sessions.updateSettings(caller, sessionId, body.sessionSettings));
  }

  /**
   * Renames a session
   * @remarks The title stays when further messages are posted. It is not part of what others may know of the session.
   */
  @Put(':sessionId/title')
  @ApiProblems('invalid_request', 'not_found', 'payload_too_large', 'unsupported_media_type')
  async renameSession(
    @CurrentPrincipal() caller: Principal,
    @Id('sessionId', 'session') sessionId: string,
    @Body() body: RenameSessionRequest,
  ): Promise<SessionResponse> {
    return toSessionResponse(await this.sessions.rename(caller, sessionId, body.title));
  }

  /**
   * Deletes a session with its messages
   * @remarks 409 while a turn is running.
   */
  @Delete(':sessionId')
  @HttpCode(204)
  @ApiProblems('not_found', 'conflict')
  async deleteSession(
    @CurrentPrincipal() caller: Principal,
    @Id('sessionId', 'session') sessionId: string,
  ): Promise<void> {
    await this.sessions.delete(caller, sessionId);
  }
}
