export type Cell = string | number | bigint | boolean | null;

/** A line of CSV (RFC 4180). */
export function toLine(cells: readonly Cell[]): string {
  return `${cells.map(toCell).join(',')}\r\n`;
}

function toCell(value: Cell): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  // A spreadsheet would run such text as a formula.
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
