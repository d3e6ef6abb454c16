import { stripVTControlCharacters } from 'node:util';

/** Text of a command without what would move a cursor, color a terminal or be refused by a database. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/(?![\n\t])\p{Cc}/gu, '');
}

/** The beginning, at most `length` UTF-16 units long with the mark that something is missing. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** A command in one line. */
export function commandLine(command: string, length: number): string {
  return shortened(printable(command.trim().replace(/\s*\n\s*/g, ' ⏎ ')), length);
}
