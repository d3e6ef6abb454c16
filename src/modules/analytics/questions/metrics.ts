import { InvalidRequestError } from '../../../common/errors/domain-error.js';
import { NAME_KIND, type NameKind } from '../../ingest/event-codes.js';

/* What may be asked: every metric, every dimension, which of them go together, and which filters they take. */

/** Columns of `user_model_facts` and `day_model_facts`. */
export const MODEL_METRICS = {
  billable_tokens: 'billable',
  input_tokens: 'input',
  output_tokens: 'output',
  cache_read_tokens: 'cache_read',
  cache_write_tokens: 'cache_write',
  model_calls: 'calls',
} as const;
export type ModelMetric = keyof typeof MODEL_METRICS;

/** Columns of `user_facts` and `day_facts` that are added up. */
export const ACTIVITY_METRICS = {
  sessions: ['sessions'],
  messages: ['user_messages', 'assistant_messages'],
  user_messages: ['user_messages'],
  tool_calls: ['tool_calls'],
  files_created: ['files_created'],
  files_edited: ['files_edited'],
  git_commits: ['git_commits'],
  git_prs_created: ['git_prs_created'],
} as const;
export type ActivityMetric = keyof typeof ACTIVITY_METRICS;

export type Metric = ModelMetric | ActivityMetric | 'cost' | 'active_people' | 'count';
/** What agents say that their calls cost is no metric, but told beside `cost`. */
export type SummaryMetric = Exclude<Metric, 'count'> | 'reported_cost';

const MODEL_METRIC_NAMES = Object.keys(MODEL_METRICS) as ModelMetric[];
export const ACTIVITY_METRIC_NAMES = Object.keys(ACTIVITY_METRICS) as ActivityMetric[];
const TOKENS_AND_COST: readonly Metric[] = [...MODEL_METRIC_NAMES.slice(0, -1), 'cost', 'model_calls'];

export const METRICS: readonly Metric[] = [...TOKENS_AND_COST, 'active_people', ...ACTIVITY_METRIC_NAMES, 'count'];
export const isModelMetric = (metric: string): metric is ModelMetric => metric in MODEL_METRICS;
export const isActivityMetric = (metric: string): metric is ActivityMetric => metric in ACTIVITY_METRICS;

interface DimensionRules {
  readonly metrics: readonly Metric[];
  /** Rows are names of this kind. */
  readonly names?: NameKind;
  /** Names are one row whatever their letter case. */
  readonly isFolded?: boolean;
}

const ofNames = (names: NameKind, more: Partial<DimensionRules> = {}): DimensionRules => ({
  metrics: ['count', 'active_people'],
  names,
  ...more,
});

export const DIMENSIONS = {
  model: { metrics: [...TOKENS_AND_COST, 'active_people'], names: NAME_KIND.model },
  user: { metrics: [...TOKENS_AND_COST, ...ACTIVITY_METRIC_NAMES] },
  team: { metrics: [...TOKENS_AND_COST, 'active_people', ...ACTIVITY_METRIC_NAMES] },
  client: { metrics: [...TOKENS_AND_COST, 'active_people'] },
  tool: ofNames(NAME_KIND.tool, { metrics: ['count', 'tool_calls', 'active_people'] }),
  server: ofNames(NAME_KIND.mcpServer, { isFolded: true }),
  skill: ofNames(NAME_KIND.skill),
  command: ofNames(NAME_KIND.slashCommand),
  hook: ofNames(NAME_KIND.hook),
  language: ofNames(NAME_KIND.language),
  extension: ofNames(NAME_KIND.extension),
} as const satisfies Record<string, DimensionRules>;
export type Dimension = keyof typeof DIMENSIONS;
export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as Dimension[];
export const rulesOf = (dimension: Dimension): DimensionRules => DIMENSIONS[dimension];

/** The facts from which figures come. */
export type FactSource = 'models' | 'activity' | 'names';

export function sourceOf(dimension: Dimension, metric: Metric): FactSource {
  if (isModelMetric(metric) || metric === 'cost' || dimension === 'model') return 'models';
  return rulesOf(dimension).names === undefined ? 'activity' : 'names';
}

const FILTERS = {
  models: ['user_id', 'team_id', 'client', 'model'],
  activity: ['user_id', 'team_id'],
  names: ['user_id', 'team_id'],
} as const satisfies Record<FactSource, readonly string[]>;
export type FilterName = (typeof FILTERS)['models'][number];
export type Filters = Readonly<Partial<Record<FilterName, string>>>;

/** The key of the people that had no team on a day, and of what was not recorded. */
export const NO_TEAM = '(none)';
export const UNKNOWN = '(unknown)';

export interface Slice {
  readonly dimension: Dimension;
  readonly metric: Metric;
  readonly filters: Filters;
}

/** Throws unless the dimension has the metric, and the metric the filters. */
export function checkSlice({ dimension, metric, filters }: Slice): void {
  const { metrics } = rulesOf(dimension);
  if (!metrics.includes(metric)) {
    throw InvalidRequestError.ofField(
      'metric',
      `dimension ${dimension} has no ${metric}; it has ${metrics.join(', ')}`,
    );
  }
  const allowed: readonly string[] = FILTERS[sourceOf(dimension, metric)];
  const wrong = Object.keys(filters).find((name) => !allowed.includes(name));
  if (wrong !== undefined) {
    const detail = `${metric} by ${dimension} cannot be filtered by ${wrong}; it can by ${allowed.join(', ')}`;
    throw InvalidRequestError.ofField(wrong, detail);
  }
}
