import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Reads a stream to its end but keeps only its beginning: the writer never blocks, memory is bounded. */
export class BoundedOutput {
  private readonly kept: Buffer[] = [];
  private length = 0;

  constructor(stream: Readable, maxBytes: number) {
    stream.on('data', (chunk: Buffer) => {
      if (this.length >= maxBytes) return;
      // A copy, as a slice would keep the whole chunk in memory.
      const part = Buffer.from(chunk.subarray(0, maxBytes - this.length));
      this.kept.push(part);
      this.length += part.length;
    });
    stream.on('error', () => undefined);
  }

  /** Without half a character at the end. */
  get text(): string {
    return new StringDecoder('utf8').write(Buffer.concat(this.kept));
  }
}
