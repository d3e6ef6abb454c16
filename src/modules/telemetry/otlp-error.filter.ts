import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toDomainError } from '../../common/errors/database-errors.js';
import { DomainError, type ErrorCode } from '../../common/errors/domain-error.js';
import { PROBLEM_KINDS, toProblem } from '../../common/errors/problem.js';
import { type Encoding, encodingOf, MEDIA_TYPES } from './otlp/otlp-body.js';
import { encodeStatus } from './otlp/otlp-answer.js';
import { RefusedSenders } from './refusals/refused-senders.js';

/** A `google.rpc.Status`, as exporters expect it; in JSON with the fields of the usual problem body as well. */
@Catch()
export class OtlpErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Telemetry');

  constructor(private readonly refused: RefusedSenders) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const error = this.describe(thrown);
    this.refused.note(request.ip, error);
    if (reply.sent) return;
    const encoding = encodingOf(request.raw) ?? 'json';
    void reply
      .status(PROBLEM_KINDS[error.code].status)
      .headers(error.headers)
      .type(MEDIA_TYPES[encoding])
      .send(bodyOf(encoding, error, request.id));
  }

  private describe(thrown: unknown): DomainError {
    const known = toDomainError(thrown);
    if (known) return known;
    this.logger.error(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
    return new DomainError('internal_error', 'The request could not be completed.');
  }
}

function bodyOf(encoding: Encoding, error: DomainError, requestId: string): Buffer {
  const code = GRPC_CODES[error.code] ?? 2;
  if (encoding === 'protobuf') return encodeStatus(encoding, code, error.detail);
  return Buffer.from(JSON.stringify({ code, message: error.detail, ...toProblem(error, requestId) }));
}

/** Codes of gRPC; the default is UNKNOWN (2). */
const GRPC_CODES: Partial<Record<ErrorCode, number>> = {
  invalid_request: 3,
  unsupported_media_type: 3,
  payload_too_large: 8,
  rate_limited: 8,
  forbidden: 7,
  unauthenticated: 16,
  internal_error: 13,
  unavailable: 14,
  request_timeout: 4,
};
