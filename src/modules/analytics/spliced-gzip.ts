import { crc32, constants, deflateRaw, deflateRawSync } from 'node:zlib';
import { promisify } from 'node:util';

/*
 * Joins pieces that were compressed separately into one gzip file without decompressing them. A piece is raw deflate
 * that ends with a flush instead of a final block, so that another may follow.
 */

export interface Fragment {
  readonly bytes: Buffer;
  /** Uncompressed. */
  readonly plainBytes: number;
  readonly plainCrc: number;
}

const OPTIONS = { level: 6, finishFlush: constants.Z_SYNC_FLUSH };
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const FINAL_BLOCK = Buffer.from([0x03, 0x00]);
const POLYNOMIAL = 0xedb88320;

const deflateInBackground = promisify<Buffer, typeof OPTIONS, Buffer>(deflateRaw);

export async function toFragment(plain: Buffer): Promise<Fragment> {
  const bytes = await deflateInBackground(plain, OPTIONS);
  return { bytes, plainBytes: plain.length, plainCrc: crc32(plain) };
}

/** Synchronous, for small texts. */
export function toSmallFragment(text: string): Fragment {
  const plain = Buffer.from(text);
  return { bytes: deflateRawSync(plain, OPTIONS), plainBytes: plain.length, plainCrc: crc32(plain) };
}

export async function* splice(fragments: AsyncIterable<Fragment>): AsyncGenerator<Buffer> {
  let crc = 0;
  let total = 0;
  yield HEADER;
  for await (const { bytes, plainBytes, plainCrc } of fragments) {
    crc = combineCrc(crc, plainCrc, plainBytes);
    total += plainBytes;
    yield bytes;
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(total % 2 ** 32, 4);
  yield FINAL_BLOCK;
  yield trailer;
}

/**
 * CRC-32 of A followed by B. The CRC is linear: that of A shifted by the zero bytes of B's length, plus that of B. A
 * shift is a 32 x 32 bit matrix; shifting by n zeros takes log n squarings.
 */
export function combineCrc(first: number, second: number, secondBytes: number): number {
  let crc = first;
  for (let power = 0, rest = secondBytes; rest > 0; power++, rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) crc = times(shiftBy(power), crc);
  }
  return secondBytes === 0 ? first : (crc ^ second) >>> 0;
}

type BitMatrix = Uint32Array;

/** Shifts by 1, 2, 4, 8 ... zero bytes, computed when first needed. */
const SHIFTS: BitMatrix[] = [];

function shiftBy(power: number): BitMatrix {
  const known = SHIFTS[power];
  if (known) return known;
  const shift = power === 0 ? squared(squared(squared(oneZeroBit()))) : squared(shiftBy(power - 1));
  SHIFTS[power] = shift;
  return shift;
}

function oneZeroBit(): BitMatrix {
  return Uint32Array.from({ length: 32 }, (_, row) => (row === 0 ? POLYNOMIAL : 2 ** (row - 1)));
}

function squared(matrix: BitMatrix): BitMatrix {
  return matrix.map((row) => times(matrix, row));
}

function times(matrix: BitMatrix, vector: number): number {
  let sum = 0;
  for (let row = 0, rest = vector; rest !== 0; row++, rest >>>= 1) {
    if (rest & 1) sum ^= matrix[row] ?? 0;
  }
  return sum >>> 0;
}
