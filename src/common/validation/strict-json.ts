import { yieldFairly } from '../yield-fairly.js';
import { DomainError, InvalidRequestError } from '../errors/domain-error.js';
import { type ExceededBound, type JsonBounds, JsonCounter, MAX_JSON_VALUES } from './json-bounds.js';
import { isStorableText } from './predicates.js';

const MAX_DEPTH = 64;
const MAX_KEYS = 1_000;
const FEW_KEYS = 16;
const MAX_NAMED = 100;
/** Longer texts are parsed with pauses for other work. */
const LONG_TEXT_BYTES = 64 * 1024;
const SLICE_CHARACTERS = 256 * 1024;
/** Looking up one of these in an object would find an inherited property. */
const FORBIDDEN_KEYS = new Set(Object.getOwnPropertyNames(Object.prototype));
const NUMBER = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SUSPICIOUS_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/g;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a short JSON text and refuses what would be altered silently: invalid UTF-8, NUL characters, lone surrogates,
 * numbers that a double cannot hold, repeated keys, keys of prototypes, and deep nesting. Too many values are refused
 * before parsing.
 */
export function parseStrictJson(bytes: Uint8Array, what = 'The body', maxValues = MAX_JSON_VALUES): unknown {
  const bounds = { maxValues };
  refuseExceeded(new JsonCounter(bytes, bounds).count(), bounds, what);
  const text = decode(bytes, what);
  const value = parse(text, what);
  new JsonScanner(text, what).check();
  return value;
}

/** For a text that may be long. */
export async function readStrictJson(bytes: Uint8Array, what = 'The body', maxValues?: number): Promise<unknown> {
  if (bytes.length <= LONG_TEXT_BYTES) return parseStrictJson(bytes, what, maxValues);
  const { text, value } = await parseInRounds(bytes, { maxValues: maxValues ?? MAX_JSON_VALUES }, what);
  await new JsonScanner(text, what).checkInSlices();
  return value;
}

/** For an object that holds one list: an invalid item is reported by its index and does not affect the others. */
export async function readStrictJsonList(
  bytes: Uint8Array,
  { maxItems, tooMany }: { maxItems: number; tooMany: string },
): Promise<{ value: unknown; flaws: ReadonlyMap<number, string> }> {
  const bounds = { maxValues: MAX_JSON_VALUES, maxItems, tooMany };
  const { text, value } = await parseInRounds(bytes, bounds, 'The body');
  const flaws = new Map<number, string>();
  await new JsonScanner(text, 'The event', flaws).checkInSlices();
  return { value, flaws };
}

/** Each step takes at most a tenth of a second, even for the longest text, and yields to the event loop. */
async function parseInRounds(
  bytes: Uint8Array,
  bounds: JsonBounds,
  what: string,
): Promise<{ text: string; value: unknown }> {
  await yieldFairly();
  refuseExceeded(await new JsonCounter(bytes, bounds).countInSlices(), bounds, what);
  await yieldFairly();
  const text = decode(bytes, what);
  await yieldFairly();
  return { text, value: parse(text, what) };
}

function refuseExceeded(exceeded: ExceededBound | null, { maxValues, tooMany = '' }: JsonBounds, what: string): void {
  if (exceeded === 'values') throw new InvalidRequestError(`${what} has more than ${maxValues} JSON values.`);
  if (exceeded === 'items') throw new DomainError('payload_too_large', tooMany);
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new InvalidRequestError(`${what} is not valid UTF-8.`);
  }
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidRequestError(`${what} is not valid JSON.`);
  }
}

/** Comparing character codes is several times faster than comparing strings. */
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LEFT_BRACKET = 0x5b;
const RIGHT_BRACKET = 0x5d;
const LEFT_BRACE = 0x7b;
const RIGHT_BRACE = 0x7d;

/** Saves a set for each object without keys: hostile lists consist of them. */
const NO_KEYS = Symbol('no keys');
type OpenBracket = KnownKeys | typeof NO_KEYS | null;

/** Walks over valid JSON and checks only what `JSON.parse` accepts. */
class JsonScanner {
  private position = 0;
  private nextEscape = -1;
  private nextSuspicious = -1;
  private readonly open: OpenBracket[] = [];

  private item = 0;

  /** With `flaws`, an invalid item is recorded there by its index. */
  constructor(
    private readonly text: string,
    private readonly what: string,
    private readonly flaws: Map<number, string> | null = null,
  ) {}

  /** Without yielding: for short texts. */
  check(): void {
    this.checkTo(this.text.length);
  }

  async checkInSlices(): Promise<void> {
    for (let end = SLICE_CHARACTERS; this.position < this.text.length; end += SLICE_CHARACTERS) {
      await yieldFairly();
      this.checkTo(Math.min(end, this.text.length));
    }
  }

  private checkTo(end: number): void {
    while (this.position < end) this.step();
  }

  /** Reports only the first flaw of an item: a hostile one has a million. */
  private refuse(describe: () => InvalidRequestError): void {
    if (this.flaws === null || this.open.length < 2) throw describe();
    if (!this.flaws.has(this.item)) this.flaws.set(this.item, describe().detail);
  }

  private step(): void {
    const char = this.text.charCodeAt(this.position);
    if (char === QUOTE) this.string();
    else if (char === MINUS || (char >= ZERO && char <= NINE)) this.number();
    else if (char === LEFT_BRACE) this.enter(NO_KEYS);
    else if (char === LEFT_BRACKET) this.enter(null);
    else {
      if (char === RIGHT_BRACE || char === RIGHT_BRACKET) this.open.pop();
      else if (char === COMMA && this.open.length === 2) this.item++;
      this.position++;
    }
  }

  private enter(bracket: OpenBracket): void {
    this.position++;
    if (this.open.push(bracket) > MAX_DEPTH) {
      this.refuse(() => new InvalidRequestError(`${this.what} is nested more than ${MAX_DEPTH} levels deep.`));
    }
  }

  private string(): void {
    const start = this.position;
    const end = this.endOfString(start);
    this.position = end;
    // In valid UTF-8 JSON, only an escape can produce a NUL or a lone surrogate.
    if (this.suspiciousAfter(start) < end && !isPlainText(this.text.slice(start, end))) {
      this.refuse(
        () => new InvalidRequestError(`${this.what} has a string with a NUL character or half a surrogate pair.`),
      );
    }
    if (this.isKey()) this.key(this.unescaped(start, end));
  }

  private unescaped(start: number, end: number): string {
    if (this.escapeAfter(start) >= end) return this.text.slice(start + 1, end - 1);
    return JSON.parse(this.text.slice(start, end)) as string;
  }

  /** Searches only when the last one found lies behind. */
  private escapeAfter(start: number): number {
    if (this.nextEscape < start) this.nextEscape = orInfinity(this.text.indexOf('\\', start));
    return this.nextEscape;
  }

  private suspiciousAfter(start: number): number {
    if (this.nextSuspicious < start) {
      SUSPICIOUS_ESCAPE.lastIndex = start;
      this.nextSuspicious = SUSPICIOUS_ESCAPE.exec(this.text)?.index ?? Infinity;
    }
    return this.nextSuspicious;
  }

  private endOfString(start: number): number {
    const quote = this.text.indexOf('"', start + 1);
    if (this.text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
    // From the first escaped quote on, checking each character is cheaper than searching for each quote.
    let at = this.escapeAfter(start);
    for (;;) {
      const char = this.text.charCodeAt(at);
      if (char === QUOTE) return at + 1;
      at += char === BACKSLASH ? 2 : 1;
    }
  }

  private isKey(): boolean {
    if (!this.open.at(-1)) return false;
    let next = this.position;
    while (this.text.charCodeAt(next) <= 0x20) next++; // white space
    return this.text.charCodeAt(next) === COLON;
  }

  private key(name: string): void {
    const keys = this.keysOfObject();
    if (FORBIDDEN_KEYS.has(name)) this.refuse(() => wrongKey(name, 'is not allowed as a key'));
    if (!keys.add(name)) this.refuse(() => wrongKey(name, 'is given more than once'));
    if (keys.size > MAX_KEYS) {
      this.refuse(() => new InvalidRequestError(`${this.what} has an object with more than ${MAX_KEYS} keys.`));
    }
  }

  private keysOfObject(): KnownKeys {
    const last = this.open.length - 1;
    const known = this.open[last];
    if (known instanceof KnownKeys) return known;
    return (this.open[last] = new KnownKeys());
  }

  private number(): void {
    NUMBER.lastIndex = this.position;
    const literal = NUMBER.exec(this.text)?.[0] ?? '';
    this.position += literal.length;
    if (!isExact(literal)) {
      this.refuse(() => new InvalidRequestError(`The number ${literal.slice(0, 40)} cannot be represented exactly.`));
    }
  }
}

function isPlainText(literal: string): boolean {
  return isStorableText(JSON.parse(literal) as string);
}

function orInfinity(index: number): number {
  return index === -1 ? Infinity : index;
}

/** For few keys a list is faster than a set. */
class KnownKeys {
  private readonly few: string[] = [];
  private many: Set<string> | null = null;

  get size(): number {
    return this.many?.size ?? this.few.length;
  }

  add(key: string): boolean {
    if (this.many ? this.many.has(key) : this.few.includes(key)) return false;
    if (this.many) this.many.add(key);
    else if (this.few.push(key) > FEW_KEYS) this.many = new Set(this.few);
    return true;
  }
}

function wrongKey(name: string, message: string): InvalidRequestError {
  return InvalidRequestError.ofField(name.slice(0, MAX_NAMED), message);
}

/** Whether a double prints the same decimal digits. */
function isExact(literal: string): boolean {
  if (literal.length <= 15 && !/[.eE]/.test(literal)) return true;
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
  return significantDigits(literal) === significantDigits(String(value));
}

function significantDigits(decimal: string): string {
  const mantissa = decimal.toLowerCase().split('e', 1)[0] ?? '';
  const digits = mantissa.replace(/[-.]/g, '').replace(/^0+/, '');
  let end = digits.length; // /0+$/ would take quadratic time
  while (digits.endsWith('0', end)) end--;
  return digits.slice(0, end);
}
