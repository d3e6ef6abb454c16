import { Controller, Get, type StreamableFile } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { toEventStream } from '../../../http/streams/event-stream.js';
import { Id } from '../../../http/parameters/id.decorator.js';
import { CountsAsStream } from '../../../http/streams/open-streams.js';
import { LastEventId } from '../../../http/parameters/last-event-id.js';
import { toServerSentEvents } from './streamed-event.js';
import { SessionStreamService } from './session-stream.service.js';

const EXAMPLE = `id: 7
event: status.changed
data: {"status":"running"}

`;

@ApiTags('Sessions')
@Controller('api/v0/sessions/:sessionId/events')
@Access(Role.Owner, Role.Manager, Role.Member)
export class SessionStreamController {
  constructor(private readonly stream: SessionStreamService) {}

  /**
   * Follows a session as it happens
   * @remarks Server-sent events: `message.created` and `message.updated` with `{"messageId", "message"}` (`message` is left
   * out when it is large), `status.changed` with `{"status"}`. Without `Last-Event-ID` the stream begins now, with it behind
   * that event (0: at the beginning), so that nothing is lost or repeated. A line that begins with a colon is a sign of
   * life. The stream ends when the session is deleted, the credential changes or expires, the organization's
   * network policy does not allow it any more, or the service stops; connect again then. A `Last-Event-ID` ahead of the
   * session is a 400. A user may hold 50 event streams and client sockets open (`MAX_STREAMS_PER_USER`, counted by each
   * process of the service); one more is a 429.
   */
  @Get()
  @CountsAsStream()
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'The id of the last event that was seen; 400 when the session has not come so far.',
    schema: { type: 'string', pattern: '^[0-9]{1,15}$', example: '7' },
  })
  @ApiOkResponse({
    description: 'The events, until somebody hangs up.',
    content: { 'text/event-stream': { schema: { type: 'string' }, example: EXAMPLE } },
  })
  @ApiProblems('invalid_request', 'not_found')
  async followSession(
    @CurrentPrincipal() caller: Principal,
    @Id('sessionId', 'session') sessionId: string,
    @LastEventId() lastEventId: number | null,
  ): Promise<StreamableFile> {
    return toEventStream(toServerSentEvents(await this.stream.follow(caller, sessionId, lastEventId)));
  }
}
