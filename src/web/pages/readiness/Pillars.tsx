import type { ReportDetail } from '../../api/readiness.js';
import { Card } from '../../ui/Card.js';
import { score } from './scores.js';
import styles from './Readiness.module.css';

/** The mean of the criteria of each pillar. */
export function Pillars({ pillars }: { pillars: ReportDetail['pillars'] }) {
  return (
    <Card title="Pillars">
      <dl className={styles.pillars}>
        {pillars.map(({ name, score: value, criteria }) => (
          <div key={name}>
            <dt>
              {name} <span className={styles.note}>({criteria.length})</span>
            </dt>
            <dd className={styles.track} aria-hidden="true">
              <div className={styles.fill} style={{ width: `${(value ?? 0) * 100}%` }} />
            </dd>
            <dd>{score(value)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
