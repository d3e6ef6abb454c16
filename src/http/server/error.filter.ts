import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toDomainError } from '../../common/errors/database-errors.js';
import { allowedMethods } from './allowed-methods.js';
import { DomainError, InvalidRequestError } from '../../common/errors/domain-error.js';
import { PROBLEM_KINDS, PROBLEM_MEDIA_TYPE, toProblem } from '../../common/errors/problem.js';

@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const error = this.describe(thrown, request);
    if (reply.sent) return;
    void reply
      .status(PROBLEM_KINDS[error.code].status)
      .headers(error.headers)
      .type(PROBLEM_MEDIA_TYPE)
      .send(toProblem(error, request.id));
  }

  private describe(thrown: unknown, request: FastifyRequest): DomainError {
    const known = toDomainError(thrown) ?? refusedByFramework(thrown, request);
    if (known?.code === 'unavailable') this.logger.warn(`${known.detail} ${causeOf(known)}`);
    if (known) return known;
    this.logger.error(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
    return new DomainError(
      'internal_error',
      'The request could not be completed. The log has the details under this requestId.',
    );
  }
}

/** What Fastify or Nest refuse before a controller is reached. */
function refusedByFramework(thrown: unknown, request: FastifyRequest): DomainError | null {
  const status = statusOf(thrown);
  if (status === 404) return unknownRoute(request);
  if (status === 503)
    return new DomainError('unavailable', 'The request took too long.', { headers: { 'Retry-After': '5' } });
  if (status === 413) return new DomainError('payload_too_large', 'The body is too large.');
  if (status === 415) return new DomainError('unsupported_media_type', 'Send the body as application/json.');
  if (status === 408) return new DomainError('request_timeout', 'The request took too long to arrive.');
  if (status !== null && status >= 400 && status < 500) {
    return new InvalidRequestError('The request is not well-formed.');
  }
  return null;
}

function unknownRoute(request: FastifyRequest): DomainError {
  const methods = allowedMethods(request.server, request.url);
  if (methods.length === 0) return new DomainError('not_found', 'There is nothing at this path.');
  const allowed = methods.join(', ');
  return new DomainError('method_not_allowed', `Allowed here: ${allowed}.`, { headers: { Allow: allowed } });
}

function statusOf(thrown: unknown): number | null {
  if (thrown instanceof HttpException) return thrown.getStatus();
  const fromFastify = thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('FST_');
  return fromFastify && 'statusCode' in thrown && typeof thrown.statusCode === 'number' ? thrown.statusCode : null;
}

function causeOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : '';
}
