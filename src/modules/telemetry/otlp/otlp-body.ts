import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../../common/errors/domain-error.js';
import { mediaTypeOf, readBytes } from '../../../common/validation/body-reader.js';

export type Encoding = 'json' | 'protobuf';

export const MEDIA_TYPES: Readonly<Record<Encoding, string>> = {
  json: 'application/json',
  protobuf: 'application/x-protobuf',
};

/** The response has the same encoding. */
export function encodingOf(message: IncomingMessage): Encoding | null {
  switch (mediaTypeOf(message)) {
    case MEDIA_TYPES.json:
      return 'json';
    case MEDIA_TYPES.protobuf:
      return 'protobuf';
    default:
      return null;
  }
}

export async function readOtlpBody(
  message: IncomingMessage,
  limits: { limitBytes: number; timeoutMs: number },
): Promise<{ encoding: Encoding; bytes: Buffer }> {
  const encoding = encodingOf(message);
  if (encoding === null) {
    throw new DomainError('unsupported_media_type', `Send ${Object.values(MEDIA_TYPES).join(' or ')}.`);
  }
  return { encoding, bytes: await readBytes(message, limits) };
}
