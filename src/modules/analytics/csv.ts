/** CSV (RFC 4180) of scalar fields; nested fields get names such as `outer.inner`. */

type Cell = string | number | bigint | boolean | null;

export function columnsOf(row: object): string[] {
  return [...flatten(row).keys()];
}

export function toCsvLine(row: object): string {
  return toLine([...flatten(row).values()]);
}

export function toLine(cells: Cell[]): string {
  return `${cells.map(toCell).join(',')}\r\n`;
}

function flatten(row: object, prefix = ''): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const [name, value] of Object.entries(row) as [string, unknown][]) {
    if (Array.isArray(value)) continue;
    if (typeof value === 'object' && value !== null) {
      for (const [inner, cell] of flatten(value, `${prefix}${name}.`)) cells.set(inner, cell);
    } else cells.set(prefix + name, value as Cell);
  }
  return cells;
}

function toCell(value: Cell): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  // A spreadsheet would run such text as a formula.
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
