import type { ReactNode } from 'react';

/** A column of a table. */
export interface Column<Row> {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly show: (row: Row) => ReactNode;
}

/** A column whose cells a file can hold, too: numbers as they are instead of as they look. */
export interface CsvColumn<Row> extends Column<Row> {
  readonly value: (row: Row) => string | number | null;
}
