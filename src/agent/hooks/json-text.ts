import { findNodeAtLocation, type JSONVisitor, parseTree, printParseErrorCode, visit } from 'jsonc-parser';

const MAX_DEPTH = 100;
const TOKEN = /[^\s,:"[\]{}]*/y;
const STRING = /"(?:[^"\\]+|\\[\s\S])*/y;
const STRING_ERRORS = ['UnexpectedEndOfString', 'InvalidUnicode', 'InvalidEscapeCharacter', 'InvalidCharacter'];

const VALUE = 'a value is expected';
const KEY = 'a key in double quotes is expected';
const COLON = 'a colon is expected after the key';
const END = 'nothing may follow the end of the document';

export type JsonPath = readonly (string | number)[];

export interface Place {
  readonly line: number;
  readonly column: number;
}

export class JsonTextError extends Error {
  constructor(
    readonly place: Place,
    readonly reason: string,
  ) {
    super(`line ${place.line}, column ${place.column}: ${reason}`);
  }
}

/** As `JSON.parse`, whose messages often lack the position; a repeated key in an object is refused as well. */
export function parseJsonText(text: string): unknown {
  visit(text, new StrictVisitor(text), { disallowComments: true });
  return JSON.parse(text);
}

/** Where the value at this path begins; for a path that does not exist, its nearest ancestor. */
export function placeInJson(text: string, path: JsonPath): Place {
  const root = parseTree(text);
  const lengths = path.map((_, index) => path.length - index);
  const nodes = lengths.map((length) => root && findNodeAtLocation(root, path.slice(0, length)));
  return placeAt(text, (nodes.find((node) => node !== undefined) ?? root)?.offset ?? 0);
}

function placeAt(text: string, offset: number): Place {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

interface Container {
  readonly end: '}' | ']';
  readonly keys: Set<string>;
}

/** Throws at the first mistake, with what was expected at that place. */
class StrictVisitor implements JSONVisitor {
  private readonly open: Container[] = [];
  private expected = VALUE;
  private lastComma: number | null = null;

  constructor(private readonly text: string) {}

  onObjectBegin = (offset: number): void => this.begin('}', KEY, offset);
  onArrayBegin = (offset: number): void => this.begin(']', VALUE, offset);
  onObjectEnd = (offset: number): void => this.end(offset);
  onArrayEnd = (offset: number): void => this.end(offset);

  onObjectProperty = (key: string, offset: number): void => {
    const keys = this.open.at(-1)?.keys;
    if (keys?.has(key)) this.fail(`the key "${key.slice(0, 100)}" stands twice in the same object`, offset);
    keys?.add(key);
    this.expect(COLON);
  };

  onLiteralValue = (value: unknown, offset: number, length: number): void => {
    this.checkDepth(offset);
    const token = this.match(TOKEN, offset);
    if (typeof value !== 'string' && token.length !== length) this.failToken(token, offset);
    this.endValue();
  };

  onSeparator = (separator: string, offset: number): void => {
    this.expect(separator === ',' && this.open.at(-1)?.end === '}' ? KEY : VALUE);
    if (separator === ',') this.lastComma = offset;
  };

  onError = (code: number, offset: number): void => {
    const error = printParseErrorCode(code);
    const next = this.text[offset];
    if (error === 'InvalidCommentToken') this.fail('JSON has no comments', offset);
    if (STRING_ERRORS.includes(error)) this.failString(error, offset);
    if (this.lastComma !== null && next === this.open.at(-1)?.end) {
      this.fail(`there is a comma too many before ${next}`, this.lastComma);
    }
    const token = this.match(TOKEN, offset);
    if (this.expected === VALUE && token !== '') this.failToken(token, offset);
    this.fail(this.expected, offset);
  };

  private begin(end: '}' | ']', expected: string, offset: number): void {
    this.checkDepth(offset);
    this.open.push({ end, keys: new Set() });
    this.expect(expected);
  }

  private end(offset: number): void {
    if (this.text[offset] !== this.open.pop()?.end) this.fail(this.expected, offset); // at the end of the text
    this.endValue();
  }

  private endValue(): void {
    const container = this.open.at(-1);
    this.expect(container ? `a comma or ${container.end} is expected` : END);
  }

  private expect(expected: string): void {
    this.expected = expected;
    this.lastComma = null;
  }

  private checkDepth(offset: number): void {
    if (this.open.length > MAX_DEPTH) this.fail(`values are nested deeper than ${MAX_DEPTH} levels`, offset);
  }

  private failToken(token: string, offset: number): never {
    return this.fail(`"${token.slice(0, 50)}" is not a value`, offset);
  }

  private failString(error: string, offset: number): never {
    const literal = this.match(STRING, offset);
    const control = literal.split('').findIndex((character) => character < ' ');
    if (control !== -1) {
      this.fail('a line break, tab or control character stands in a string; escape it', offset + control);
    }
    const flaw = error === 'UnexpectedEndOfString' ? 'no end' : 'an unknown escape';
    this.fail(`the string that begins here has ${flaw}`, offset);
  }

  private match(pattern: RegExp, offset: number): string {
    pattern.lastIndex = offset;
    return pattern.exec(this.text)?.[0] ?? '';
  }

  private fail(reason: string, offset: number): never {
    const isEnd = offset >= this.text.trimEnd().length;
    throw new JsonTextError(placeAt(this.text, offset), isEnd ? `the file ends too early: ${reason}` : reason);
  }
}
