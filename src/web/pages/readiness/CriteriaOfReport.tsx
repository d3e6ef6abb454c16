import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReportDetail } from '../../api/readiness.js';
import { Card } from '../../ui/Card.js';
import { Choice } from '../../ui/Choice.js';
import type { Column } from '../../ui/column.js';
import { DataTable } from '../../ui/DataTable.js';
import { CriterionState } from './CriterionState.js';
import { stateOf } from './scores.js';
import styles from './Readiness.module.css';

type Row = ReportDetail['report'][string] & { readonly criterion: string; readonly pillar: string };

const SHOWN = { all: 'All', failing: 'Failing', met: 'Met' };

const COLUMNS: Column<Row>[] = [
  {
    name: 'Criterion',
    show: ({ criterion }) => (
      <Link to="/readiness/criteria/$criterion" params={{ criterion }}>
        {criterion}
      </Link>
    ),
  },
  { name: 'Pillar', show: ({ pillar }) => pillar },
  { name: 'State', show: (row) => <CriterionState count={row} /> },
  { name: 'Why', show: ({ rationale }) => <div className={styles.rationale}>{rationale || '–'}</div> },
];

export function CriteriaOfReport({ report }: { report: ReportDetail }) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const shown = (
    typeof search.state === 'string' && search.state in SHOWN ? search.state : 'all'
  ) as keyof typeof SHOWN;
  const rows = report.pillars
    .flatMap(({ name: pillar, criteria }) =>
      criteria.flatMap((criterion): Row[] => {
        const found = report.report[criterion];
        return found ? [{ ...found, criterion, pillar }] : [];
      }),
    )
    .filter((row) => shown === 'all' || (stateOf(row) === 'met') === (shown === 'met'));
  return (
    <Card
      title="Criteria"
      actions={
        <Choice
          name="Show"
          value={shown}
          options={SHOWN}
          onChoose={(next) => void navigate({ to: '.', search: (now) => ({ ...now, state: next }) })}
        />
      }
    >
      <DataTable caption="Criteria" columns={COLUMNS} rows={rows} keyOf={({ criterion }) => criterion} />
    </Card>
  );
}
