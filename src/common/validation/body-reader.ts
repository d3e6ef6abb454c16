import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip, type ZlibOptions } from 'node:zlib';
import { DomainError, InvalidRequestError } from '../errors/domain-error.js';
import { readStrictJson } from './strict-json.js';

const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;
const BODY_LIMIT = 'body-limit-bytes';
/** Larger than Node's default: each chunk is a round trip to a thread. */
const UNZIPPED_CHUNK_BYTES = 64 * 1024;

export const BodyLimit =
  (bytes: number): ClassDecorator =>
  (target) =>
    Reflect.defineMetadata(BODY_LIMIT, bytes, target);

export function bodyLimitOf(requestClass: object | undefined): number {
  const limit = requestClass && (Reflect.getMetadata(BODY_LIMIT, requestClass) as number | undefined);
  return limit ?? DEFAULT_BODY_LIMIT_BYTES;
}

/** A body that its route reads as a stream. */
export class StreamedBody {
  constructor(readonly message: IncomingMessage) {}
}

/** Called after the guard: for callers without access nothing is read or parsed. */
export async function readJsonBody(
  message: IncomingMessage,
  { limitBytes, timeoutMs }: { limitBytes: number; timeoutMs: number },
): Promise<unknown> {
  if (mediaTypeOf(message) !== 'application/json') {
    throw new DomainError('unsupported_media_type', 'Send the body as application/json in UTF-8.');
  }
  if ((message.headers['content-encoding']?.toLowerCase() ?? 'identity') !== 'identity') {
    throw new DomainError('unsupported_media_type', 'Send the body without a content encoding.');
  }
  if (Number(message.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const bytes = await collect(message, { limitBytes, timeoutMs });
  if (bytes.length === 0) throw new InvalidRequestError('A JSON body is required.');
  return readStrictJson(bytes);
}

/** The limit applies to the bytes sent and to the unzipped ones. */
export async function readBytes(
  message: IncomingMessage,
  { limitBytes, timeoutMs }: { limitBytes: number; timeoutMs: number },
): Promise<Buffer> {
  const zipped = isZipped(message);
  if (Number(message.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const bytes = await collect(message, { limitBytes, timeoutMs });
  return zipped && bytes.length > 0 ? unzip(bytes, limitBytes) : bytes;
}

/** Refuses encodings other than gzip. */
export function isZipped(message: IncomingMessage): boolean {
  switch (message.headers['content-encoding']?.toLowerCase()) {
    case undefined:
    case 'identity':
      return false;
    case 'gzip':
      return true;
    default:
      throw new DomainError('unsupported_media_type', 'Send the body as it is or with Content-Encoding: gzip.');
  }
}

const gunzipped = promisify<Buffer, ZlibOptions, Buffer>(gunzip);

async function unzip(bytes: Buffer, limitBytes: number): Promise<Buffer> {
  try {
    return await gunzipped(bytes, { maxOutputLength: limitBytes, chunkSize: UNZIPPED_CHUNK_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes);
    throw new InvalidRequestError('The body was cut off or is not valid gzip.');
  }
}

export function collect(
  source: Readable,
  { limitBytes, timeoutMs }: { limitBytes: number; timeoutMs: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => fail(tooSlow()), timeoutMs);
    const fail = (error: DomainError) => {
      clearTimeout(timer);
      source.off('data', take).pause();
      reject(error);
    };
    // The client disconnected; reported as a bad request so that the log shows no internal error.
    const cutOff = () => fail(new InvalidRequestError('The body was cut off.'));
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limitBytes) fail(tooLarge(limitBytes));
    };
    source.on('data', take);
    source.once('end', () => {
      clearTimeout(timer);
      source.off('close', cutOff);
      resolve(Buffer.concat(chunks));
    });
    source.once('error', cutOff);
    source.once('close', cutOff);
  });
}

/** In lower case; empty for a charset other than UTF-8. */
export function mediaTypeOf(message: IncomingMessage): string {
  const [type = '', ...parameters] = (message.headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return charset === undefined || /^"?utf-8"?$/.test(charset) ? type : '';
}

export function tooSlow(): DomainError {
  return new DomainError('request_timeout', 'The request took too long to arrive.', {
    headers: { Connection: 'close' },
  });
}

export function tooLarge(limitBytes: number): DomainError {
  // The rest of the body stays unread, so the connection cannot be reused.
  return new DomainError('payload_too_large', `The body may have at most ${limitBytes} bytes.`, {
    headers: { Connection: 'close' },
  });
}
