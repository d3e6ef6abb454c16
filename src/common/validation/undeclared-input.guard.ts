import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import { type FieldError, InvalidRequestError } from '../errors/domain-error.js';
import { MALFORMED_QUERY, type ParsedQuery } from './query-string.js';

/**
 * Refuses query parameters and bodies on routes that take none; on the others the input pipe looks at them. Stands behind
 * the guard that knows the caller. (An interceptor would do as well, but costs every request a detour through observables.)
 */
@Injectable()
export class UndeclaredInputGuard implements CanActivate {
  private readonly declared = new WeakMap<object, ReadonlySet<number>>();

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest<{ Querystring: ParsedQuery }>>();
    const declared = this.declaredBy(context);
    if (!declared.has(RouteParamtypes.QUERY)) refuseQuery(request.query);
    if (!declared.has(RouteParamtypes.BODY)) refuseBody(request);
    return true;
  }

  private declaredBy(context: ExecutionContext): ReadonlySet<number> {
    const handler = context.getHandler();
    const known = this.declared.get(handler) ?? declaredInputs(context);
    this.declared.set(handler, known);
    return known;
  }
}

function declaredInputs(context: ExecutionContext): Set<number> {
  const args = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) as
    Record<string, unknown> | undefined;
  // `<type>:<index>`; the key of a custom decorator begins with random hex digits, which say nothing.
  const builtIn = Object.keys(args ?? {}).filter((key) => /^\d+:\d+$/.test(key));
  return new Set(builtIn.map((key) => Number.parseInt(key, 10)));
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
