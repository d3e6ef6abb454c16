/** A record of a CSV file (RFC 4180). */
export interface CsvRow {
  /** On which it begins, from 1. */
  readonly line: number;
  readonly cells: string[];
}

const FIELD = /"((?:[^"]|"")*)"(?=,|\r?\n|$)|([^",\r\n]*)(?=,|\r?\n|$)/y;
const END_OF_LINE = /\r?\n/y;

/** null for a line where quotes are in the wrong place. Empty lines are left out. */
export function* readCsv(text: string): Generator<CsvRow | { line: number; cells: null }> {
  let position = 0;
  let line = 1;
  while (position < text.length) {
    const cells: string[] = [];
    const firstLine = line;
    for (;;) {
      FIELD.lastIndex = position;
      const found = FIELD.exec(text);
      if (!found) {
        yield { line: firstLine, cells: null };
        return;
      }
      const [all, quoted, plain = ''] = found;
      line += all.split('\n').length - 1;
      cells.push((quoted?.replaceAll('""', '"') ?? plain).trim());
      position += all.length;
      if (text[position] !== ',') break;
      position++;
    }
    END_OF_LINE.lastIndex = position;
    position += END_OF_LINE.exec(text)?.[0].length ?? 0;
    line++;
    if (cells.some((cell) => cell !== '')) yield { line: firstLine, cells };
  }
}
