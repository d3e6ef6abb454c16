import { useNavigate, useSearch } from '@tanstack/react-router';
import { RangePicker } from '../../shell/RangePicker.js';
import { periodOf } from '../../shell/search.js';
import { Choice } from '../../ui/Choice.js';
import { BreakdownCard } from '../usage/BreakdownCard.js';
import type { Metric } from '../../api/analytics.js';

const METRICS: Partial<Record<Metric, string>> = {
  billable_tokens: 'Billable tokens',
  cost: 'Cost (estimate)',
  sessions: 'Sessions',
  messages: 'Messages',
  tool_calls: 'Tool calls',
  git_commits: 'Commits',
  git_prs_created: 'Pull requests',
};

export function PeoplePage() {
  const search = useSearch({ strict: false });
  const metric = (
    typeof search.metric === 'string' && search.metric in METRICS ? search.metric : 'billable_tokens'
  ) as Metric;
  const navigate = useNavigate();
  return (
    <>
      <h1>People</h1>
      <RangePicker />
      <Choice
        name="Sorted by"
        value={metric}
        options={METRICS}
        onChoose={(next) => void navigate({ to: '.', search: (now) => ({ ...now, metric: next }) })}
      />
      <BreakdownCard
        title={`${METRICS[metric] ?? metric} by person`}
        period={periodOf(search)}
        dimension="user"
        metric={metric}
      />
    </>
  );
}
