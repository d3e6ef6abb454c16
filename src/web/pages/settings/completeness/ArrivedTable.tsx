import type { CompletenessRow } from '../../../api/completeness.js';
import { day, percent, whole } from '../../../format.js';
import { DataTable } from '../../../ui/DataTable.js';

const count = (value: number | null) => (value === null ? '–' : whole(value));

/** Newest day first. */
export function ArrivedTable({ rows }: { rows: readonly CompletenessRow[] }) {
  return (
    <DataTable
      caption="What arrived by day and client"
      rows={[...rows].reverse()}
      keyOf={({ date, client }) => `${date} ${client}`}
      columns={[
        { name: 'Day', show: ({ date }) => <time dateTime={date}>{day(date)}</time> },
        { name: 'Through', show: ({ client }) => client },
        { name: 'Arrived', isNumber: true, show: ({ arrived }) => count(arrived) },
        { name: 'Sent again', isNumber: true, show: ({ duplicates }) => whole(duplicates) },
        { name: 'Refused', isNumber: true, show: ({ rejected }) => whole(rejected) },
        { name: 'Ignored', isNumber: true, show: ({ ignored }) => whole(ignored) },
        { name: 'Share that arrived', isNumber: true, show: ({ coverage }) => shownCoverage(coverage) },
      ]}
    />
  );
}

/** Of what the agent says it has sent; unknown when it says nothing. */
function shownCoverage({ value, missing, unit }: CompletenessRow['coverage']): string {
  if (value === null) return 'unknown';
  const share = percent(Math.min(value, 1));
  return missing ? `${share} (${whole(missing)} ${unit?.replace('_', ' ') ?? ''} missing)` : share;
}
