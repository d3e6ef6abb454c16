import { groupedBy } from '../../../common/grouped-by.js';
import { Money } from './money.js';
import type { AnalyticsRange } from '../analytics-range.js';
import type { PriceList } from '../../../prices/price-list.js';
import { type Figures, SUMMARY_METRICS } from './figures.js';
import type { ActivityMetric, SummaryMetric } from './metrics.js';
import { modelFigures, type ModelFigures } from './model-figures.js';
import type { PersonFacts } from './person-facts.js';
import { eachActivity } from './questions.repository.js';
import { RateTable } from './rate-table.js';

export type PersonMetric = Exclude<SummaryMetric, 'active_people'>;
export const PERSON_METRICS = SUMMARY_METRICS.filter((metric): metric is PersonMetric => metric !== 'active_people');

/** The figures of one person, exact. */
export interface Person {
  readonly totals: Figures<PersonMetric | 'active_days'>;
  /** In order. */
  readonly days: readonly { readonly date: string; readonly figures: Figures<PersonMetric> }[];
  /** Most billable tokens first. */
  readonly models: readonly { readonly model: string; readonly figures: ModelFigures }[];
  readonly tools: PersonFacts['tools'];
  readonly money: Money;
}

/** `dates`: every day that has a row, active or not. */
export function personOf(
  facts: PersonFacts,
  dates: readonly string[],
  prices: PriceList,
  range: AnalyticsRange,
): Person {
  const rates = RateTable.of(prices, facts.calls, range);
  const calls = facts.calls.map((sums) => ({ ...sums, segment: rates.segmentOf(sums.day) }));
  const all = modelFigures(calls, rates);
  const activityOf = new Map(facts.activity.map((activity) => [activity.day, activity]));
  const callsOf = groupedBy(calls, ({ day }) => day);
  return {
    totals: { ...all.figures, ...sumActivity(facts), active_days: BigInt(facts.activity.length) },
    days: dates.map((date) => ({
      date,
      figures: {
        ...modelFigures(callsOf.get(date) ?? [], rates).figures,
        ...eachActivity((metric) => activityOf.get(date)?.[metric] ?? 0n),
      },
    })),
    models: [...groupedBy(calls, ({ model }) => model)]
      .map(([model, own]) => ({ model, figures: modelFigures(own, rates).figures }))
      .sort((a, b) => descending(a.figures.billable_tokens, b.figures.billable_tokens) || (a.model < b.model ? -1 : 1)),
    tools: facts.tools,
    money: all.money,
  };
}

function sumActivity({ activity }: PersonFacts): Record<ActivityMetric, bigint> {
  return eachActivity((metric) => activity.reduce((sum, day) => sum + day[metric], 0n));
}

export function descending(a: bigint | null, b: bigint | null): number {
  return Number((b ?? 0n) > (a ?? 0n)) - Number((a ?? 0n) > (b ?? 0n));
}

/** Days of several sources, which have none in common. */
export function joined(a: PersonFacts, b: PersonFacts): PersonFacts {
  const counts = new Map<string, bigint>();
  for (const { tool, count } of [...a.tools, ...b.tools]) counts.set(tool, (counts.get(tool) ?? 0n) + count);
  const tools = [...counts].map(([tool, count]) => ({ tool, count }));
  return {
    calls: [...a.calls, ...b.calls],
    activity: [...a.activity, ...b.activity],
    tools: tools.sort((x, y) => descending(x.count, y.count) || (x.tool < y.tool ? -1 : 1)),
  };
}
