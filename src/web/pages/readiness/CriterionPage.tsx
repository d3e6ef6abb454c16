import { Link, useParams } from '@tanstack/react-router';
import { type CriterionInRepository, useCriterion } from '../../api/readiness.js';
import { Asked } from '../../ui/Asked.js';
import { Badge } from '../../ui/Badge.js';
import { Card } from '../../ui/Card.js';
import type { Column } from '../../ui/column.js';
import { DataTable } from '../../ui/DataTable.js';
import { LoadMore } from '../../ui/LoadMore.js';
import { Page } from '../../ui/Page.js';
import { CriterionState } from './CriterionState.js';
import { countOf } from './scores.js';
import styles from './Readiness.module.css';

const COLUMNS: Column<CriterionInRepository>[] = [
  {
    name: 'Repository',
    show: ({ repoId, reportId }) => (
      <div className={styles.repository}>
        <Link to="/readiness/reports/$reportId" params={{ reportId }}>
          {repoId}
        </Link>
      </div>
    ),
  },
  { name: 'State', show: (row) => <CriterionState count={row} /> },
  { name: 'In the report before', show: ({ before }) => countOf(before) },
  { name: 'Why', show: ({ rationale }) => <div className={styles.rationale}>{rationale || '–'}</div> },
];

/** One criterion through the repositories. */
export function CriterionPage() {
  const { criterion = '' } = useParams({ strict: false });
  const query = useCriterion(criterion);
  const pillar = query.data?.rows[0]?.pillar;
  return (
    <Page title={criterion} beside={pillar && <Badge>{pillar}</Badge>}>
      <p className={styles.note}>
        <Link to="/readiness" search={(now) => ({ ...now, show: 'criteria' })}>
          All criteria
        </Link>
      </p>
      <Card title="In each repository">
        <Asked query={query}>
          {(list) => (
            <div className={styles.stack}>
              <DataTable
                caption="In each repository"
                columns={COLUMNS}
                rows={list.rows}
                keyOf={({ repoId }) => repoId}
              />
              <LoadMore list={list} />
            </div>
          )}
        </Asked>
      </Card>
    </Page>
  );
}
