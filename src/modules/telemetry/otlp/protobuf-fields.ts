import { type BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { InvalidRequestError } from '../../../common/errors/domain-error.js';
import type { AttributeValue } from './records.js';
import { MAX_DEPTH, MAX_ID, MAX_TEXT, type MutableAttributes, newAttributes, tidyText } from './otlp-values.js';

/** The readers of a message's fields, by field number; other fields are skipped. */
export type Fields<T> = readonly ([wireType: WireType, read: (reader: BinaryReader, into: T) => void] | undefined)[];

export function fields<T>(byNumber: Record<number, NonNullable<Fields<T>[number]>>): Fields<T> {
  const numbers = Object.keys(byNumber).map(Number);
  return Array.from({ length: Math.max(...numbers) + 1 }, (_, number) => byNumber[number]);
}

export function readFields<T>(reader: BinaryReader, end: number, table: Fields<T>, into: T): T {
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = number < table.length ? table[number] : undefined;
    if (field === undefined) skip(reader, wireType, number);
    else if (field[0] === wireType) field[1](reader, into);
    else throw new Error(`field ${number} has the wire type ${wireType}`);
  }
  assertAt(reader, end);
  return into;
}

export function readMessage<T>(reader: BinaryReader, table: Fields<T>, into: T): T {
  return readFields(reader, endOfMessage(reader), table, into);
}

export function endOfMessage(reader: BinaryReader): number {
  const length = reader.uint32();
  return reader.pos + length;
}

/** A field that reaches beyond its message would be read from the next one. */
function assertAt(reader: BinaryReader, end: number): void {
  if (reader.pos !== end) throw new Error('a field does not end where its message ends');
}

export function skip(reader: BinaryReader, wireType: WireType, number: number): void {
  // Faster than `reader.skip`, which makes a view of the bytes; the end is checked by the caller.
  if (wireType === WireType.LengthDelimited) reader.pos = endOfMessage(reader);
  else reader.skip(wireType, number);
}

/** A UTF-16 unit has at most three bytes in UTF-8; three more for a character cut in half. */
const MAX_TEXT_BYTES = 3 * MAX_TEXT + 3;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export function readText(reader: BinaryReader): string {
  const start = reader.pos;
  const length = reader.uint32();
  reader.pos = start;
  if (length <= MAX_TEXT_BYTES) return tidyText(reader.string());
  return tidyText(utf8.decode(reader.bytes().subarray(0, MAX_TEXT_BYTES)));
}

export function readId(reader: BinaryReader): string {
  const bytes = reader.bytes();
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_ID / 2)).toString('hex');
}

/** From nanoseconds; null for 0. */
export function readTimeMs(reader: BinaryReader): number | null {
  const low = reader.fixed32();
  const high = reader.fixed32();
  if (low === 0 && high === 0) return null;
  // 2^32 ns = 4294 ms + 967296 ns; every step is exact in a double.
  return high * 4294 + Math.floor((high * 967_296 + low) / 1_000_000);
}

export function readFixedInteger(reader: BinaryReader): number {
  const low = reader.fixed32();
  return reader.sfixed32() * 2 ** 32 + low;
}

const MAX_VALUES = 500_000;
const MAX_RECORD_VALUES = 25_000;
/** Module state is safe: a request is decoded synchronously. */
let valuesLeft = MAX_VALUES;
let recordValuesLeft = MAX_RECORD_VALUES;

export function startRequest(): void {
  valuesLeft = MAX_VALUES;
}

export function startRecord(): void {
  recordValuesLeft = MAX_RECORD_VALUES;
}

function countValue(): void {
  if (--valuesLeft < 0) throw tooMany(`more than ${MAX_VALUES} attributes`);
  if (--recordValuesLeft < 0) throw tooMany(`a record with more than ${MAX_RECORD_VALUES} attributes`);
}

function tooMany(what: string): InvalidRequestError {
  return new InvalidRequestError(`The body has ${what}; send smaller batches.`);
}

/** KeyValue: key = 1, value = 2. Empty and unsupported values are dropped. */
export function readAttribute(reader: BinaryReader, into: MutableAttributes, depth = 0): void {
  countValue();
  const end = endOfMessage(reader);
  let key = '';
  let value: AttributeValue | undefined;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number > 2) {
      skip(reader, wireType, number);
      continue;
    }
    assertLengthDelimited(wireType);
    if (number === 1) key = readText(reader);
    else value = readAnyValue(reader, depth);
  }
  assertAt(reader, end);
  if (value !== undefined) into[key] = value;
}

/** AnyValue: string = 1, bool = 2, int = 3, double = 4, array = 5, kvlist = 6; bytes = 7 is skipped. */
export function readAnyValue(reader: BinaryReader, depth = 0): AttributeValue | undefined {
  const end = endOfMessage(reader);
  let value: AttributeValue | undefined;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const kind = number < ANY_VALUE.length ? ANY_VALUE[number] : undefined;
    if (kind === undefined) skip(reader, wireType, number);
    else if (kind[0] === wireType) value = kind[1](reader, depth);
    else throw new Error(`field ${number} of a value has the wire type ${wireType}`);
  }
  assertAt(reader, end);
  return value;
}

type ReadValue = (reader: BinaryReader, depth: number) => AttributeValue | undefined;
const ANY_VALUE: readonly ([WireType, ReadValue] | undefined)[] = [
  undefined,
  [WireType.LengthDelimited, readText],
  [WireType.Varint, (reader) => reader.bool()],
  [WireType.Varint, readInteger],
  [WireType.Bit64, readFinite],
  [WireType.LengthDelimited, readList],
  [WireType.LengthDelimited, readMap],
];

function readInteger(reader: BinaryReader): number {
  const start = reader.pos;
  const value = reader.uint32();
  if (reader.pos - start <= 4) return value;
  reader.pos = start; // may exceed 32 bits
  return Number(reader.int64());
}

function readFinite(reader: BinaryReader): number | undefined {
  const value = reader.double();
  return Number.isFinite(value) ? value : undefined;
}

/** ArrayValue: values = 1. */
function readList(reader: BinaryReader, depth: number): AttributeValue[] | undefined {
  const list: AttributeValue[] = [];
  return readRepeated(reader, depth, () => {
    countValue();
    const value = readAnyValue(reader, depth + 1);
    if (value !== undefined) list.push(value);
  })
    ? list
    : undefined;
}

/** KeyValueList: values = 1. */
function readMap(reader: BinaryReader, depth: number): MutableAttributes | undefined {
  const map = newAttributes();
  return readRepeated(reader, depth, () => readAttribute(reader, map, depth + 1)) ? map : undefined;
}

function readRepeated(reader: BinaryReader, depth: number, readOne: () => void): boolean {
  const end = endOfMessage(reader);
  if (depth >= MAX_DEPTH) {
    reader.pos = end;
    return false;
  }
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1) {
      assertLengthDelimited(wireType);
      readOne();
    } else skip(reader, wireType, number);
  }
  assertAt(reader, end);
  return true;
}

function assertLengthDelimited(wireType: WireType): void {
  if (wireType !== WireType.LengthDelimited) throw new Error(`a field has the wire type ${wireType}`);
}
