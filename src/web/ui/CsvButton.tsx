import { Problem, problemOf } from '../api/problem.js';
import { Button } from './Button.js';
import type { CsvColumn } from './column.js';
import { csvOf } from './csv.js';
import { save } from './save.js';
import { say } from './Toasts.js';

/** Saves what the address answers as CSV; a link could not ask for another format. */
export function CsvButton({ address, name }: { address: string; name: string }) {
  const fetchAndSave = async () => {
    const response = await fetch(address, { headers: { Accept: 'text/csv' } });
    if (!response.ok) throw problemOf(response, await response.json().catch(() => null));
    save(await response.blob(), `${name}.csv`);
  };
  const onClick = () =>
    void fetchAndSave().catch((error: unknown) =>
      say(error instanceof Problem ? error.detail : 'The service is not reachable.', { isProblem: true }),
    );
  return <Button onClick={onClick}>CSV</Button>;
}

interface TableProps<Row> {
  readonly columns: readonly CsvColumn<Row>[];
  readonly rows: readonly Row[];
  readonly name: string;
}

/** Saves exactly the rows of a table that is shown. */
export function TableCsvButton<Row>({ columns, rows, name }: TableProps<Row>) {
  return (
    <Button onClick={() => save(new Blob([csvOf(columns, rows)], { type: 'text/csv' }), `${name}.csv`)}>CSV</Button>
  );
}
