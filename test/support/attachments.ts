/** The first bytes of files of these types. */
const BEGINNINGS: Record<string, Buffer> = {
  'image/jpeg': Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
  'image/png': Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  'image/gif': Buffer.from('GIF89a'),
  'image/webp': Buffer.from('RIFF\x1a\x00\x00\x00WEBP', 'latin1'),
  'application/pdf': Buffer.from('%PDF-1.7\n'),
};

/** Base64 content with the right first bytes; `rest` makes it differ, `bytes` pads it with zeros. */
export function contentLike(mediaType: string, { rest = '', bytes = 0 } = {}): string {
  const content = Buffer.concat([BEGINNINGS[mediaType] ?? Buffer.alloc(0), Buffer.from(rest)]);
  return Buffer.concat([content, Buffer.alloc(Math.max(0, bytes - content.length))]).toString('base64');
}
