import { IncomingMessage } from 'node:http';
import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { type ValidationError, validateSync } from 'class-validator';
import { type FieldError, InvalidRequestError } from '../errors/domain-error.js';
import { AnyQuery } from './any-query.js';
import { bodyLimitOf, readJsonBody, StreamedBody } from './body-reader.js';
import { MALFORMED_QUERY, type ParsedQuery } from './query-string.js';
import { buildRequest, invalid, MAX_NAMED, type RequestClass } from './request-builder.js';

/** Turns bodies and query strings into validated request classes. Refuses unknown fields and coerces nothing. */
@Injectable()
export class InputPipe implements PipeTransform<unknown, Promise<unknown>> {
  constructor(private readonly timeoutMs: number) {}

  async transform(value: unknown, { type, metatype }: ArgumentMetadata): Promise<unknown> {
    if (type === 'body' && metatype === StreamedBody) return new StreamedBody(messageOf(value));
    if (type === 'body') return validated(await this.plainBody(value, bodyLimitOf(metatype)), metatype as RequestClass);
    if (type === 'query' && metatype === AnyQuery) return new AnyQuery(plainTexts(plainQuery(value as ParsedQuery)));
    if (type === 'query') return validated(plainQuery(value as ParsedQuery), metatype as RequestClass);
    return value;
  }

  private async plainBody(value: unknown, limitBytes: number): Promise<object> {
    const body = await readJsonBody(messageOf(value), { limitBytes, timeoutMs: this.timeoutMs });
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new InvalidRequestError('The body has to be a JSON object.');
    }
    return body;
  }
}

function messageOf(value: unknown): IncomingMessage {
  if (!(value instanceof IncomingMessage)) throw new InvalidRequestError('A JSON body is required.');
  return value;
}

function plainQuery(query: ParsedQuery): object {
  if (query[MALFORMED_QUERY]) throw new InvalidRequestError('The query string is not valid.');
  // Names of inherited properties would pass as known fields.
  const inherited = Object.keys(query).find((name) => name in Object.prototype);
  if (inherited !== undefined) throw InvalidRequestError.ofField(inherited, 'is not a known field');
  return query;
}

function plainTexts(query: object): Record<string, string> {
  const texts = Object.entries(query).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return Object.fromEntries(texts);
}

function validated(plain: object, requestClass: RequestClass): object {
  const { input, unknown } = buildRequest(requestClass, plain);
  const wrong = validateSync(input, { forbidUnknownValues: true });
  if (wrong.length === 0 && unknown.length === 0) return input;
  throw invalid([...unknown, ...wrong.flatMap((error) => fieldErrors(error))]);
}

function fieldErrors(error: ValidationError, parent = ''): FieldError[] {
  const field = parent + error.property.slice(0, MAX_NAMED);
  const own = Object.values(error.constraints ?? {}).map((message) => ({
    field,
    // class-validator begins its messages with the property, which is already in `field`.
    message: message.replace(`${error.property} `, ''),
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => fieldErrors(child, `${field}.`))];
}
