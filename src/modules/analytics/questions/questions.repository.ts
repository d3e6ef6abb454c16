import { Injectable } from '@nestjs/common';
import { SqlParameters } from '../../../database/sql-parameters.js';
import { NAME_KIND } from '../../ingest/event-codes.js';
import { AnalyticsLoad } from '../analytics-load.js';
import { classSums, factRows, type PinnedDays } from './fact-rows.sql.js';
import {
  ACTIVITY_METRIC_NAMES,
  ACTIVITY_METRICS,
  type ActivityMetric,
  MODEL_METRICS,
  type Slice,
  UNKNOWN,
} from './metrics.js';
import type { ClassTokens } from './money.js';
import type { CallClass } from './rate-table.js';

type Texts<Row> = { [Column in keyof Row]: Row[Column] extends bigint ? string : Row[Column] };

/** Sums of model calls of one class; null: not known of any day. */
export interface ClassSums extends ClassTokens {
  readonly billable: bigint;
  readonly calls: bigint | null;
  readonly knownCacheRead: bigint | null;
  readonly knownCacheWrite: bigint | null;
  readonly reportedCost: bigint | null;
}

const ANY_MODEL: Slice = { dimension: 'model', metric: 'cost', filters: {} };

/** The figures of whole ranges. */
@Injectable()
export class QuestionsRepository {
  constructor(private readonly load: AnalyticsLoad) {}

  /** Which prices the model calls of a range need. */
  listClasses(orgId: string, days: PinnedDays): Promise<CallClass[]> {
    const p = ofOrganization(orgId);
    const { from } = factRows(p, { slice: ANY_MODEL, days, hasKey: false });
    return this.load.read(
      orgId,
      `SELECT c.model_id AS "modelId", coalesce(n.name, '${UNKNOWN}') AS model, c.above, c.minute
         FROM (SELECT DISTINCT f.model_id, f.above, f.minute ${from}) c
         LEFT JOIN event_names n ON n.org_id = $1 AND n.id = c.model_id ORDER BY 1, 3, 4`,
      p.values,
    );
  }

  /** By model, class and segment; with `byDay`, by day as well. */
  async listModelCalls(
    orgId: string,
    days: PinnedDays,
    { filters }: Pick<Slice, 'filters'>,
    byDay = false,
  ): Promise<(ClassSums & { day: string })[]> {
    const p = ofOrganization(orgId);
    const { from } = factRows(p, { slice: { ...ANY_MODEL, filters }, days, hasKey: false });
    const ofClasses = classSums(p, days);
    const { calls, billable_tokens: billable } = { calls: MODEL_METRICS.model_calls, ...MODEL_METRICS };
    const rows = await this.load.readMany<Texts<ClassSums> & { day: string }>(
      orgId,
      `SELECT g.day::text AS day, g.model_id AS "modelId", coalesce(n.name, '${UNKNOWN}') AS model, g.above, g.minute, g.segment,
              g.is_unknown AS "isUnknown", g.input::text AS input, g.output::text AS output, g.cache_read::text AS "cacheRead",
              g.cache_write::text AS "cacheWrite", g.cache_write_1h::text AS "cacheWrite1h", g.untold::text AS "cacheWriteUntold",
              g.billable::text AS billable, g.calls::text AS calls, g.known_read::text AS "knownCacheRead",
              g.known_write::text AS "knownCacheWrite", g.reported_cost::text AS "reportedCost"
         FROM (SELECT ${byDay ? 'f.day' : 'NULL::date AS day'}, ${ofClasses.columns},
                      coalesce(sum(f.cache_write) FILTER (WHERE f.cache_write_1h IS NULL), 0) AS untold,
                      sum(f.${billable}) AS billable, sum(f.${calls}) AS calls, sum(f.cache_read) AS known_read,
                      sum(f.cache_write) AS known_write, sum(f.reported_cost) AS reported_cost
                 ${from} GROUP BY ${byDay ? 'f.day, ' : ''}${ofClasses.groups}) g
         LEFT JOIN event_names n ON n.org_id = $1 AND n.id = g.model_id
        ORDER BY g.day, g.model_id, g.above, g.minute, g.segment`,
      p.values,
    );
    return rows.map((row) => ({ ...row, ...exact(row) }));
  }

  async sumActivity(orgId: string, days: PinnedDays): Promise<Record<ActivityMetric, bigint>> {
    const p = ofOrganization(orgId);
    const { from } = factRows(p, {
      slice: { dimension: 'user', metric: 'sessions', filters: {} },
      days,
      hasKey: false,
    });
    const [row] = await this.load.read<Record<ActivityMetric, string>>(
      orgId,
      `SELECT ${ACTIVITY_SUMS} ${from}`,
      p.values,
    );
    return eachActivity((metric) => BigInt(row?.[metric] ?? 0));
  }

  /** Exact. Looks for one active day of each user, which takes a fraction of reading all of them. */
  async countPeople(orgId: string, { days, versions }: PinnedDays): Promise<bigint> {
    const [row] = await this.load.readMany<{ people: string }>(
      orgId,
      `SELECT count(*)::text AS people FROM users u
        CROSS JOIN LATERAL (
              SELECT FROM user_facts f
               WHERE f.org_id = $1 AND f.user_id = u.id AND f.day >= $2 AND f.day <= $3
                 AND (f.day, f.version) IN (SELECT d.day, d.version FROM unnest($4::date[], $5::bigint[]) AS d (day, version))
               LIMIT 1) a
        WHERE u.org_id = $1`,
      [orgId, days[0] ?? null, days.at(-1) ?? null, days, versions],
    );
    return BigInt(row?.people ?? 0);
  }

  /** What people see instead of a key; keys that are missing stand for themselves. */
  async listLabels(
    orgId: string,
    { dimension }: Slice,
    days: PinnedDays,
    keys: string[],
  ): Promise<Map<string, string>> {
    const rows = await this.readLabels(orgId, dimension, days, keys);
    return new Map(rows.map(({ key, label }) => [key, label]));
  }

  private readLabels(
    orgId: string,
    dimension: Slice['dimension'],
    days: PinnedDays,
    keys: string[],
  ): Promise<{ key: string; label: string }[]> {
    if (dimension === 'user') {
      const sql = `SELECT u.id::text AS key, u.email AS label FROM users u
                    WHERE u.org_id = $1 AND u.id = ANY ($2::uuid[]) AND u.email IS NOT NULL`;
      return this.load.read(orgId, sql, [orgId, keys]);
    }
    if (dimension === 'team') {
      const sql = `SELECT t.id::text AS key, t.name AS label FROM teams t WHERE t.org_id = $1 AND t.id::text = ANY ($2::text[])`;
      return this.load.read(orgId, sql, [orgId, keys]);
    }
    return dimension === 'server' ? this.readSpellings(orgId, days, keys) : Promise.resolve([]);
  }

  /** The most frequent spelling of the range. */
  private readSpellings(orgId: string, days: PinnedDays, keys: string[]): Promise<{ key: string; label: string }[]> {
    const p = ofOrganization(orgId);
    const { from } = factRows(p, { slice: { dimension: 'server', metric: 'count', filters: {} }, days, hasKey: false });
    return this.load.read(
      orgId,
      `SELECT DISTINCT ON (n.folded) n.folded AS key, n.name AS label
         FROM (SELECT f.name_id, sum(f.count) AS count ${from} GROUP BY f.name_id) c
         JOIN event_names n ON n.org_id = $1 AND n.id = c.name_id AND n.kind = ${NAME_KIND.mcpServer}
        WHERE n.folded = ANY (${p.add(keys)}::text[])
        ORDER BY n.folded, c.count DESC, n.name COLLATE "C"`,
      p.values,
    );
  }
}

export function ofOrganization(orgId: string): SqlParameters {
  const parameters = new SqlParameters();
  parameters.add(orgId);
  return parameters;
}

export const ACTIVITY_SUMS = ACTIVITY_METRIC_NAMES.map(
  (metric) =>
    `coalesce(sum(${ACTIVITY_METRICS[metric].map((column) => `f.${column}`).join(' + ')}), 0)::text AS ${metric}`,
).join(', ');

export function eachActivity(of: (metric: ActivityMetric) => bigint): Record<ActivityMetric, bigint> {
  return Object.fromEntries(ACTIVITY_METRIC_NAMES.map((metric) => [metric, of(metric)])) as Record<
    ActivityMetric,
    bigint
  >;
}

function exact(row: Texts<ClassSums>) {
  const orNull = (text: string | bigint | null) => (text === null ? null : BigInt(text));
  return {
    input: BigInt(row.input),
    output: BigInt(row.output),
    cacheRead: BigInt(row.cacheRead),
    cacheWrite: BigInt(row.cacheWrite),
    cacheWrite1h: BigInt(row.cacheWrite1h),
    cacheWriteUntold: BigInt(row.cacheWriteUntold),
    billable: BigInt(row.billable),
    calls: orNull(row.calls),
    knownCacheRead: orNull(row.knownCacheRead),
    knownCacheWrite: orNull(row.knownCacheWrite),
    reportedCost: orNull(row.reportedCost),
  };
}
