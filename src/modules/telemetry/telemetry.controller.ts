import type { IncomingMessage } from 'node:http';
import { Body, Controller, HttpCode, Post, StreamableFile, UseFilters } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ScopedAccess } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { InvalidRequestError } from '../../common/errors/domain-error.js';
import { StreamedBody } from '../../common/validation/body-reader.js';
import { isUuid } from '../../common/validation/predicates.js';
import { AppConfig } from '../../config/app-config.js';
import { encodeSuccess } from './otlp/otlp-answer.js';
import { MEDIA_TYPES, readOtlpBody } from './otlp/otlp-body.js';
import { decode } from './otlp/decode.js';
import type { Signal } from './otlp/records.js';
import { OtlpErrorFilter } from './otlp-error.filter.js';
import { ApiOtlp, SESSION_HEADER } from './telemetry.decorator.js';
import { TelemetryService } from './telemetry.service.js';

/** Larger requests are refused, also when they are so only after unpacking. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

@ApiTags('Telemetry')
@Controller('api/otlp/v1')
@ScopedAccess('telemetry', Role.Owner, Role.Manager, Role.Member)
@UseFilters(OtlpErrorFilter)
export class TelemetryController {
  constructor(
    private readonly telemetry: TelemetryService,
    private readonly config: AppConfig,
  ) {}

  /**
   * Takes log records in
   * @remarks OTLP/HTTP, in protobuf or JSON, plain or with gzip; at most 16 MiB, also after unpacking, and
   * 100,000 records that tell of 50,000 uses. Point an agent's exporter at
   * `/api/otlp` and give it the key as `Authorization=Bearer <key>` in `OTEL_EXPORTER_OTLP_HEADERS`. Records of Claude Code,
   * Gemini CLI, Codex, opencode and those that follow the `gen_ai` conventions become usage events of the caller, or, with
   * the key of an owner or a manager, of the user named in `user.email`; all others are ignored. A key of scope
   * `telemetry`, which may do nothing else, reports for its owner alone. The answer comes when they
   * are durable; a batch that is sent again adds nothing. Prompts, arguments and outputs are never stored.
   * With `Agent-Platform-Session`, only model calls count, for that session: the agent client reports the rest.
   */
  @Post('logs')
  @HttpCode(200)
  @ApiOtlp('logs')
  takeLogs(@CurrentPrincipal() caller: Principal, @Body() body: StreamedBody): Promise<StreamableFile> {
    return this.take('logs', caller, body);
  }

  /**
   * Takes metrics in
   * @remarks As for logs. Only sums are read, and of these only what no log record tells: commits, pull requests and sessions
   * of Claude Code. Delta and cumulative sums are both understood; facts of a cumulative one are dated when it began.
   */
  @Post('metrics')
  @HttpCode(200)
  @ApiOtlp('metrics')
  takeMetrics(@CurrentPrincipal() caller: Principal, @Body() body: StreamedBody): Promise<StreamableFile> {
    return this.take('metrics', caller, body);
  }

  /**
   * Takes spans in
   * @remarks As for logs. Needed for opencode and for agents that follow the `gen_ai` conventions; spans of the others are
   * understood and count nothing.
   */
  @Post('traces')
  @HttpCode(200)
  @ApiOtlp('traces')
  takeTraces(@CurrentPrincipal() caller: Principal, @Body() body: StreamedBody): Promise<StreamableFile> {
    return this.take('traces', caller, body);
  }

  private async take(signal: Signal, caller: Principal, { message }: StreamedBody): Promise<StreamableFile> {
    const timeoutMs = this.config.http.requestTimeoutSeconds * 1000;
    const { encoding, bytes } = await readOtlpBody(message, { limitBytes: MAX_REQUEST_BYTES, timeoutMs });
    const rejected = await this.telemetry.take(caller, await decode(signal, encoding, bytes), sessionOf(message));
    const partial = rejected && { rejected: rejected.count, message: rejected.reason };
    return new StreamableFile(encodeSuccess(encoding, signal, partial), { type: MEDIA_TYPES[encoding] });
  }
}

/** Sent by agents that the agent client runs in a session. */
function sessionOf({ headers }: IncomingMessage): string | null {
  const sent = headers[SESSION_HEADER];
  if (sent === undefined) return null;
  if (!isUuid(sent)) throw InvalidRequestError.ofField(SESSION_HEADER, 'must be the id of a session');
  return String(sent).toLowerCase();
}
