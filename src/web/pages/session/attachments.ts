import type { NewMessage } from '../../api/messages.js';

const MIB = 1024 * 1024;
const MAX_EACH = 10 * MIB;
const MAX_BYTES = 20 * MIB;
const MAX_OF_A_KIND = 20;
const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
/** Text that browsers call something else, or nothing. */
const TEXT_TYPES = /^application\/(?:json|xml|javascript|typescript|x-sh|x-yaml|yaml|toml|sql)$/;
const TEXT_NAMES =
  /\.(?:txt|md|csv|tsv|log|json|jsonl|ya?ml|toml|ini|xml|html?|css|s?css|[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|sh|sql|diff|patch|env|gradle|swift|vue|svelte)$/i;

export interface Picked {
  readonly name: string;
  readonly size: number;
  readonly kind: 'image' | 'file';
  readonly mediaType: string;
  readonly file: Blob;
}

interface Choice {
  readonly accepted: readonly Picked[];
  /** Why others were not, one line each. */
  readonly refused: readonly string[];
}

/** Adds files to those that are there; what the service would refuse is refused here, with the reason. */
export function pick(there: readonly Picked[], files: readonly File[]): Choice {
  const accepted = [...there];
  const refused: string[] = [];
  for (const file of files) {
    const name = file.name || 'pasted';
    const mediaType = mediaTypeOf(file);
    const problem = mediaType === null ? UNKNOWN : problemOf(accepted, mediaType, file);
    if (mediaType === null || problem !== null) refused.push(`${name}: ${problem ?? UNKNOWN}`);
    else accepted.push({ name, size: file.size, kind: kindOf(mediaType), mediaType, file });
  }
  return { accepted, refused };
}

const UNKNOWN = 'only images (JPEG, PNG, GIF, WebP), PDF and text can be attached.';

function problemOf(there: readonly Picked[], mediaType: string, { size }: File): string | null {
  if (size === 0) return 'it is empty.';
  if (size > MAX_EACH) return `it has ${mib(size)} MiB; at most 10 MiB can be attached.`;
  const all = there.reduce((sum, picked) => sum + picked.size, size);
  if (all > MAX_BYTES) return `all attachments together would have ${mib(all)} MiB; at most 20 MiB can be attached.`;
  const kind = kindOf(mediaType);
  const isFull = there.filter((picked) => picked.kind === kind).length >= MAX_OF_A_KIND;
  return isFull ? `at most ${MAX_OF_A_KIND} ${kind}s can be attached.` : null;
}

const mib = (bytes: number) => (bytes / MIB).toFixed(1);
const kindOf = (mediaType: string) => (mediaType.startsWith('image/') ? 'image' : 'file');

function mediaTypeOf({ type, name }: File): string | null {
  const [bare = ''] = type.split(';', 1);
  if (IMAGES.includes(bare) || bare === 'application/pdf' || /^text\/.+/.test(bare)) return bare;
  return TEXT_TYPES.test(bare) || (!bare.startsWith('image/') && TEXT_NAMES.test(name)) ? 'text/plain' : null;
}

/** As the service takes them. */
export async function encode(picked: readonly Picked[]): Promise<Pick<NewMessage, 'images' | 'files'>> {
  const all = await Promise.all(
    picked.map(async ({ kind, mediaType, name, file }) => ({ kind, mediaType, name, data: await base64Of(file) })),
  );
  const images = all.filter(({ kind }) => kind === 'image');
  const files = all.filter(({ kind }) => kind === 'file');
  return {
    ...(images.length > 0 && {
      images: images.map(({ mediaType, data }) => ({
        type: 'base64' as const,
        mediaType: mediaType as 'image/png',
        data,
      })),
    }),
    ...(files.length > 0 && {
      files: files.map(({ mediaType, data, name }) => ({ type: 'base64' as const, mediaType, data, name })),
    }),
  };
}

/** Off the main thread: the browser writes a data URL. */
function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve((reader.result as string).split(',', 2)[1] ?? '');
    reader.onerror = () => reject(new Error('The file cannot be read.'));
    reader.readAsDataURL(file);
  });
}
