import type { ActivityMetric } from './metrics.js';
import type { ClassSums } from './questions.repository.js';

/** What one person did on some days. */
export interface PersonFacts {
  readonly calls: readonly (ClassSums & { readonly day: string })[];
  /** Only days on which the person was active. */
  readonly activity: readonly ({ readonly day: string } & Record<ActivityMetric, bigint>)[];
  readonly tools: readonly { readonly tool: string; readonly count: bigint }[];
}

export const NO_FACTS: PersonFacts = { calls: [], activity: [], tools: [] };
