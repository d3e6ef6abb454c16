import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { unlessStalled } from './unless-stalled.js';

/** A reader that takes nothing for this long is disconnected. */
const MAX_STALL_MS = 30_000;

/** A file that is written while it is read. `watch` gets what breaks it off, and returns what ends the watch. */
export function toDownload(
  pieces: AsyncIterable<string>,
  { type, name }: { type: string; name: string },
  watch: (end: () => void) => () => void,
): StreamableFile {
  const stream: Readable = Readable.from(
    unlessStalled(pieces, MAX_STALL_MS, () => stream.destroy()),
    { objectMode: false },
  );
  stream.once(
    'close',
    watch(() => stream.destroy()),
  );
  return new StreamableFile(stream, { type: `${type}; charset=utf-8`, disposition: `attachment; filename="${name}"` });
}
