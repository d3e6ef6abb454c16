/** Deeper nesting is refused: nobody writes that by hand. */
const MAX_DEPTH = 100;
const SPACE = /[ \t\n\r]*/y;
/** Numbers and words: everything up to what can end them. */
const TOKEN = /[^\s,:"[\]{}]*/y;

export type JsonPath = readonly (string | number)[];

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** What is wrong in a JSON text, and where. `JSON.parse` of Node 20 often does not tell where. */
export class JsonTextError extends Error {
  constructor(
    readonly place: Place,
    readonly reason: string,
  ) {
    super(`line ${place.line}, column ${place.column}: ${reason}`);
  }
}

/** As `JSON.parse`, but says where the mistake is, and that a key stands twice in an object. */
export function parseJsonText(text: string): unknown {
  new Reader(text, () => undefined).document();
  return JSON.parse(text);
}

/** Where the value at this path begins; for a path that does not exist, its nearest ancestor. */
export function placeInJson(text: string, path: JsonPath): Place {
  let found = 0;
  let depth = -1;
  new Reader(text, (current, offset) => {
    if (current.length <= depth || current.some((part, index) => part !== path[index])) return;
    depth = current.length;
    found = offset;
  }).document();
  return placeAt(text, found);
}

function placeAt(text: string, offset: number): Place {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

class Reader {
  private position = 0;
  private readonly path: (string | number)[] = [];

  constructor(
    private readonly text: string,
    private readonly onValue: (path: JsonPath, offset: number) => void,
  ) {}

  document(): void {
    this.value();
    if (this.peek() !== undefined) this.fail('nothing may follow the end of the document');
  }

  private value(): void {
    const first = this.peek();
    this.onValue(this.path, this.position);
    if (this.path.length > MAX_DEPTH) this.fail(`values are nested deeper than ${MAX_DEPTH} levels`);
    if (first === '{') this.object();
    else if (first === '[') this.list();
    else if (first === '"') this.string();
    else this.token();
  }

  private object(): void {
    const keys = new Set<string>();
    this.items('}', () => {
      if (this.peek() !== '"') this.fail('a key in double quotes is expected');
      const start = this.position;
      const key = this.string();
      if (keys.has(key)) this.fail(`the key "${key.slice(0, 100)}" stands twice in the same object`, start);
      keys.add(key);
      if (this.peek() !== ':') this.fail('a colon is expected after the key');
      this.position += 1;
      this.below(key);
    });
  }

  private list(): void {
    let index = 0;
    this.items(']', () => this.below(index++));
  }

  private below(part: string | number): void {
    this.path.push(part);
    this.value();
    this.path.pop();
  }

  private items(end: '}' | ']', item: () => void): void {
    this.position += 1;
    if (this.peek() === end) {
      this.position += 1;
      return;
    }
    for (;;) {
      item();
      const next = this.peek();
      if (next !== ',' && next !== end) this.fail(`a comma or ${end} is expected`);
      const at = this.position;
      this.position += 1;
      if (next === end) return;
      if (this.peek() === end) this.fail(`there is a comma too many before ${end}`, at);
    }
  }

  private string(): string {
    const start = this.position;
    this.position += 1;
    for (let char = this.text[this.position]; char !== '"'; char = this.text[this.position]) {
      if (char === undefined) this.fail('the string that begins here has no end', start);
      if (char < ' ') this.fail('a line break, tab or control character stands in a string; escape it');
      this.position += char === '\\' ? 2 : 1;
    }
    this.position += 1;
    const literal = this.text.slice(start, this.position);
    try {
      return JSON.parse(literal) as string;
    } catch {
      return this.fail('the string that begins here has an unknown escape', start);
    }
  }

  private token(): void {
    const start = this.position;
    const [token = ''] = this.take(TOKEN);
    if (token.startsWith('//') || token.startsWith('/*')) this.fail('JSON has no comments', start);
    if (token === '') this.fail('a value is expected', start);
    try {
      JSON.parse(token);
    } catch {
      this.fail(`"${token.slice(0, 50)}" is not a value`, start);
    }
  }

  /** The next character that is no white space, without taking it. */
  private peek(): string | undefined {
    this.take(SPACE);
    return this.text[this.position];
  }

  private take(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.position;
    const match = pattern.exec(this.text);
    if (match === null) throw new Error(`${String(pattern)} matches nothing, not even the empty string`);
    this.position += match[0].length;
    return match;
  }

  private fail(reason: string, offset = this.position): never {
    const isEnd = offset >= this.text.trimEnd().length;
    throw new JsonTextError(placeAt(this.text, offset), isEnd ? `the file ends too early: ${reason}` : reason);
  }
}
