import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InvalidRequestError } from '../../common/errors/domain-error.js';
import { isLengthWithin } from '../../common/validation/predicates.js';
import { documentParameter } from './id.decorator.js';

const MAX_LENGTH = 63;

const fromPath = createParamDecorator((parameter: string, context: ExecutionContext): string => {
  const { params } = context.switchToHttp().getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
  const name = params[parameter] ?? '';
  if (!isLengthWithin(name, 1, MAX_LENGTH) || name.includes('\0')) {
    throw InvalidRequestError.ofField(parameter, `must be 1 to ${MAX_LENGTH} characters`);
  }
  return name;
});

export function NameInPath(parameter: string): ParameterDecorator {
  return (target, method, index) => {
    fromPath(parameter)(target, method, index);
    documentParameter(target, method, {
      name: parameter,
      description: 'The name.',
      schema: { type: 'string', minLength: 1, maxLength: MAX_LENGTH, example: 'build-server' },
    });
  };
}
