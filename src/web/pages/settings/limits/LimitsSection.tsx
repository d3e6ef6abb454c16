import { useLimits } from '../../../api/limits.js';
import { Asked } from '../../../ui/Asked.js';
import { Card } from '../../../ui/Card.js';
import { LoadMore } from '../../../ui/LoadMore.js';
import { LimitsForm } from './LimitsForm.js';
import styles from '../parts.module.css';

export function LimitsSection() {
  return (
    <Card title="Credit limits">
      <div className={styles.form}>
        <p className={styles.note}>
          Billable tokens of a person in a calendar month (UTC). At the limit, new messages to agents are refused until
          the month ends; what already runs goes on. The forecast is what the month ends with at the pace so far.
        </p>
        <Asked query={useLimits()}>
          {(list) => (
            <>
              <LimitsForm rows={list.rows} />
              <LoadMore list={list} />
            </>
          )}
        </Asked>
      </div>
    </Card>
  );
}
