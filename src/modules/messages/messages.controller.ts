import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { Id } from '../../http/parameters/id.decorator.js';
import {
  ApiIdempotencyKey,
  Idempotency,
  type IdempotencyKey,
  IdempotencyService,
} from '../../idempotency/idempotency.js';
import { toPageRequest } from '../../http/paging/paging.js';
import { toMessageBody } from '../sessions/transcript/message.entity.js';
import { TranscriptService } from '../sessions/transcript/transcript.service.js';
import { TurnProgressService } from '../turns/turn-progress.service.js';
import {
  GetMessageQuery,
  InterruptResponse,
  ListMessagesQuery,
  MessageResponse,
  MessagesResponse,
  PostMessageRequest,
  PostMessageResponse,
  toInterruptResponse,
  toMessagesResponse,
} from './messages.dto.js';
import { MessagesService } from './messages.service.js';

@ApiTags('Messages')
@Controller('api/v0/sessions/:sessionId')
@Access(Role.Owner, Role.Manager, Role.Member)
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly transcript: TranscriptService,
    private readonly turns: TurnProgressService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Lists the messages of a session
   * @remarks Newest first. With `role`, only messages of that role.
   */
  @Get('messages')
  @ApiProblems('invalid_request', 'not_found')
  async listMessages(
    @CurrentPrincipal() caller: Principal,
    @Id('sessionId', 'session') sessionId: string,
    @Query() query: ListMessagesQuery,
  ): Promise<MessagesResponse> {
    const { computerId, role } = query;
    const page = toPageRequest(query, caller, 'messages', { sessionId, computerId, role });
    return toMessagesResponse(await this.transcript.list(caller, sessionId, page, { computerId, role }), page);
  }

  /**
   * Returns one message
   * @remarks With `computerId`, a 404 unless the session is on that computer.
   */
  @Get('messages/:messageId')
  @ApiProblems('invalid_request', 'not_found')
  async getMessage(
    @CurrentPrincipal() caller: Principal,
    @Id('sessionId', 'session') sessionId: string,
    @Id('messageId', 'message') messageId: string,
    @Query() query: GetMessageQuery,
  ): Promise<MessageResponse> {
    return toMessageBody(await this.transcript.get(caller, sessionId, messageId, query.computerId));
  }

  /**
   * Posts a message to a session
   * @remarks Stores the message and begins the turn that answers it; while another turn runs, or the computer is offline or
   * busy, it waits. With another `computerId` the session moves there first, a 409 while a turn is queued or running. 403 when the
   * computer is private to somebody else, 409 when too many messages wait already (`MAX_QUEUED_TURNS`). 402 when
   * your credit limit of the month is used up. Attachments: 10 MiB each, 20 MiB in all, in canonical base64, with
   * content that begins as its media type demands.
   */
  @Post('messages')
  @HttpCode(200)
  @ApiIdempotencyKey()
  @ApiProblems('invalid_request', 'credit_limit_reached', 'not_found', 'conflict', 'payload_too_large')
  @ApiProblems('unsupported_media_type')
  postMessage(
    @CurrentPrincipal() caller: Principal,
    @Idempotency() key: IdempotencyKey | null,
    @Id('sessionId', 'session') sessionId: string,
    @Body() body: PostMessageRequest,
  ): Promise<PostMessageResponse> {
    return this.idempotency.once(caller, inSession(key, sessionId), body, (tx) =>
      this.messages.post(tx, caller, sessionId, body),
    );
  }

  /**
   * Interrupts a session
   * @remarks Ends the running turn and drops those that wait. While the session is idle, nothing happens.
   */
  @Post('interrupt')
  @HttpCode(200)
  @ApiIdempotencyKey()
  @ApiProblems('invalid_request', 'not_found', 'conflict')
  interruptSession(
    @CurrentPrincipal() caller: Principal,
    @Idempotency() key: IdempotencyKey | null,
    @Id('sessionId', 'session') sessionId: string,
  ): Promise<InterruptResponse> {
    return this.idempotency.once(caller, inSession(key, sessionId), {}, async (tx) =>
      toInterruptResponse(await this.turns.interrupt(tx, caller, sessionId)),
    );
  }
}

/** The same key in another session is another request. */
function inSession(key: IdempotencyKey | null, sessionId: string): IdempotencyKey | null {
  return key && { ...key, route: `${key.route} ${sessionId}` };
}
