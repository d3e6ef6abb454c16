import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InvalidRequestError } from '../../common/errors/domain-error.js';

/** For a client that reconnects to server-sent events; null: from the beginning. */
export const LastEventId = createParamDecorator((_: unknown, context: ExecutionContext): number | null => {
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['last-event-id'];
  if (header === undefined) return null;
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header)) {
    throw InvalidRequestError.ofField('Last-Event-ID', 'must be the id of an event');
  }
  return Number(header);
});
