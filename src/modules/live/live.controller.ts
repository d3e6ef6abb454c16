import { Controller, Get, type StreamableFile } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { LastEventId } from '../../http/parameters/last-event-id.js';
import { toEventStream } from '../../http/streams/event-stream.js';
import { CountsAsStream } from '../../http/streams/open-streams.js';
import { LiveService } from './live.service.js';

const EXAMPLE = `id: 1763193600000
event: session.changed
data: {"sessionId":"01980f72-5c44-7d5e-8f60-7b8c9d0e1f2a","status":"running","computerId":"01980f71-2b33-7c4d-8e5f-6a7b8c9d0e1f"}

`;

@ApiTags('Me')
@Controller('api/v0/events')
@Access(Role.Owner, Role.Manager, Role.Member)
export class LiveController {
  constructor(private readonly live: LiveService) {}

  /**
   * Follows all that concerns you
   * @remarks Server-sent events, one stream for everything a page shows: `session.changed` with
   * `{"sessionId", "status", "computerId", "title"?}` when one of your sessions is new or its status has changed, and
   * `session.deleted`; `computer.changed` with an entry of `GET /api/v0/computers/presence`, and `computer.deleted`;
   * `keys.changed` when the list of API keys that you see may have changed; `telemetry.seen` with `{"agent"}` when telemetry of
   * yours was counted. An event tells the present state: several changes in a short time may be one event, and an event may be repeated.
   * `ready` is the first event. `resync` says that events may have been missed: read what you show again. It comes first
   * when `Last-Event-ID` is sent, and whenever a process of the service was cut off from the others. Messages of a session are told by
   * `GET /api/v0/sessions/{sessionId}/events`. A line that begins with a colon is a sign of life. The stream ends when the
   * credential changes or expires, the organization's network policy does not allow it any more, or the service stops; connect
   * again then. It counts as one of 50 (`MAX_STREAMS_PER_USER`); one more is a 429.
   */
  @Get()
  @CountsAsStream()
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'The id of the last event that was seen.',
    schema: { type: 'string', pattern: '^[0-9]{1,15}$', example: '1763193600000' },
  })
  @ApiOkResponse({
    description: 'The events, until somebody hangs up.',
    content: { 'text/event-stream': { schema: { type: 'string' }, example: EXAMPLE } },
  })
  @ApiProblems('invalid_request')
  followEvents(@CurrentPrincipal() caller: Principal, @LastEventId() lastEventId: number | null): StreamableFile {
    return toEventStream(this.live.follow(caller, { isBack: lastEventId !== null }));
  }
}
