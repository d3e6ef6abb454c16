/** A line for a shell, cut into simple commands. Cutting only: nothing is expanded or run. */
export interface ShellLine {
  /** The words of each simple command, without their quotes. */
  readonly parts: readonly (readonly string[])[];
  /** Whether it holds nothing but simple commands and operators between them, so that `parts` is all it does. */
  readonly isPlain: boolean;
}

const SEPARATORS = ';&|\n()`';
/** Of a variable that is put in. Everything else that begins with a dollar may run commands or spell words. */
const PLAIN_DOLLAR = /^\$(?:[A-Za-z_]\w*|[?#$!0-9]|$|[ \t\n])/;
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
// eslint-disable-next-line no-control-regex -- shells take some of them for parts of words, terminals hide them
const CONTROL_CHARACTER = /[\u0000-\u0008\u000b-\u001f\u007f]/;

export function cutShellLine(line: string): ShellLine {
  return new ShellCutter(line).cut();
}

class ShellCutter {
  private readonly parts: string[][] = [];
  private words: string[] = [];
  private word: string | null = null;
  private isPlain: boolean;
  private at = 0;

  constructor(private readonly line: string) {
    this.isPlain = !CONTROL_CHARACTER.test(line);
  }

  cut(): ShellLine {
    while (this.at < this.line.length) this.step();
    this.endPart();
    const isPlain = this.isPlain && !this.parts.some(([first = '']) => ASSIGNMENT.test(first));
    return { parts: this.parts, isPlain };
  }

  private step(): void {
    const character = this.line.charAt(this.at);
    if (character === '\\') this.escape();
    else if (character === "'") this.singleQuotes();
    else if (character === '"') this.doubleQuotes();
    else if (character === ' ' || character === '\t') this.endWord();
    else if (character === '#' && this.word === null) this.comment();
    else if (character === '<' || character === '>') this.redirection();
    else if (character === '&' && this.line.charAt(this.at + 1) === '>') this.redirection();
    else if (SEPARATORS.includes(character)) this.separator(character);
    else this.take(character);
    this.at += 1;
  }

  private take(character: string): void {
    if (character === '$' && !PLAIN_DOLLAR.test(this.line.slice(this.at, this.at + 2))) this.isPlain = false;
    this.word = (this.word ?? '') + character;
  }

  private escape(): void {
    this.at += 1;
    const next = this.line.charAt(this.at);
    if (next === '') this.isPlain = false;
    else if (next !== '\n') this.word = (this.word ?? '') + next;
  }

  private singleQuotes(): void {
    const end = this.line.indexOf("'", this.at + 1);
    if (end === -1) this.isPlain = false;
    const stop = end === -1 ? this.line.length : end;
    this.word = (this.word ?? '') + this.line.slice(this.at + 1, stop);
    this.at = stop;
  }

  private doubleQuotes(): void {
    this.word ??= '';
    for (this.at += 1; this.at < this.line.length; this.at += 1) {
      const character = this.line.charAt(this.at);
      if (character === '"') return;
      if (character === '`') this.isPlain = false;
      if (character === '\\' && '$`"\\\n'.includes(this.line.charAt(this.at + 1))) this.escape();
      else this.take(character);
    }
    this.isPlain = false;
  }

  private comment(): void {
    this.isPlain = false; // what a quote in a comment hides is easily misread
    const end = this.line.indexOf('\n', this.at);
    this.at = (end === -1 ? this.line.length : end) - 1;
  }

  private redirection(): void {
    this.isPlain = false;
    this.endWord();
    while ('<>&|'.includes(this.line.charAt(this.at + 1) || ' ')) this.at += 1;
  }

  private separator(character: string): void {
    if ('()`'.includes(character)) this.isPlain = false;
    this.endPart();
  }

  private endWord(): void {
    if (this.word !== null) this.words.push(this.word);
    this.word = null;
  }

  private endPart(): void {
    this.endWord();
    if (this.words.length > 0) this.parts.push(this.words);
    this.words = [];
  }
}
