import type { IncomingMessage } from 'node:http';
import { DomainError, InvalidRequestError } from '../errors/domain-error.js';
import { parseStrictJson } from './strict-json.js';

const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;
const BODY_LIMIT = 'body-limit-bytes';

/** Lets bodies of a request class be larger (or smaller) than usual. */
export const BodyLimit =
  (bytes: number): ClassDecorator =>
  (target) =>
    Reflect.defineMetadata(BODY_LIMIT, bytes, target);

export function bodyLimitOf(requestClass: object | undefined): number {
  const limit = requestClass && (Reflect.getMetadata(BODY_LIMIT, requestClass) as number | undefined);
  return limit ?? DEFAULT_BODY_LIMIT_BYTES;
}

/**
 * Reads and parses the JSON body of a request. Called after the guard: a caller without access does not get the service
 * to read, let alone parse, anything.
 */
export async function readJsonBody(message: IncomingMessage, limitBytes: number): Promise<unknown> {
  requireJson(message.headers['content-type']);
  if (message.headers['content-encoding'] !== undefined && message.headers['content-encoding'] !== 'identity') {
    throw new DomainError('unsupported_media_type', 'Send the body without a content encoding.');
  }
  if (Number(message.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limitBytes) throw tooLarge(limitBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    // The client hung up; nobody reads the answer, but the log should not blame somebody else.
    if (!(error instanceof DomainError)) throw new InvalidRequestError('The body was cut off.');
    throw error;
  }
  if (size === 0) throw new InvalidRequestError('A JSON body is required.');
  return parseStrictJson(Buffer.concat(chunks));
}

function requireJson(contentType: string | undefined): void {
  const [type, ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (type !== 'application/json' || (charset !== undefined && !/^"?utf-8"?$/.test(charset))) {
    throw new DomainError('unsupported_media_type', 'Send the body as application/json in UTF-8.');
  }
}

function tooLarge(limitBytes: number): DomainError {
  // The rest of the body is not read: the connection cannot be used for another request.
  return new DomainError('payload_too_large', `The body may have at most ${limitBytes} bytes.`, {
    headers: { Connection: 'close' },
  });
}
