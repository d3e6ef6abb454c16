import { toLine } from '../../common/csv-line.js';
import type { CsvColumn } from './column.js';

/** Exactly what a table shows, as CSV. */
export function csvOf<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ value }) => value(row)))];
  return lines.map(toLine).join('');
}
