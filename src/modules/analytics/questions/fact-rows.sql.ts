import type { SqlParameters } from '../../../database/sql-parameters.js';
import { CLIENT_CODE, type ClientType, NAME_KIND } from '../../ingest/event-codes.js';
import {
  ACTIVITY_METRICS,
  type Dimension,
  type Filters,
  isActivityMetric,
  isModelMetric,
  type Metric,
  type ModelMetric,
  MODEL_METRICS,
  NO_TEAM,
  rulesOf,
  type Slice,
  sourceOf,
} from './metrics.js';
import type { SegmentRates } from './rate-table.js';
import type { Rates } from '../../../prices/price-list.js';

/** The days of a range with the version that is read of each. */
export interface PinnedDays {
  readonly days: readonly string[];
  readonly versions: readonly string[];
  /** The days with which later segments of the price list begin; before them it is segment 0. */
  readonly segments: readonly string[];
}

/** SQL of the rows that a figure is made of, one for each fact `f`; the organization is the first parameter, `$1`. */
export interface FactRows {
  readonly from: string;
  /** A number, id or code for which a row of the answer stands. */
  readonly key: string;
  readonly person: string;
}

interface RowsOptions {
  readonly slice: Slice;
  readonly days: PinnedDays;
  /** Without it, figures come from the sums of days where that is possible. */
  readonly hasKey: boolean;
  /** Only these users. */
  readonly userIds?: readonly string[];
}

const TABLES = {
  models: { people: 'user_model_facts', days: 'day_model_facts' },
  activity: { people: 'user_facts', days: 'day_facts' },
  names: { people: 'user_facts', days: 'name_facts' },
} as const;
/** Codes of clients; 0: a day whose raw events were gone before there were facts. */
const CLIENTS_OF_PERSON = `
  CROSS JOIN LATERAL (SELECT c.code FROM unnest(ARRAY[${Object.values(CLIENT_CODE).join(', ')}]) AS c (code)
                       WHERE f.clients & (1 << c.code) > 0
                       UNION ALL SELECT 0 WHERE f.clients IS NULL) AS c (code)`;
const NAMES_OF_PERSON = `CROSS JOIN LATERAL unnest(f.name_ids, f.name_counts) AS x (name_id, n)`;

export function factRows(p: SqlParameters, { slice, days, hasKey, userIds }: RowsOptions): FactRows {
  const { dimension, metric, filters } = slice;
  const source = sourceOf(dimension, metric);
  const isPersonal =
    metric === 'active_people' ||
    filters.user_id !== undefined ||
    filters.team_id !== undefined ||
    (hasKey && (dimension === 'user' || dimension === 'team'));
  const isTeamed = filters.team_id !== undefined || (hasKey && dimension === 'team');
  const isUnnested = source === 'names' && isPersonal;
  const isByClients = source === 'activity' && dimension === 'client';
  const nameKind = rulesOf(dimension).names;
  return {
    from: `
      FROM ${TABLES[source][isPersonal ? 'people' : 'days']} f
      ${isTeamed ? JOIN_TEAMS : ''} ${isUnnested ? NAMES_OF_PERSON : ''} ${isByClients ? CLIENTS_OF_PERSON : ''}
     WHERE f.org_id = $1 AND ${isPinned(p, days)}
       ${userIds ? `AND f.user_id = ANY (${p.add(userIds)}::uuid[])` : ''}
       ${isUnnested ? `AND x.name_id IN (${namesOfKind(p, nameKind)})` : ''}
       ${source === 'names' && !isUnnested ? `AND f.kind = ${p.add(nameKind)}` : ''}
       ${filtersOf(p, filters)}`,
    key: keyOf(dimension, { isUnnested, isByClients }),
    person: 'f.user_id',
  };
}

/** The sum of a metric: its value, how many rows know it, and of how many. */
export function metricSums(slice: Slice): string {
  const value = valueOf(slice);
  const isAlwaysKnown = !isModelMetric(slice.metric) || !PARTLY_UNKNOWN.includes(slice.metric);
  return isAlwaysKnown
    ? `sum(${value}) AS value, 0 AS known, 0 AS "of"`
    : `coalesce(sum(${value}), 0) AS value, count(${value}) AS known, count(*) AS "of"`;
}

/** Days whose raw events were gone before there were facts do not have them. */
const PARTLY_UNKNOWN: readonly ModelMetric[] = ['model_calls', 'cache_read_tokens', 'cache_write_tokens'];

function valueOf({ dimension, metric, filters }: Slice): string {
  if (isModelMetric(metric)) return `f.${MODEL_METRICS[metric]}`;
  if (rulesOf(dimension).names !== undefined) return isUnnested(filters) ? 'x.n' : 'f.count';
  return columnsOf(metric)
    .map((column) => `f.${column}`)
    .join(' + ');
}

const isUnnested = (filters: Filters) => filters.user_id !== undefined || filters.team_id !== undefined;
const columnsOf = (metric: Metric): readonly string[] => (isActivityMetric(metric) ? ACTIVITY_METRICS[metric] : []);

/** A version is of one day only. In this form the planner knows how many rows that is (`..._of_version` statistics). */
function isPinned(p: SqlParameters, { days, versions }: PinnedDays): string {
  return `f.day = ANY (${p.add(days)}::date[]) AND f.version = ANY (${p.add(versions)}::bigint[])`;
}

/** A figure of a day counts for the team of that day. Without an index to look into, all members are hashed once. */
const JOIN_TEAMS = `
  LEFT JOIN (SELECT m.user_id, m.team_id, m.from_day, m.to_day FROM team_members m WHERE m.org_id = $1 OFFSET 0) t
         ON t.user_id = f.user_id AND t.from_day <= f.day AND (t.to_day IS NULL OR t.to_day >= f.day)`;

function keyOf(dimension: Dimension, how: { isUnnested: boolean; isByClients: boolean }): string {
  if (dimension === 'model') return 'f.model_id';
  if (dimension === 'user') return 'f.user_id';
  if (dimension === 'team') return 't.team_id';
  if (dimension === 'client') return how.isByClients ? 'c.code' : 'f.client';
  return how.isUnnested ? 'x.name_id' : 'f.name_id';
}

const namesOfKind = (p: SqlParameters, kind: number | undefined) =>
  `SELECT n.id FROM event_names n WHERE n.org_id = $1 AND n.kind = ${p.add(kind)}`;

function filtersOf(p: SqlParameters, { user_id, team_id, client, model }: Filters): string {
  const ofTeam = team_id === NO_TEAM ? 'AND t.team_id IS NULL' : p.when(team_id, (id) => `t.team_id = ${id}::uuid`);
  const ofClient = client === undefined ? '' : `AND f.client = ${p.add(codeOfClient(client))}`;
  const ofModel = p.when(
    model,
    (name) => `f.model_id IN (SELECT n.id FROM event_names n
                               WHERE n.org_id = $1 AND n.kind = ${NAME_KIND.model} AND n.name = ${name})`,
  );
  return `${p.when(user_id, (id) => `f.user_id = ${id}::uuid`)} ${ofTeam} ${ofClient} ${ofModel}`;
}

/** 0: not recorded. */
function codeOfClient(client: string): number {
  return client in CLIENT_CODE ? CLIENT_CODE[client as ClientType] : 0;
}

/** Sums of tokens of the facts `f` by class and segment; what to group by, and what to select. */
export function classSums(p: SqlParameters, { segments }: PinnedDays): { groups: string; columns: string } {
  const segment = segments.length === 0 ? null : `width_bucket(f.day, ${p.add(segments)}::date[])`;
  const groups = ['f.model_id', 'f.above', 'f.minute', 'f.cache_read IS NULL', ...(segment === null ? [] : [segment])];
  const columns = `
    f.model_id, f.above, f.minute, f.cache_read IS NULL AS is_unknown, ${segment ?? '0'} AS segment, sum(f.input) AS input,
    sum(f.output) AS output, coalesce(sum(f.cache_read), 0) AS cache_read, coalesce(sum(f.cache_write), 0) AS cache_write,
    coalesce(sum(f.cache_write_1h), 0) AS cache_write_1h`;
  return { groups: groups.join(', '), columns };
}

type Weights = Record<(typeof TOKEN_SUMS)[number], bigint>;
const TOKEN_SUMS = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'] as const;
const added = (prefix: string) => TOKEN_SUMS.map((sum) => `g.${sum} * r.${prefix}${sum}`).join(' + ');

/** Of sums `g` and their rates `r`: pico-dollars, tokens that have a price, and all tokens. */
export const COST_SUMS = `
  coalesce(sum(${added('')}), 0) AS value,
  coalesce(sum(CASE WHEN r.is_whole THEN g.input + g.output ELSE ${added('of_')} END), 0) AS known,
  sum(g.input + g.output) AS "of"`;

export function joinRates(p: SqlParameters, rows: readonly SegmentRates[]): string {
  const column = (of: (row: SegmentRates) => unknown, type: string) => `${p.add(rows.map(of))}::${type}[]`;
  const weights = (prefix: string, of: (rate: bigint | null) => bigint) =>
    TOKEN_SUMS.map((sum) => [`${prefix}${sum}`, column(({ rates }) => String(weightsOf(rates, of)[sum]), 'numeric')]);
  const columns = [
    ...(['modelId', 'above', 'minute', 'segment'] as const).map((name) => [
      `"${name}"`,
      column((row) => row[name], 'int'),
    ]),
    ['is_whole', column(({ rates }) => Object.values(rates).every((rate) => rate !== null), 'boolean')],
    ...weights('', (rate) => rate ?? 0n),
    ...weights('of_', (rate) => (rate === null ? 0n : 1n)),
  ];
  return `LEFT JOIN unnest(${columns.map(([, values]) => values).join(', ')})
            AS r (${columns.map(([name]) => name).join(', ')})
            ON r."modelId" = g.model_id AND r.above = g.above AND r.minute = g.minute AND r.segment = g.segment
           AND NOT g.is_unknown`;
}

/** Cached tokens are part of the input, and those kept for an hour part of what is written: their weight is the difference. */
function weightsOf(
  { input, output, cacheRead, cacheWrite, cacheWrite1h }: Rates,
  of: (rate: bigint | null) => bigint,
): Weights {
  return {
    input: of(input),
    output: of(output),
    cache_read: of(cacheRead) - of(input),
    cache_write: of(cacheWrite) - of(input),
    cache_write_1h: of(cacheWrite1h) - of(cacheWrite),
  };
}
