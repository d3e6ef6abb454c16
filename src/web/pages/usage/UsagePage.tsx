import { useNavigate, useSearch } from '@tanstack/react-router';
import { RangePicker } from '../../shell/RangePicker.js';
import { periodOf } from '../../shell/search.js';
import { Choice } from '../../ui/Choice.js';
import { BreakdownCard } from './BreakdownCard.js';
import { DIMENSIONS, METRICS } from './metrics.js';
import { readUsageSearch, type UsageSearch } from './search.js';

export function UsagePage() {
  const search = useSearch({ strict: false });
  const { by, metric } = readUsageSearch(search);
  const navigate = useNavigate();
  const choose = (next: UsageSearch) => void navigate({ to: '.', search: (now) => ({ ...now, ...next }) });
  return (
    <>
      <h1>Usage &amp; cost</h1>
      <RangePicker />
      <Choice name="By" value={by} options={DIMENSIONS} onChoose={(dimension) => choose({ by: dimension })} />
      <Choice
        name="Metric"
        value={metric}
        options={Object.fromEntries(Object.entries(METRICS).map(([key, { name }]) => [key, name]))}
        onChoose={(next) => choose({ metric: next })}
      />
      <p>{METRICS[metric]?.definition}</p>
      <BreakdownCard
        title={`${METRICS[metric]?.name ?? metric} by ${DIMENSIONS[by]?.toLowerCase() ?? by}`}
        period={periodOf(search)}
        dimension={by}
        metric={metric}
      />
    </>
  );
}
