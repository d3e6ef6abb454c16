import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Reads a stream to its end and keeps only its beginning: the writer is never blocked, the memory is bounded. */
export class BoundedOutput {
  private readonly kept: Buffer[] = [];
  private length = 0;

  constructor(stream: Readable, maxBytes: number) {
    stream.on('data', (chunk: Buffer) => {
      if (this.length >= maxBytes) return;
      // A copy: a slice would keep the whole chunk alive.
      const part = Buffer.from(chunk.subarray(0, maxBytes - this.length));
      this.kept.push(part);
      this.length += part.length;
    });
    stream.on('error', () => undefined);
  }

  /** Without the half of a character at the end. */
  get text(): string {
    return new StringDecoder('utf8').write(Buffer.concat(this.kept));
  }
}
