import type { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyReply, FastifyRequest, RawServerDefault } from 'fastify';
import { newId } from '../../common/new-id.js';
import type { Logger } from 'pino';
import type { HttpConfig } from '../../config/app-config.js';
import { DomainError, InvalidRequestError } from '../../common/errors/domain-error.js';
import { PROBLEM_KINDS, PROBLEM_MEDIA_TYPE, toProblem } from '../../common/errors/problem.js';
import { logRequest } from './access-log.js';
import { parseQueryString } from '../../common/validation/query-string.js';

const HEADERS_TIMEOUT_MS = 10_000;
/** For streamed bodies; `body-reader.ts` limits the others. */
const STREAM_TIMEOUT_MS = 15 * 60_000;
const KEEP_ALIVE_MS = 65_000; // longer than the usual 60 s of a proxy, so that the proxy closes first
const MAX_PARAMETER_LENGTH = 500;

export function serverOptions(config: HttpConfig, logger: Logger): FastifyHttpOptions<RawServerDefault> {
  const hops = config.trustProxy;
  const requestTimeoutMs = config.requestTimeoutSeconds * 1000;
  return {
    logger: false,
    trustProxy: typeof hops === 'number' ? (_address, hop) => hop < hops : hops,
    genReqId: (request) => (hops === false ? newId() : (forwardedId(request.headers) ?? newId())),
    requestTimeout: Math.max(requestTimeoutMs, STREAM_TIMEOUT_MS),
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: {
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false, // Node would answer without a body; `requireHost` checks it
    },
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH, querystringParser: parseQueryString },
    frameworkErrors: (error, request, reply) => {
      refuseBadUrl(error, request, reply);
      logRequest(logger, request, reply); // hooks do not run for a request without a route
    },
    clientErrorHandler: (failure, socket) => refuseBadRequest(failure, socket, logger),
  };
}

/** Set by a trusted proxy; only if it is safe for logs and headers. */
function forwardedId(headers: Record<string, string | string[] | undefined>): string | null {
  const id = headers['x-request-id'];
  return typeof id === 'string' && /^[\w.-]{1,128}$/.test(id) ? id : null;
}

/** For a path with invalid UTF-8 or a very long parameter. */
function refuseBadUrl(_error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = new DomainError('not_found', 'There is nothing at this path.');
  void reply
    .status(404)
    .header('X-Request-Id', request.id)
    .header('Cache-Control', 'no-store')
    .header('X-Content-Type-Options', 'nosniff')
    .type(PROBLEM_MEDIA_TYPE)
    .send(toProblem(error, request.id));
}

/** For input that is not HTTP, there is no request or reply object. */
function refuseBadRequest(failure: Error & { code?: string }, socket: Socket, logger: Logger): void {
  if (failure.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newId();
  const error = describe(failure.code);
  const { status, title } = PROBLEM_KINDS[error.code];
  const body = JSON.stringify(toProblem(error, requestId));
  logger.info({ requestId, status, reason: failure.code, address: socket.remoteAddress }, 'request');
  socket.end(
    [
      `HTTP/1.1 ${status} ${title}`,
      `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function describe(code: string | undefined): DomainError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new DomainError('request_timeout', 'The request took too long to arrive.');
  }
  if (code === 'HPE_HEADER_OVERFLOW') return new DomainError('headers_too_large', 'The headers are too large.');
  return new InvalidRequestError('The request is not valid HTTP.');
}
