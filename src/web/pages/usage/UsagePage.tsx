import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Question } from '../../api/analytics.js';
import { BreakdownCard } from '../../breakdown/BreakdownCard.js';
import { DIMENSIONS, METRICS, named } from '../../breakdown/metrics.js';
import { RangePicker } from '../../shell/RangePicker.js';
import { periodOf } from '../../shell/search.js';
import { Choice } from '../../ui/Choice.js';
import { Page } from '../../ui/Page.js';
import { Filters } from './Filters.js';
import { readUsageSearch, USAGE_DIMENSIONS, USAGE_METRICS } from './search.js';
import styles from './Usage.module.css';

export function UsagePage() {
  const search = useSearch({ strict: false });
  const { by, metric, ...filters } = readUsageSearch(search);
  const navigate = useNavigate();
  const choose = (next: object) => void navigate({ to: '.', search: (now) => ({ ...now, ...next }) });
  return (
    <Page title="Usage & cost">
      <RangePicker />
      <div className={styles.choices}>
        <Choice
          name="By"
          value={by}
          options={named(USAGE_DIMENSIONS, DIMENSIONS)}
          onChoose={(dimension) => choose({ by: dimension })}
        />
        <Choice
          name="Metric"
          value={metric}
          options={named(USAGE_METRICS, METRICS)}
          onChoose={(next) => choose({ metric: next })}
        />
      </div>
      <Filters filters={filters} onRemove={(name) => choose({ [name]: undefined })} />
      <p className={styles.definition}>{METRICS[metric].definition}</p>
      <BreakdownCard
        title={`${METRICS[metric].name} by ${DIMENSIONS[by].toLowerCase()}`}
        period={periodOf(search)}
        dimension={by}
        metric={metric}
        filters={filters as Partial<Question>} // whatever the address says; the service refuses what it does not know
      />
    </Page>
  );
}
