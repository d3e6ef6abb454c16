import { AggregationJob } from '../../src/modules/analytics/aggregation/aggregation.job.js';
import type { TestApp } from './test-app.js';

/** Nothing is aggregated until a test asks for it. */
export function stopAggregation(app: TestApp): Promise<void> {
  return app.nest.get(AggregationJob).onApplicationShutdown();
}
