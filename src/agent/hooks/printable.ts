import { stripVTControlCharacters } from 'node:util';

/** Without terminal escapes, control characters and what a database refuses. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/(?![\n\t])\p{Cc}/gu, '');
}

/** At most `length` UTF-16 units, including the ellipsis. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

export function commandLine(command: string, length: number): string {
  return shortened(printable(command.trim().replace(/\s*\n\s*/g, ' ⏎ ')), length);
}
