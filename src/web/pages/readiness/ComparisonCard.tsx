import { Link } from '@tanstack/react-router';
import { type ReportDetail, useReport, useReportsOf } from '../../api/readiness.js';
import { instant } from '../../format.js';
import { Asked } from '../../ui/Asked.js';
import { Card } from '../../ui/Card.js';
import { SelectField } from '../../ui/Field.js';
import { compare, countOf, type Difference, points } from './scores.js';
import styles from './Readiness.module.css';

interface Props {
  readonly report: ReportDetail;
  /** Absent: the report before. */
  readonly against: string | undefined;
  readonly onAgainst: (reportId: string) => void;
}

/** What differs from the report before, or from any other of the same repository. */
export function ComparisonCard({ report, against, onAgainst }: Props) {
  const reports = useReportsOf(report.repoUrl);
  const before = against ?? report.changes.previousReportId ?? undefined;
  const other = useReport(before);
  const others = (reports.data ?? []).filter(({ reportId }) => reportId !== report.reportId);
  const options = Object.fromEntries(
    others.map(({ reportId, createdAt }) => [reportId, instant(new Date(createdAt).toISOString())]),
  );
  return (
    <Card title="What changed">
      {before === undefined ? (
        <p className={styles.note}>This is the first report of the repository: there is nothing to compare it with.</p>
      ) : (
        <div className={styles.stack}>
          {others.length > 0 && (
            <SelectField
              label="Compared with the report of"
              value={before}
              options={options}
              onChange={({ target }) => onAgainst(target.value)}
            />
          )}
          <Asked query={other}>{(found) => <Differences report={report} before={found} />}</Asked>
        </div>
      )}
    </Card>
  );
}

function Differences({ report, before }: { report: ReportDetail; before: ReportDetail }) {
  const { improved, worsened, added, removed } = compare(before.report, report.report);
  const lists: [string, readonly Difference[]][] = [
    ['Better', improved],
    ['Worse', worsened],
    ['New', added],
    ['No longer evaluated', removed],
  ];
  const shown = lists.filter(([, differences]) => differences.length > 0);
  return (
    <div className={styles.stack}>
      <p>
        Score {points(report.score - before.score)}; level {before.level} then, {report.level} in this report.{' '}
        <Link to="/readiness/reports/$reportId" params={{ reportId: before.reportId }}>
          Open the other report
        </Link>
      </p>
      {shown.length === 0 && <p>No criterion differs.</p>}
      <div className={styles.columns}>
        {shown.map(([name, differences]) => (
          <section key={name}>
            <h3>
              {name} ({differences.length})
            </h3>
            <ul>
              {differences.map(({ criterion, before: was, after: is }) => (
                <li key={criterion}>
                  <Link to="/readiness/criteria/$criterion" params={{ criterion }}>
                    {criterion}
                  </Link>{' '}
                  <span className={styles.note}>
                    {countOf(was)} → {countOf(is)}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  );
}
