import { type Cell, toLine } from '../../common/csv-line.js';

/* CSV of scalar fields; nested fields get names such as `outer.inner`. */

export function columnsOf(row: object): string[] {
  return [...flatten(row).keys()];
}

export function toCsvLine(row: object): string {
  return toLine([...flatten(row).values()]);
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
