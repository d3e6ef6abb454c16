import type { Column } from './column.js';
import styles from './DataTable.module.css';

interface Props<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Rows that add up the others stand out. */
  readonly isTotal?: (row: Row) => boolean;
}

/** Scrolls inside itself on narrow screens, so that the page does not. */
export function DataTable<Row>({ caption, columns, rows, keyOf, isTotal }: Props<Row>) {
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" className={isNumber ? styles.number : styles.text}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={isTotal?.(row) ? styles.total : undefined}>
              {columns.map(({ name, isNumber, show }) => (
                <td key={name} className={isNumber ? styles.number : styles.text}>
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
