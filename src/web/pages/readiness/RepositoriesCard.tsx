import { Link } from '@tanstack/react-router';
import { useAllRows } from '../../api/paged.js';
import { type Repository, useRepositories } from '../../api/readiness.js';
import { Spark } from '../../charts/Spark.js';
import { ago, instant, whole } from '../../format.js';
import { Asked } from '../../ui/Asked.js';
import { Card } from '../../ui/Card.js';
import type { Column } from '../../ui/column.js';
import { DataTable } from '../../ui/DataTable.js';
import { TextField } from '../../ui/Field.js';
import { LoadMore } from '../../ui/LoadMore.js';
import { useNow } from '../../ui/use-now.js';
import { Level } from './Level.js';
import { NoReports } from './NoReports.js';
import { points, score } from './scores.js';
import { isFound } from './search.js';
import styles from './Readiness.module.css';

interface Props {
  readonly find: string;
  readonly onFind: (text: string) => void;
}

export function RepositoriesCard({ find, onFind }: Props) {
  const query = useRepositories();
  useAllRows(query.data, find !== '');
  return (
    <Card title="Repositories">
      <Asked query={query} empty={({ rows }) => (rows.length === 0 ? <NoReports /> : null)}>
        {(list) => {
          const found = list.rows.filter(({ repoId }) => isFound(repoId, find));
          return (
            <div className={styles.stack}>
              <TextField
                label="Find a repository"
                type="search"
                value={find}
                onChange={({ target }) => onFind(target.value)}
              />
              {found.length === 0 ? <p>No repository has that name.</p> : <Repositories repositories={found} />}
              <LoadMore list={list} />
            </div>
          );
        }}
      </Asked>
    </Card>
  );
}

function Repositories({ repositories }: { repositories: readonly Repository[] }) {
  const nowMs = useNow(60_000);
  const columns: Column<Repository>[] = [
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
    { name: 'Level', show: ({ level, levelName }) => <Level level={level} name={levelName} /> },
    { name: 'Score', isNumber: true, show: (repository) => score(repository.score) },
    { name: 'Since the report before', isNumber: true, show: (repository) => <Change repository={repository} /> },
    {
      name: 'Trend',
      show: ({ trend }) => (trend.length > 1 ? <Spark values={trend.map((report) => report.score)} /> : '–'),
    },
    {
      name: 'Failing criteria',
      isNumber: true,
      show: ({ failing, criteria }) => `${whole(failing)} of ${whole(criteria)}`,
    },
    {
      name: 'Evaluated',
      show: ({ createdAt }) => (
        <span className={styles.instant} title={instant(createdAt)}>
          {ago(createdAt, nowMs)}
        </span>
      ),
    },
  ];
  return <DataTable caption="Repositories" columns={columns} rows={repositories} keyOf={({ repoId }) => repoId} />;
}

function Change({ repository: { scoreChange, improved, worsened } }: { repository: Repository }) {
  if (scoreChange === null) return 'first report';
  return (
    <>
      {points(scoreChange)}
      <div className={styles.note}>
        {whole(improved)} better, {whole(worsened)} worse
      </div>
    </>
  );
}
