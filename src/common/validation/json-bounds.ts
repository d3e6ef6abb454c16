import { yieldFairly } from '../yield-fairly.js';

/** For one body; more than any rule allows. A value of one byte can take fifty bytes of memory. */
export const MAX_JSON_VALUES = 100_000;

export interface JsonBounds {
  readonly maxValues: number;
  /** For lists in the outermost object; unlimited when absent. */
  readonly maxItems?: number;
  readonly tooMany?: string;
}

export type ExceededBound = 'values' | 'items';

/** About two milliseconds of work. */
const SLICE_BYTES = 1024 * 1024;
const ESCAPED_STRETCH_BYTES = 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

export class JsonCounter {
  private position = 0;
  private depth = 0;
  private values = 1;
  private items = 1;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly bounds: JsonBounds,
  ) {}

  /** Without yielding: for short texts. */
  count(): ExceededBound | null {
    return this.countTo(this.bytes.length);
  }

  async countInSlices(): Promise<ExceededBound | null> {
    for (let end = SLICE_BYTES; ; end += SLICE_BYTES) {
      const exceeded = this.countTo(Math.min(end, this.bytes.length));
      if (exceeded !== null || this.position >= this.bytes.length) return exceeded;
      await yieldFairly();
    }
  }

  private countTo(end: number): ExceededBound | null {
    const { bytes } = this;
    const { maxValues, maxItems = Infinity } = this.bounds;
    while (this.position < end) {
      const byte = bytes[this.position] ?? 0;
      if (byte === QUOTE) {
        this.position = endOfString(bytes, this.position);
        continue;
      }
      this.position++;
      if (byte === COMMA) {
        if (this.depth === 2 && ++this.items > maxItems) return 'items';
        if (++this.values > maxValues) return 'values';
      } else if ((byte | 0x20) === 0x7b) {
        // [ or {
        this.depth++;
        if (++this.values > maxValues) return 'values';
      } else if ((byte | 0x20) === 0x7d) {
        // ] or }
        this.depth--;
      }
    }
    return null;
  }
}

/** The position after the string at `start`, or the end of the text. */
export function endOfString(bytes: Uint8Array, start: number): number {
  for (let from = start + 1; ;) {
    const quote = bytes.indexOf(QUOTE, from);
    if (quote === -1) return bytes.length;
    if (bytes[quote - 1] !== BACKSLASH) return quote + 1;
    // A text with one escape usually has many: checking each byte is then cheaper than searching for each quote.
    const stretchEnd = Math.min(quote + ESCAPED_STRETCH_BYTES, bytes.length);
    let at = startOfEscapes(bytes, quote);
    while (at < stretchEnd) {
      const byte = bytes[at];
      if (byte === QUOTE) return at + 1;
      at += byte === BACKSLASH ? 2 : 1;
    }
    from = at;
  }
}

function startOfEscapes(bytes: Uint8Array, position: number): number {
  let at = position;
  while (bytes[at - 1] === BACKSLASH) at--;
  return at;
}
