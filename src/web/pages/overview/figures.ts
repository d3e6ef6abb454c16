import type { SummaryAnswer } from '../../api/analytics.js';
import { compact, dollars, whole } from '../../format.js';

type Figures = SummaryAnswer['data']['current'];
export type OverviewMetric = keyof Figures;

const count = (value: number | string | null) => (value === null ? '–' : compact(Number(value)));

/** The cards of the page, with what each of them counts. */
export const OVERVIEW_FIGURES: readonly {
  readonly metric: OverviewMetric;
  readonly name: string;
  readonly definition: string;
  readonly show: (value: number | string | null) => string;
}[] = [
  {
    metric: 'active_people',
    name: 'Active people',
    definition: 'People with any event in the range, each counted once.',
    show: (value) => whole(Number(value ?? 0)),
  },
  { metric: 'sessions', name: 'Sessions', definition: 'Sessions that began.', show: count },
  {
    metric: 'billable_tokens',
    name: 'Billable tokens',
    definition: 'Input, output and cached tokens, weighted as credits are.',
    show: count,
  },
  {
    metric: 'cost',
    name: 'Cost (estimate)',
    definition: 'Tokens at dated list prices; tokens without a price are left out.',
    show: (value) => dollars(value === null ? null : String(value)),
  },
  { metric: 'tool_calls', name: 'Tool calls', definition: 'Calls of tools by agents.', show: count },
  { metric: 'git_prs_created', name: 'Pull requests', definition: 'Pull requests opened by agents.', show: count },
];
