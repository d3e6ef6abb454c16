import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { requestContext } from '../../common/request-context.js';

/** Neither headers nor query strings are logged: both can hold secrets. */
export function logRequests(server: FastifyInstance, logger: Logger): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id);
    requestContext.run({ requestId: request.id }, done);
  });

  server.addHook('onResponse', (request, reply, done) => {
    logRequest(logger, request, reply);
    done();
  });
}

export function logRequest(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode } = reply;
  const level = statusCode >= 500 && statusCode !== 503 ? 'error' : 'info';
  logger[level](
    {
      requestId: request.id,
      method: request.method,
      path: request.url.split('?', 1)[0],
      status: statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      orgId: request.principal?.orgId,
      userId: request.principal?.userId,
      address: request.ip,
    },
    'request',
  );
}
