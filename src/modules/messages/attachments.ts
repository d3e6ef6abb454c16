import { DomainError, InvalidRequestError } from '../../common/errors/domain-error.js';
import type { ContentBlock } from './message.entity.js';

const MIB = 1024 * 1024;
const MAX_EACH_BYTES = 10 * MIB;
const MAX_TOTAL_BYTES = 20 * MIB;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** A file or an image that comes with a message; `data` is base64. */
export interface Attachment {
  type: 'base64';
  mediaType: string;
  data: string;
}

/** Turns attachments into content blocks, after a look at what they claim to be. */
export function toContentBlocks(images: Attachment[], files: Attachment[], newId: () => string): ContentBlock[] {
  const sizes = [...measure('images', images), ...measure('files', files)];
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_TOTAL_BYTES) {
    throw new DomainError('payload_too_large', `Attachments may have at most ${MAX_TOTAL_BYTES} bytes in all.`);
  }
  const block = (type: string) => (source: Attachment) => ({ type, source: { ...source }, id: newId() });
  return [...images.map(block('image')), ...files.map(block('document'))];
}

function measure(field: string, attachments: Attachment[]): number[] {
  return attachments.map(({ data }, i) => {
    const size = decodedSize(data);
    if (size === null) throw InvalidRequestError.ofField(`${field}.${i}.data`, 'must be base64');
    if (size > MAX_EACH_BYTES) {
      throw new DomainError('payload_too_large', `${field}.${i} may have at most ${MAX_EACH_BYTES} bytes.`);
    }
    return size;
  });
}

/** null when it is not base64. */
function decodedSize(data: string): number | null {
  if (data.length === 0 || data.length % 4 !== 0 || !BASE64.test(data)) return null;
  return (data.length / 4) * 3 - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);
}
