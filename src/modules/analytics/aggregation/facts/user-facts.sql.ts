import { EVENT_KIND } from '../../../ingest/event-codes.js';
import { COUNTED, COUNTED_FIGURES, type CountedFigure, TOKEN_COLUMNS, TOKEN_SUMS } from './figures.js';

/*
 * What one user did on a day, from its events. A statement reads and writes rows of one organization together only, so
 * that a sharded database can run it whole where the rows are. Inserts: $1 day, $2 version, $3 organizations, $4 to $9 the
 * price classes, as rows.
 */

/** Which events: `table` has those of a day, `orgs` is the parameter with the organizations. */
export interface EventSource {
  readonly table: string;
  readonly orgs: string;
}

export interface ModelSource extends EventSource {
  /** The number of the first of six parameters with price classes; null when all calls of each model have one price. */
  readonly classes: number | null;
}

const inserted = (table: string) => ({ table, orgs: '$3' });

const SIZE = `CASE WHEN e.is_sum THEN 0 ELSE e.input_tokens END`;
const MINUTE = `floor(date_part('epoch', e.at) / 60)::bigint % 1440`;

/** Prices differ by class on few days and for few models; without any, calls need not be looked up. */
export const priceClasses = (first: number | null) =>
  first !== null
    ? {
        above: 'CASE WHEN e.is_sum THEN -1 ELSE coalesce(c.above, 0) END',
        minute: 'coalesce(c.from_minute, 0)',
        join: `LEFT JOIN unnest($${first}::uuid[], ${[1, 2, 3, 4, 5].map((next) => `$${first + next}::int[]`).join(', ')})
                    AS c (org_id, name_id, above, up_to, from_minute, to_minute)
                 ON c.org_id = e.org_id AND c.name_id = e.name_id
                AND (${SIZE} > c.above OR c.above = 0) AND ${SIZE} <= c.up_to
                AND ${MINUTE} >= c.from_minute AND ${MINUTE} < c.to_minute`,
      }
    : { above: 'CASE WHEN e.is_sum THEN -1 ELSE 0 END', minute: '0', join: '' };

/** Per user, client, model and price class. */
function selectUserModelFacts({ table, orgs, classes }: ModelSource): string {
  const { above, minute, join } = priceClasses(classes);
  return `
  SELECT e.org_id, e.user_id, e.name_id AS model_id, e.client, ${above} AS above, ${minute} AS minute,
         max(e.tier) AS tier, ${TOKEN_COLUMNS.map((column) => `${TOKEN_SUMS[column]} AS ${column}`).join(', ')}
    FROM ${table} e ${join}
   WHERE e.org_id = ANY (${orgs}::uuid[]) AND e.kind = ${EVENT_KIND.model_call}
   GROUP BY e.org_id, e.user_id, e.name_id, e.client, 5, 6`;
}

export const insertUserModelFacts = (source: string, hasClasses: boolean) => `
  INSERT INTO user_model_facts (org_id, user_id, day, version, model_id, client, above, minute, tier, ${TOKEN_COLUMNS.join(', ')})
  SELECT m.org_id, m.user_id, $1::date, $2::bigint, m.model_id, m.client, m.above, m.minute, m.tier,
         ${TOKEN_COLUMNS.map((column) => `m.${column}`).join(', ')}
    FROM (${selectUserModelFacts({ ...inserted(source), classes: hasClasses ? 4 : null })}) m`;

const eachFigure = (sql: (figure: CountedFigure) => string) =>
  COUNTED_FIGURES.map((figure) => `${sql(figure)} AS ${figure}`).join(', ');

export const countOf = (figure: CountedFigure) => `(count(*) FILTER (WHERE ${COUNTED[figure]}))::int`;

/** One row per user and session; session_id is null for events outside of sessions. */
const sessions = ({ table, orgs }: EventSource) => `
  SELECT e.org_id, e.user_id, e.session_id,
         ${eachFigure(countOf)},
         bool_or(e.kind = ${EVENT_KIND.session_started}) AS is_started, bit_or(1 << e.client) AS clients
    FROM ${table} e WHERE e.org_id = ANY (${orgs}::uuid[])
   GROUP BY e.org_id, e.user_id, e.session_id`;

/**
 * How often each user used tools, servers, skills, languages and so on, in any order. The few ids of a user are counted
 * after they were collected, which takes half the time of counting in one large table.
 */
const names = ({ table, orgs }: EventSource) => `
  SELECT u.org_id, u.user_id, c.name_ids, c.name_counts
    FROM (SELECT e.org_id, e.user_id, array_agg(e.name_id) FILTER (WHERE e.name_id IS NOT NULL)
                                   || array_agg(e.detail_id) FILTER (WHERE e.detail_id IS NOT NULL) AS used
            FROM ${table} e
           WHERE e.org_id = ANY (${orgs}::uuid[]) AND e.kind <> ${EVENT_KIND.model_call}
             AND (e.name_id IS NOT NULL OR e.detail_id IS NOT NULL)
           GROUP BY e.org_id, e.user_id) u
   CROSS JOIN LATERAL (SELECT array_agg(c.name_id) AS name_ids, array_agg(c.n) AS name_counts
                         FROM (SELECT x.name_id, count(*)::int AS n FROM unnest(u.used) AS x (name_id)
                                GROUP BY x.name_id) c) c`;

const COLUMNS = [...COUNTED_FIGURES, 'manual', 'sessions', 'clients', 'session_tool_calls', 'session_user_messages'];

/** Per user, without names. */
const selectUserFigures = (source: EventSource) => `
  SELECT s.org_id, s.user_id, ${eachFigure((figure) => `sum(s.${figure})`)},
         sum(s.tool_calls - s.auto_high - s.auto_medium - s.auto_low - s.spec) AS manual,
         count(*) FILTER (WHERE s.is_started AND s.session_id IS NOT NULL) AS sessions,
         bit_or(s.clients) AS clients,
         coalesce(array_agg(s.tool_calls) FILTER (WHERE s.session_id IS NOT NULL), '{}') AS session_tool_calls,
         coalesce(array_agg(s.user_messages) FILTER (WHERE s.session_id IS NOT NULL), '{}') AS session_user_messages
    FROM (${sessions(source)}) s GROUP BY s.org_id, s.user_id`;

/** After the facts of models, from which the billable tokens come. */
export const insertUserFacts = (source: string) => `
  INSERT INTO user_facts (org_id, user_id, day, version, billable_tokens, ${COLUMNS.join(', ')}, name_ids, name_counts, email)
  SELECT u.org_id, u.user_id, $1::date, $2::bigint, coalesce(t.billable, 0), ${COLUMNS.map((column) => `u.${column}`).join(', ')},
         coalesce(n.name_ids, '{}'), coalesce(n.name_counts, '{}'), x.email
    FROM (${selectUserFigures(inserted(source))}) u
    LEFT JOIN (${names(inserted(source))}) n ON n.org_id = u.org_id AND n.user_id = u.user_id
    LEFT JOIN users x ON x.org_id = u.org_id AND x.id = u.user_id
    LEFT JOIN (SELECT m.org_id, m.user_id, sum(m.billable) AS billable FROM user_model_facts m
                WHERE m.org_id = ANY ($3::uuid[]) AND m.day = $1::date AND m.version = $2::bigint
                GROUP BY m.org_id, m.user_id) t ON t.org_id = u.org_id AND t.user_id = u.user_id`;
