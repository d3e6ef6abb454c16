import { DomainError, InvalidRequestError } from '../../common/errors/domain-error.js';
import type { ContentBlock } from '../sessions/transcript/message.entity.js';

const MIB = 1024 * 1024;
const MAX_EACH_BYTES = 10 * MIB;
const MAX_TOTAL_BYTES = 20 * MIB;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const SIGNATURE_CHARACTERS = 16; // of base64, for 12 bytes
const SIGNATURES: readonly (readonly [mediaType: string, isBeginning: (bytes: string) => boolean])[] = [
  ['image/jpeg', (bytes) => bytes.startsWith('\xff\xd8\xff')],
  ['image/png', (bytes) => bytes.startsWith('\x89PNG\r\n\x1a\n')],
  ['image/gif', (bytes) => /^GIF8[79]a/.test(bytes)],
  ['image/webp', (bytes) => bytes.startsWith('RIFF') && bytes.startsWith('WEBP', 8)],
  ['application/pdf', (bytes) => bytes.startsWith('%PDF-')],
];

/** `data` is base64. */
export interface Attachment {
  type: 'base64';
  mediaType: string;
  data: string;
}

export function toContentBlocks(images: Attachment[], files: Attachment[], newId: () => string): ContentBlock[] {
  const sizes = [...measure('images', images), ...measure('files', files)];
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_TOTAL_BYTES) {
    throw new DomainError('payload_too_large', `Attachments may have at most ${MAX_TOTAL_BYTES} bytes in all.`);
  }
  const block = (type: string) => (source: Attachment) => ({ type, source: { ...source }, id: newId() });
  return [...images.map(block('image')), ...files.map(block('document'))];
}

function measure(field: string, attachments: Attachment[]): number[] {
  return attachments.map(({ data, mediaType }, i) => {
    const size = decodedSize(data);
    if (size === null) throw InvalidRequestError.ofField(`${field}.${i}.data`, 'must be base64');
    if (size > MAX_EACH_BYTES) {
      throw new DomainError('payload_too_large', `${field}.${i} may have at most ${MAX_EACH_BYTES} bytes.`);
    }
    if (!hasSignatureOf(mediaType, data)) {
      throw InvalidRequestError.ofField(`${field}.${i}.data`, `does not begin like ${mediaType}`);
    }
    return size;
  });
}

/** null unless it is canonical base64: padded, and with zeros for the unused bits. */
function decodedSize(data: string): number | null {
  if (data.length === 0 || data.length % 4 !== 0 || !BASE64.test(data)) return null;
  const end = data.slice(-4);
  if (Buffer.from(end, 'base64').toString('base64') !== end) return null;
  return (data.length / 4) * 3 - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);
}

/** Text has no signature of its own, so it must not begin with a known one. */
function hasSignatureOf(mediaType: string, data: string): boolean {
  const beginning = Buffer.from(data.slice(0, SIGNATURE_CHARACTERS), 'base64').toString('latin1');
  const found = SIGNATURES.find(([, isBeginning]) => isBeginning(beginning))?.[0];
  return found === mediaType || (found === undefined && mediaType.startsWith('text/'));
}
