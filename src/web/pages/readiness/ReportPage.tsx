import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReportDetail, useReport } from '../../api/readiness.js';
import { Asked } from '../../ui/Asked.js';
import { Card } from '../../ui/Card.js';
import { OutsideLink } from '../../ui/OutsideLink.js';
import { Page } from '../../ui/Page.js';
import { ComparisonCard } from './ComparisonCard.js';
import { CriteriaOfReport } from './CriteriaOfReport.js';
import { Level } from './Level.js';
import { Pillars } from './Pillars.js';
import { instant } from '../../format.js';
import { score } from './scores.js';
import styles from './Readiness.module.css';

/** What an evaluation of one repository found. */
export function ReportPage() {
  const { reportId } = useParams({ strict: false });
  const report = useReport(reportId);
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const against = typeof search.against === 'string' ? search.against : undefined;
  return (
    <Page title={report.data ? shortName(report.data.repoUrl) : 'Readiness report'}>
      <p className={styles.note}>
        <Link to="/readiness">All repositories</Link>
      </p>
      <Asked query={report}>
        {(found) => (
          <div className={styles.stack}>
            <Facts report={found} />
            <Pillars pillars={found.pillars} />
            <ComparisonCard
              report={found}
              against={against}
              onAgainst={(next) => void navigate({ to: '.', search: (now) => ({ ...now, against: next }) })}
            />
            <CriteriaOfReport report={found} />
          </div>
        )}
      </Asked>
    </Page>
  );
}

/** The last parts of an address; a page's title is no place for a whole one. */
function shortName(repoUrl: string): string {
  return repoUrl
    .replace(/\.git$/, '')
    .split(/[/:]/)
    .slice(-2)
    .join('/');
}

function Facts({ report }: { report: ReportDetail }) {
  const { repoUrl, level, levelName, createdAt, branch, commitHash, modelUsed, agentVersion, hasLocalChanges } = report;
  const facts: [string, string | undefined][] = [
    ['Evaluated', instant(new Date(createdAt).toISOString())],
    ['Branch', branch],
    ['Commit', commitHash?.slice(0, 12)],
    ['Model', modelUsed && `${modelUsed.id}, ${modelUsed.reasoningEffort}`],
    ['Agent', agentVersion],
    ['Working tree', hasLocalChanges ? 'with changes of its own' : undefined],
  ];
  return (
    <Card title="Result">
      <dl className={styles.facts}>
        <div>
          <dt>Level</dt>
          <dd className={styles.big}>
            <Level level={level} name={levelName} />
          </dd>
        </div>
        <div>
          <dt>Score</dt>
          <dd className={styles.big}>{score(report.score)}</dd>
        </div>
        <div>
          <dt>Repository</dt>
          <dd>
            <OutsideLink address={repoUrl}>{repoUrl}</OutsideLink>
          </dd>
        </div>
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </Card>
  );
}
