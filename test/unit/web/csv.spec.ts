import { csvOf } from '../../../src/web/ui/csv.js';

describe('the CSV of a table', () => {
  it('has the columns and rows that are shown, numbers as they are, and no formula', () => {
    const columns = [
      { name: 'Name', value: ({ name }: { name: string }) => name, show: () => null },
      { name: 'Total', value: ({ total }: { total: number | null }) => total, show: () => null },
    ];
    const rows = [
      { name: 'a, "b"', total: 1_234.5 },
      { name: '=1+1', total: null },
    ];
    expect(csvOf(columns, rows)).toBe('Name,Total\r\n"a, ""b""",1234.5\r\n\'=1+1,\r\n');
  });
});
