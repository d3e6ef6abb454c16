import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type FieldError, InvalidRequestError } from '../../common/errors/domain-error.js';
import { MALFORMED_QUERY, type ParsedQuery } from '../../common/validation/query-string.js';
import { declaredInputsOf } from '../framework-internals.js';

type Inputs = ReturnType<typeof declaredInputsOf>;

/**
 * For routes that declare no query or body. A guard, because an interceptor costs every request a detour through rxjs.
 */
@Injectable()
export class UndeclaredInputGuard implements CanActivate {
  private readonly inputs = new WeakMap<object, Inputs>();

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest<{ Querystring: ParsedQuery }>>();
    const declared = this.inputsOf(context);
    if (!declared.query) refuseQuery(request.query);
    if (!declared.body) refuseBody(request);
    return true;
  }

  private inputsOf(context: ExecutionContext): Inputs {
    const handler = context.getHandler();
    const inputs = this.inputs.get(handler) ?? declaredInputsOf(context);
    this.inputs.set(handler, inputs);
    return inputs;
  }
}

function refuseQuery(query: ParsedQuery): void {
  if (query[MALFORMED_QUERY]) throw new InvalidRequestError('The query string is not valid.');
  const errors: FieldError[] = Object.keys(query).map((name) => ({
    field: name.slice(0, 100),
    message: 'is not a known parameter',
  }));
  if (errors.length > 0) throw new InvalidRequestError('This route takes no query parameters.', errors);
}

function refuseBody({ headers }: FastifyRequest): void {
  if (Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined) {
    throw new InvalidRequestError('This route takes no body.');
  }
}
