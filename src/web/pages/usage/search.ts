import type { Dimension, Metric } from '../../api/analytics.js';
import { DIMENSIONS, METRICS } from './metrics.js';

/** The part of the address that is this page's own. */
export interface UsageSearch {
  readonly by?: Dimension;
  readonly metric?: Metric;
}

export function readUsageSearch(raw: Record<string, unknown>): Required<UsageSearch> {
  return {
    by: typeof raw.by === 'string' && raw.by in DIMENSIONS ? (raw.by as Dimension) : 'model',
    metric: typeof raw.metric === 'string' && raw.metric in METRICS ? (raw.metric as Metric) : 'billable_tokens',
  };
}
