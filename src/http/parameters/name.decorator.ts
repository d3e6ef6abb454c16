import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InvalidRequestError } from '../../common/errors/domain-error.js';
import { isLengthWithin } from '../../common/validation/predicates.js';
import { documentParameter } from './id.decorator.js';

interface NameOptions {
  readonly maxLength: number;
  readonly description: string;
  readonly example: string;
}

const COMPUTER_NAME: NameOptions = { maxLength: 63, description: 'The name.', example: 'build-server' };

const fromPath = createParamDecorator(
  ({ parameter, maxLength }: { parameter: string; maxLength: number }, context: ExecutionContext): string => {
    const { params } = context.switchToHttp().getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
    const name = params[parameter] ?? '';
    if (!isLengthWithin(name, 1, maxLength) || name.includes('\0')) {
      throw InvalidRequestError.ofField(parameter, `must be 1 to ${maxLength} characters`);
    }
    return name;
  },
);

export function NameInPath(parameter: string, options: NameOptions = COMPUTER_NAME): ParameterDecorator {
  const { maxLength, description, example } = options;
  return (target, method, index) => {
    fromPath({ parameter, maxLength })(target, method, index);
    documentParameter(target, method, {
      name: parameter,
      description,
      schema: { type: 'string', minLength: 1, maxLength, example },
    });
  };
}
