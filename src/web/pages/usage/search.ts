import type { Dimension, Metric } from '../../api/analytics.js';

export const USAGE_METRICS = [
  ...(['billable_tokens', 'cost', 'input_tokens', 'output_tokens', 'cache_read_tokens'] as const),
  ...(['cache_write_tokens', 'model_calls', 'active_people'] as const),
] satisfies Metric[];
export const USAGE_DIMENSIONS = ['model', 'user', 'team', 'client'] as const satisfies Dimension[];
export const FILTERS = ['model', 'team_id', 'client', 'user_id'] as const;

export type Filter = (typeof FILTERS)[number];

/** The part of the address that is this page's own. */
export interface UsageSearch extends Readonly<Partial<Record<Filter, string>>> {
  readonly by: (typeof USAGE_DIMENSIONS)[number];
  readonly metric: (typeof USAGE_METRICS)[number];
}

export function readUsageSearch(raw: Readonly<Record<string, unknown>>): UsageSearch {
  const filters = FILTERS.flatMap((name) => (typeof raw[name] === 'string' ? [[name, raw[name]]] : []));
  return {
    by: USAGE_DIMENSIONS.find((key) => key === raw.by) ?? 'model',
    metric: USAGE_METRICS.find((key) => key === raw.metric) ?? 'billable_tokens',
    ...(Object.fromEntries(filters) as Partial<Record<Filter, string>>),
  };
}
