import { InvalidRequestError } from '../errors/domain-error.js';

const MAX_DEPTH = 64;
const MAX_KEYS = 1_000;
const FEW_KEYS = 16;
/** So much of a key is named in an error. */
const MAX_NAMED = 100;
/** Everything that every object has; code that looks up a key in an object would find these. */
const FORBIDDEN_KEYS = new Set(Object.getOwnPropertyNames(Object.prototype));
const NUMBER = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON body and refuses what would otherwise be altered silently: invalid UTF-8, NUL characters, lone
 * surrogates, numbers that a double cannot hold, repeated keys, keys that touch prototypes, and very deep nesting.
 */
export function parseStrictJson(bytes: Uint8Array, what = 'The body'): unknown {
  const { text, value } = parse(bytes, what);
  new JsonScanner(text, what).check();
  return value;
}

/**
 * The same for an object that holds nothing but one list, whose items are judged singly: what is wrong inside of one is
 * told by its index and does not spoil the others.
 */
export function parseStrictJsonList(bytes: Uint8Array): { value: unknown; flaws: ReadonlyMap<number, string> } {
  const { text, value } = parse(bytes, 'The body');
  const flaws = new Map<number, string>();
  new JsonScanner(text, 'The event', flaws).check();
  return { value, flaws };
}

function parse(bytes: Uint8Array, what: string): { text: string; value: unknown } {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new InvalidRequestError(`${what} is not valid UTF-8.`);
  }
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    throw new InvalidRequestError(`${what} is not valid JSON.`);
  }
}

/** The characters that matter, as numbers: comparing these is several times faster than comparing strings. */
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

/** Walks over text that is known to be valid JSON; looks only at what `JSON.parse` lets pass. */
class JsonScanner {
  private position = 0;
  private nextEscape = -1;
  /** One entry for each open bracket: the keys seen so far in an object, null for an array. */
  private readonly open: (KnownKeys | null)[] = [];

  /** Which item of the list in the outermost object is being read. */
  private item = 0;

  /** With `flaws`, what is wrong inside of an item is noted there, under its index. */
  constructor(
    private readonly text: string,
    private readonly what: string,
    private readonly flaws: Map<number, string> | null = null,
  ) {}

  check(): void {
    while (this.position < this.text.length) this.step();
  }

  /** Makes an error only of the first flaw of an item: a hostile one has a million. */
  private refuse(describe: () => InvalidRequestError): void {
    if (this.flaws === null || this.open.length < 2) throw describe();
    if (!this.flaws.has(this.item)) this.flaws.set(this.item, describe().detail);
  }

  private step(): void {
    const char = this.text.charCodeAt(this.position);
    if (char === QUOTE) this.string();
    else if (char === MINUS || (char >= ZERO && char <= NINE)) this.number();
    else if (char === LEFT_BRACE) this.enter(new KnownKeys());
    else if (char === LEFT_BRACKET) this.enter(null);
    else {
      if (char === RIGHT_BRACE || char === RIGHT_BRACKET) this.open.pop();
      else if (char === COMMA && this.open.length === 2) this.item++;
      this.position++;
    }
  }

  private enter(keys: KnownKeys | null): void {
    this.position++;
    if (this.open.push(keys) > MAX_DEPTH) {
      this.refuse(() => new InvalidRequestError(`${this.what} is nested more than ${MAX_DEPTH} levels deep.`));
    }
  }

  private string(): void {
    const start = this.position;
    const end = this.endOfString(start);
    this.position = end;
    // Only an escape can hide a NUL or half a surrogate pair: both are impossible in valid UTF-8 JSON otherwise.
    const value = this.escapeAfter(start) < end ? (JSON.parse(this.text.slice(start, end)) as string) : null;
    if (value !== null && (value.includes('\0') || !value.isWellFormed())) {
      this.refuse(
        () => new InvalidRequestError(`${this.what} has a string with a NUL character or half a surrogate pair.`),
      );
    }
    if (this.isKey()) this.key(value ?? this.text.slice(start + 1, end - 1));
  }

  /** The next backslash; looked for only when the last one that was found lies behind. */
  private escapeAfter(start: number): number {
    if (this.nextEscape < start) {
      const found = this.text.indexOf('\\', start);
      this.nextEscape = found === -1 ? Infinity : found;
    }
    return this.nextEscape;
  }

  private endOfString(start: number): number {
    for (let from = start + 1; ;) {
      const quote = this.text.indexOf('"', from);
      let backslashes = 0;
      while (this.text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
      if (backslashes % 2 === 0) return quote + 1;
      from = quote + 1;
    }
  }

  /** Whether the string that was just read is followed by a colon. */
  private isKey(): boolean {
    if (!this.open.at(-1)) return false;
    let next = this.position;
    while (this.text.charCodeAt(next) <= 0x20) next++; // in valid JSON, white space
    return this.text.charCodeAt(next) === COLON;
  }

  private key(name: string): void {
    const keys = this.open.at(-1);
    if (FORBIDDEN_KEYS.has(name)) this.refuse(() => wrongKey(name, 'is not allowed as a key'));
    if (!keys) return;
    if (!keys.add(name)) this.refuse(() => wrongKey(name, 'is given more than once'));
    if (keys.size > MAX_KEYS) {
      this.refuse(() => new InvalidRequestError(`${this.what} has an object with more than ${MAX_KEYS} keys.`));
    }
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

/** The keys of one object. Few of them are found faster in a list than in a set. */
class KnownKeys {
  private readonly few: string[] = [];
  private many: Set<string> | null = null;

  get size(): number {
    return this.many?.size ?? this.few.length;
  }

  /** Whether the key was not there yet. */
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

/** Whether a double writes the same decimal digits again. */
function isExact(literal: string): boolean {
  if (literal.length <= 15 && !/[.eE]/.test(literal)) return true;
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
  return significantDigits(literal) === significantDigits(String(value));
}

function significantDigits(decimal: string): string {
  const mantissa = decimal.toLowerCase().split('e', 1)[0] ?? '';
  return mantissa.replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '');
}
