import {
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map } from 'rxjs';
import { InvalidRequestError } from '../../common/errors/domain-error.js';

@Injectable()
export class RevisionETagInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<{ revision: number }>): ReturnType<CallHandler['handle']> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((body) => {
        void reply.header('ETag', `"${body.revision}"`);
        return body;
      }),
    );
  }
}

/** From `If-Match`; null when absent. */
export const IfMatchRevision = createParamDecorator((_: unknown, context: ExecutionContext): number | null => {
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'];
  if (header === undefined || header === '*') return null;
  const revision = /^(?:(?:W\/)?"(?=\d+"$)|(?=\d+$))(\d{1,9})"?$/.exec(header)?.[1];
  if (revision === undefined) throw InvalidRequestError.ofField('If-Match', 'must be a revision, such as "7"');
  return Number(revision);
});
