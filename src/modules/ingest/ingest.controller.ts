import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ScopedAccess } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { ApiBodyContent } from '../../http/parameters/body-content.decorator.js';
import { StreamedBody } from '../../common/validation/body-reader.js';
import { AppConfig } from '../../config/app-config.js';
import { EVENTS_CONTENT } from './event-schema.js';
import { readEvents } from './event-source.js';
import { IngestResponse, toIngestResponse } from './ingest.dto.js';
import { IngestService } from './ingest.service.js';

@ApiTags('Ingest')
@Controller('api/v1/ingest/events')
@ScopedAccess('telemetry', Role.Owner, Role.Manager, Role.Member)
export class IngestController {
  constructor(
    private readonly ingest: IngestService,
    private readonly config: AppConfig,
  ) {}

  /**
   * Takes usage events in
   * @remarks As JSON (`{"events": [...]}`, at most 5,000 events, 5 MiB and 100,000 JSON values) or as NDJSON (one event a
   * line of at most 256 KiB and 500 JSON values, at most 1,000,000 lines, taken as they arrive); `Content-Encoding: gzip` is accepted for both, and the limits count after
   * unpacking. The answer comes when everything is durable. An event is known by its `id` and the UTC day of its `at`: sent
   * again, it counts once, so that a request without an answer can simply be repeated. A bad event is rejected alone.
   * Events without `userId` or `userEmail` are the caller's own; only owners and managers may report for others, and not with an
   * API key of scope `telemetry`. `at` may be at most five minutes ahead, and not before the first day that is kept.
   * Usage counts towards the credit limit of the month of its `at`: what somebody reports about themselves is taken on trust,
   * also when it comes late for a month that is over. An organization has at most 5,000 distinct names of each kind (tools,
   * servers, models and so on) a day (`MAX_NAMES_PER_DAY`): the first that arrive. Events with further names are taken and
   * counted under the name `(other)`.
   */
  @Post()
  @HttpCode(200)
  @ApiBodyContent('The events.', EVENTS_CONTENT)
  @ApiProblems('invalid_request', 'request_timeout', 'payload_too_large', 'unsupported_media_type', 'rate_limited')
  async ingestEvents(@CurrentPrincipal() caller: Principal, @Body() body: StreamedBody): Promise<IngestResponse> {
    const events = readEvents(body.message, this.config.http.requestTimeoutSeconds * 1000);
    return toIngestResponse(await this.ingest.ingest(caller, events));
  }
}
