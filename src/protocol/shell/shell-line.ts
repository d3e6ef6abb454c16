import { isAssignment } from './shell-words.js';

/** A line or script for a shell, split into simple commands; nothing is expanded or run. */
export interface ShellLine {
  readonly commands: readonly (readonly string[])[];
  /** True only if it consists of simple commands and operators, so that `commands` is everything it runs. */
  readonly isPlain: boolean;
}

const SEPARATORS = ';&|\n()`';
const ORDINARY = /[^\s'"\\;&|()`<>#$]+/y;
/** A variable, or a dollar without meaning. Any other use of a dollar may run commands or spell words. */
const PLAIN_DOLLAR = /^\$(?:[A-Za-z_]\w*|[?#$!0-9]|$|[ \t\n])/;
const HERE_DOCUMENT = /-?[ \t]*(?<quote>['"]?)(?<delimiter>\w+)\k<quote>/y;
// eslint-disable-next-line no-control-regex -- shells take some of them for parts of words, terminals hide them
const CONTROL_CHARACTER = /[\u0000-\u0008\u000b-\u001f\u007f]/;

export function readShellLine(line: string): ShellLine {
  return new ShellReader(line).read();
}

class ShellReader {
  private readonly commands: string[][] = [];
  private words: string[] = [];
  private word: string | null = null;
  /** The delimiters of here-documents whose text begins on the next line. */
  private hereDocuments: string[] = [];
  private isPlain: boolean;
  private at = 0;

  constructor(private readonly line: string) {
    this.isPlain = !CONTROL_CHARACTER.test(line);
  }

  read(): ShellLine {
    while (this.at < this.line.length) this.step();
    this.endCommand();
    const isPlain = this.isPlain && !this.commands.some(([first = '']) => isAssignment(first));
    return { commands: this.commands, isPlain };
  }

  private step(): void {
    const ordinary = this.match(ORDINARY);
    if (ordinary) {
      this.append(ordinary[0]);
      this.at += ordinary[0].length;
      return;
    }
    const character = this.line.charAt(this.at);
    if (character === '\\') this.escape();
    else if (character === "'") this.singleQuotes();
    else if (character === '"') this.doubleQuotes();
    else if (character === ' ' || character === '\t' || character === '\r') this.endWord();
    else if (character === '#' && this.word === null) this.comment();
    else if (character === '<' || character === '>') this.redirection();
    else if (character === '&' && this.line.charAt(this.at + 1) === '>') this.redirection();
    else if (SEPARATORS.includes(character)) this.separator(character);
    else this.take(character);
    this.at += 1;
  }

  private take(character: string): void {
    if (character === '$' && !PLAIN_DOLLAR.test(this.line.slice(this.at, this.at + 2))) this.isPlain = false;
    this.append(character);
  }

  private escape(): void {
    this.at += 1;
    const next = this.line.charAt(this.at);
    if (next === '') this.isPlain = false;
    else if (next !== '\n') this.append(next);
  }

  private singleQuotes(): void {
    const end = this.line.indexOf("'", this.at + 1);
    if (end === -1) this.isPlain = false;
    const stop = end === -1 ? this.line.length : end;
    this.append(this.line.slice(this.at + 1, stop));
    this.at = stop;
  }

  private doubleQuotes(): void {
    this.append('');
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
    this.isPlain = false; // a quote in a comment may hide commands from a simple reader like this one
    const end = this.line.indexOf('\n', this.at);
    this.at = (end === -1 ? this.line.length : end) - 1;
  }

  private redirection(): void {
    this.isPlain = false;
    this.endWord();
    const start = this.at;
    while ('<>&|'.includes(this.line.charAt(this.at + 1) || ' ')) this.at += 1;
    if (this.line.slice(start, this.at + 1) !== '<<') return;
    const delimiter = this.match(HERE_DOCUMENT, this.at + 1)?.groups?.delimiter;
    if (delimiter !== undefined) this.hereDocuments.push(delimiter);
  }

  private separator(character: string): void {
    if ('()`'.includes(character)) this.isPlain = false;
    this.endCommand();
    if (character !== '\n') return;
    for (const delimiter of this.hereDocuments) this.skipHereDocument(delimiter);
    this.hereDocuments = [];
  }

  /** From the newline before the text to the newline after its delimiter, or to the end of the script. */
  private skipHereDocument(delimiter: string): void {
    let end: number;
    let text: string;
    do {
      const start = this.at + 1;
      end = this.line.indexOf('\n', start);
      this.at = end === -1 ? this.line.length : end;
      text = this.line.slice(start, this.at).trim();
    } while (end !== -1 && text !== delimiter);
  }

  private append(text: string): void {
    this.word = (this.word ?? '') + text;
  }

  private endWord(): void {
    if (this.word !== null) this.words.push(this.word);
    this.word = null;
  }

  private endCommand(): void {
    this.endWord();
    if (this.words.length > 0) this.commands.push(this.words);
    this.words = [];
  }

  private match(pattern: RegExp, at = this.at): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.line);
  }
}
