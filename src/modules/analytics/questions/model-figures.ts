import { type Figures, sumKnown, sumTold } from './figures.js';
import { MODEL_METRICS, type ModelMetric } from './metrics.js';
import { Money } from './money.js';
import type { ClassSums } from './questions.repository.js';
import type { RateTable } from './rate-table.js';

export type ModelFigures = Figures<ModelMetric | 'cost' | 'reported_cost'>;

export const MODEL_FIGURES = [...(Object.keys(MODEL_METRICS) as ModelMetric[]), 'cost', 'reported_cost'] as const;

/** What some model calls come to, and what their cost leaves out. */
export function modelFigures(calls: readonly ClassSums[], rates: RateTable): { figures: ModelFigures; money: Money } {
  const money = new Money(rates);
  for (const sums of calls) money.add(sums);
  const sum = (of: (sums: ClassSums) => bigint | null) => sumKnown(calls.map(of));
  const figures = {
    billable_tokens: sum(({ billable }) => billable),
    input_tokens: sum(({ input }) => input),
    output_tokens: sum(({ output }) => output),
    cache_read_tokens: sum(({ knownCacheRead }) => knownCacheRead),
    cache_write_tokens: sum(({ knownCacheWrite }) => knownCacheWrite),
    model_calls: sum(({ calls: count }) => count),
    cost: money.amount,
    reported_cost: sumTold(calls.map(({ reportedCost }) => reportedCost)),
  };
  return { figures, money };
}
