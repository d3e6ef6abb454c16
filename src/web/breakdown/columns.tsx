import { Link } from '@tanstack/react-router';
import type { BreakdownAnswer, Dimension } from '../api/analytics.js';
import { change as shownChange, percent, shownValue } from '../format.js';
import type { CsvColumn } from '../ui/column.js';
import { DIMENSIONS } from './metrics.js';

export const OTHER = ' other';
const TOTAL = ' total';

export type BreakdownRow = BreakdownAnswer['data'][number];

export const isSum = ({ key }: Pick<BreakdownRow, 'key'>) => key === TOTAL;

/** The named rows, and what is left when there is more. */
export function namedRowsOf({ data, other, meta }: BreakdownAnswer): BreakdownRow[] {
  return meta.has_more ? [...data, { ...other, key: OTHER, label: 'Other' }] : data;
}

export function rowsOf(answer: BreakdownAnswer): BreakdownRow[] {
  return [...namedRowsOf(answer), { ...answer.total, key: TOTAL, label: 'Total' }];
}

export function columnsOf(dimension: Dimension, isCompared: boolean): CsvColumn<BreakdownRow>[] {
  const before: CsvColumn<BreakdownRow>[] = [
    {
      name: 'Before',
      isNumber: true,
      value: ({ previous_value }) => previous_value,
      show: ({ previous_value }) => shownValue(previous_value),
    },
    { name: 'Change', isNumber: true, value: ({ change }) => change, show: ({ change }) => shownChange(change) },
  ];
  return [
    {
      name: DIMENSIONS[dimension],
      value: ({ label }) => label,
      show: (row) => <Name dimension={dimension} row={row} />,
    },
    { name: 'Total', isNumber: true, value: ({ value }) => value, show: ({ value }) => shownValue(value) },
    {
      name: 'Share',
      isNumber: true,
      value: ({ share }) => share,
      show: ({ share }) => (share === null ? '–' : percent(share)),
    },
    ...(isCompared ? before : []),
  ];
}

/** What leads to more about a row: a person to their page, a model, team or client to who used it. */
function Name({ dimension, row: { key, label } }: { dimension: Dimension; row: BreakdownRow }) {
  if (key === OTHER || key === TOTAL) return label;
  if (dimension === 'user') {
    return (
      <Link to="/people/$userId" params={{ userId: key }} search={(now) => now}>
        {label}
      </Link>
    );
  }
  const filter = { model: 'model', team: 'team_id', client: 'client' }[dimension as string];
  if (filter === undefined) return label;
  return (
    <Link to="/usage" search={(now) => ({ ...now, by: 'user', [filter]: key })}>
      {label}
    </Link>
  );
}
