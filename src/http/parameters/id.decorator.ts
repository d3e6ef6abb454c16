import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam, type ApiParamOptions } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { NotFoundError } from '../../common/errors/domain-error.js';
import { isUuid } from '../../common/validation/predicates.js';

interface IdOptions {
  parameter: string;
  kind: string;
}

const fromPath = createParamDecorator(({ parameter, kind }: IdOptions, context: ExecutionContext): string => {
  const { params } = context.switchToHttp().getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
  const id = params[parameter] ?? '';
  if (!isUuid(id)) throw new NotFoundError(kind, id);
  return id.toLowerCase();
});

/** A UUID in the path. `kind` is what it identifies, for the 404 and the API document. */
export function Id(parameter: string, kind: string): ParameterDecorator {
  return (target, method, index) => {
    fromPath({ parameter, kind })(target, method, index);
    documentParameter(target, method, {
      name: parameter,
      description: `Id of the ${kind}.`,
      schema: { type: 'string', format: 'uuid', example: '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e' },
    });
  };
}

export function documentParameter(target: object, method: string | symbol | undefined, options: ApiParamOptions): void {
  if (method === undefined) return;
  ApiParam(options)(target, method, Object.getOwnPropertyDescriptor(target, method) as PropertyDescriptor);
}
