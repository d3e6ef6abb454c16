import { toLine } from '../../common/csv-line.js';
import type { Column } from './DataTable.js';

/** A column whose cells a file can hold, too: numbers as they are instead of as they look. */
export interface CsvColumn<Row> extends Column<Row> {
  readonly value: (row: Row) => string | number | null;
}

/** Exactly what a table shows, as CSV. */
export function csvOf<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ value }) => value(row)))];
  return lines.map(toLine).join('');
}
