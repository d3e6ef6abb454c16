import { InvalidRequestError } from '../errors/domain-error.js';

const MAX_DEPTH = 64;
const MAX_KEYS = 1_000;
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
  const scanner = new JsonScanner(text, 'The event');
  scanner.checkItems();
  return { value, flaws: scanner.flaws };
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

/** Walks over text that is known to be valid JSON; looks only at what `JSON.parse` lets pass. */
class JsonScanner {
  private position = 0;
  /** One entry for each open bracket: the keys seen so far in an object, null for an array. */
  private readonly open: (Set<string> | null)[] = [];

  /** What is wrong with items of the list in the outermost object, by their index. */
  readonly flaws = new Map<number, string>();

  constructor(
    private readonly text: string,
    private readonly what: string,
  ) {}

  check(): void {
    while (this.position < this.text.length) this.step();
  }

  checkItems(): void {
    for (let item = 0; this.position < this.text.length;) {
      if (this.open.length === 2 && this.text[this.position] === ',') item++;
      try {
        this.step();
      } catch (error) {
        if (this.open.length < 2 || !(error instanceof InvalidRequestError)) throw error;
        if (!this.flaws.has(item)) this.flaws.set(item, error.detail);
      }
    }
  }

  private step(): void {
    const char = this.text[this.position];
    if (char === '"') this.string();
    else if (char === '{') this.enter(new Set());
    else if (char === '[') this.enter(null);
    else if (char === '}' || char === ']') this.leave();
    else if (char === '-' || (char !== undefined && char >= '0' && char <= '9')) this.number();
    else this.position++;
  }

  private enter(keys: Set<string> | null): void {
    this.position++;
    if (this.open.push(keys) > MAX_DEPTH) {
      throw new InvalidRequestError(`${this.what} is nested more than ${MAX_DEPTH} levels deep.`);
    }
  }

  private leave(): void {
    this.open.pop();
    this.position++;
  }

  private string(): void {
    const start = this.position;
    const end = this.endOfString(start);
    this.position = end;
    const raw = this.text.slice(start, end);
    // Only an escape can hide a NUL or half a surrogate pair: both are impossible in valid UTF-8 JSON otherwise.
    const escaped = raw.includes('\\');
    const value = escaped ? (JSON.parse(raw) as string) : raw.slice(1, -1);
    if (escaped && (value.includes('\0') || !value.isWellFormed())) {
      throw new InvalidRequestError(`${this.what} has a string with a NUL character or half a surrogate pair.`);
    }
    if (this.isKey()) this.key(value);
  }

  private endOfString(start: number): number {
    for (let from = start + 1; ;) {
      const quote = this.text.indexOf('"', from);
      let backslashes = 0;
      while (this.text[quote - 1 - backslashes] === '\\') backslashes++;
      if (backslashes % 2 === 0) return quote + 1;
      from = quote + 1;
    }
  }

  /** Whether the string that was just read is followed by a colon. */
  private isKey(): boolean {
    if (!this.open.at(-1)) return false;
    let next = this.position;
    while (' \t\n\r'.includes(this.text[next] ?? ':')) next++;
    return this.text[next] === ':';
  }

  private key(name: string): void {
    const keys = this.open.at(-1);
    if (FORBIDDEN_KEYS.has(name)) throw InvalidRequestError.ofField(name, 'is not allowed as a key');
    if (keys?.has(name)) throw InvalidRequestError.ofField(name, 'is given more than once');
    keys?.add(name);
    if (keys && keys.size > MAX_KEYS)
      throw new InvalidRequestError(`${this.what} has an object with more than ${MAX_KEYS} keys.`);
  }

  private number(): void {
    NUMBER.lastIndex = this.position;
    const literal = NUMBER.exec(this.text)?.[0] ?? '';
    this.position += literal.length;
    if (!isExact(literal)) {
      throw new InvalidRequestError(`The number ${literal.slice(0, 40)} cannot be represented exactly.`);
    }
  }
}

/** Whether a double writes the same decimal digits again. */
function isExact(literal: string): boolean {
  if (/^-?\d{1,15}$/.test(literal)) return true;
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
  return significantDigits(literal) === significantDigits(String(value));
}

function significantDigits(decimal: string): string {
  const mantissa = decimal.toLowerCase().split('e', 1)[0] ?? '';
  return mantissa.replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '');
}
