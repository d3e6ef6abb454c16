import { yieldFairly } from '../../../common/yield-fairly.js';
import { InvalidRequestError } from '../../../common/errors/domain-error.js';
import { endOfString } from '../../../common/validation/json-bounds.js';
import { MAX_RECORDS, tooManyRecords } from './otlp-values.js';

type Json = Record<string, unknown>;

/** A metric with all of its points is one record. */
const MAX_RECORD_VALUES = 400_000;
/** Resources and scopes with their attributes. */
const MAX_OUTER_VALUES = 250_000;
/** Bytes between two yields to the event loop. */
const SLICE_BYTES = 256 * 1024;
const RECORDS_BETWEEN_YIELDS = 500;
/** Of a record: the lists of resources, scopes and records, each in an object. */
const LIST_DEPTH = 6;

const QUOTE = 0x22;
const COMMA = 0x2c;
const LEFT_BRACKET = 0x5b;
const LEFT_BRACE = 0x7b;
const PLACE = '#';

const utf8 = new TextDecoder();

/** Locates the records before anything is parsed: parsing millions of tiny values at once would block for seconds. */
export class JsonRecords {
  private parsedBytes = 0;
  private parsedRecords = 0;

  private constructor(
    private readonly bytes: Uint8Array,
    /** Start and end offset of each record. */
    private readonly places: readonly number[],
    /** The request, with `{"#": <index>}` in place of each record. */
    readonly request: unknown,
  ) {}

  static async of(bytes: Uint8Array): Promise<JsonRecords> {
    const cutter = new RecordCutter(bytes);
    await cutter.cut();
    await yieldFairly();
    return new JsonRecords(bytes, cutter.places, parse(cutter.outerText()));
  }

  async read(place: Json): Promise<unknown> {
    const index = Number(place[PLACE]) * 2;
    const start = this.places[index] ?? 0;
    const end = this.places[index + 1] ?? 0;
    this.parsedBytes += end - start;
    if (this.parsedBytes > SLICE_BYTES || ++this.parsedRecords % RECORDS_BETWEEN_YIELDS === 0) {
      this.parsedBytes = 0;
      await yieldFairly();
    }
    return parse(utf8.decode(this.bytes.subarray(start, end)));
  }
}

/** Finds records by nesting depth alone; invalid JSON fails later, in the parser. */
class RecordCutter {
  readonly places: number[] = [];
  private readonly outer: string[] = [];
  private outerStart = 0;
  private position = 0;
  private depth = 0;
  private readonly isList: boolean[] = [];
  private items = 0;
  private outerValues = 0;
  private recordStart = -1;
  private recordValues = 0;

  constructor(private readonly bytes: Uint8Array) {}

  async cut(): Promise<void> {
    for (let end = SLICE_BYTES; this.position < this.bytes.length; end += SLICE_BYTES) {
      this.cutTo(Math.min(end, this.bytes.length));
      await yieldFairly();
    }
    this.outer.push(this.text(this.outerStart, this.recordStart < 0 ? this.bytes.length : this.recordStart));
  }

  outerText(): string {
    return this.outer.join('');
  }

  private cutTo(end: number): void {
    const { bytes } = this;
    while (this.position < end) {
      const byte = bytes[this.position] ?? 0;
      if (byte === QUOTE) {
        this.position = endOfString(bytes, this.position);
        continue;
      }
      if (byte === COMMA) this.count();
      else if ((byte | 0x20) === LEFT_BRACE) this.open(byte === LEFT_BRACKET);
      else if ((byte | 0x20) === 0x7d) this.close();
      this.position++;
    }
  }

  private open(isList: boolean): void {
    if (this.recordStart < 0) {
      if (!isList && this.isInRecordList()) this.recordStart = this.position;
      this.isList[this.depth] = isList;
    }
    this.depth++;
    this.count();
  }

  private close(): void {
    this.depth--;
    if (this.recordStart < 0 || this.depth !== LIST_DEPTH) return;
    this.outer.push(this.text(this.outerStart, this.recordStart), `{"${PLACE}":${this.places.length / 2}}`);
    if (this.places.push(this.recordStart, this.position + 1) > 2 * MAX_RECORDS) throw tooManyRecords();
    this.outerStart = this.position + 1;
    this.recordStart = -1;
    this.recordValues = 0;
  }

  private count(): void {
    if (this.recordStart >= 0) {
      if (++this.recordValues > MAX_RECORD_VALUES) {
        throw new InvalidRequestError(`The body has a record with more than ${MAX_RECORD_VALUES} JSON values.`);
      }
    } else if (this.isInRecordList()) {
      if (++this.items > MAX_RECORDS) throw tooManyRecords();
    } else if (++this.outerValues > MAX_OUTER_VALUES) {
      throw new InvalidRequestError(`The body has more than ${MAX_OUTER_VALUES} JSON values beside its records.`);
    }
  }

  private isInRecordList(): boolean {
    return this.depth === LIST_DEPTH && this.isList[1] === true && this.isList[3] === true && this.isList[5] === true;
  }

  private text(start: number, end: number): string {
    return utf8.decode(this.bytes.subarray(start, end));
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidRequestError('The body is not valid JSON.');
  }
}
