import { Link } from '@tanstack/react-router';
import { useAllRows } from '../../api/paged.js';
import { type CriterionTotals, useCriteria } from '../../api/readiness.js';
import { percent, whole } from '../../format.js';
import { Asked } from '../../ui/Asked.js';
import { Card } from '../../ui/Card.js';
import type { Column } from '../../ui/column.js';
import { DataTable } from '../../ui/DataTable.js';
import { TextField } from '../../ui/Field.js';
import { LoadMore } from '../../ui/LoadMore.js';
import { NoReports } from './NoReports.js';
import { isFound } from './search.js';
import styles from './Readiness.module.css';

const COLUMNS: Column<CriterionTotals>[] = [
  {
    name: 'Criterion',
    show: ({ criterion }) => (
      <Link to="/readiness/criteria/$criterion" params={{ criterion }}>
        {criterion}
      </Link>
    ),
  },
  { name: 'Pillar', show: ({ pillar }) => pillar },
  { name: 'Repositories', isNumber: true, show: ({ repositories }) => whole(repositories) },
  { name: 'Met', isNumber: true, show: ({ met }) => whole(met) },
  { name: 'Failing', isNumber: true, show: ({ failing }) => whole(failing) },
  { name: 'Share met', isNumber: true, show: ({ met, repositories }) => percent(met / repositories) },
];

export function CriteriaCard({ find, onFind }: { find: string; onFind: (text: string) => void }) {
  const query = useCriteria();
  useAllRows(query.data, find !== '');
  return (
    <Card title="Criteria">
      <Asked query={query} empty={({ rows }) => (rows.length === 0 ? <NoReports /> : null)}>
        {(list) => {
          const found = list.rows.filter(({ criterion, pillar }) => isFound(`${criterion} ${pillar}`, find));
          return (
            <div className={styles.stack}>
              <TextField
                label="Find a criterion or pillar"
                type="search"
                value={find}
                onChange={({ target }) => onFind(target.value)}
              />
              {found.length === 0 ? (
                <p>No criterion has that name.</p>
              ) : (
                <DataTable caption="Criteria" columns={COLUMNS} rows={found} keyOf={({ criterion }) => criterion} />
              )}
              <LoadMore list={list} />
            </div>
          );
        }}
      </Asked>
    </Card>
  );
}
