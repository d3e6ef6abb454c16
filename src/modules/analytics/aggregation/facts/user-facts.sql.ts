import { EVENT_KIND } from '../../../ingest/event-codes.js';
import { COUNTED_FIGURES, COUNTED, TOKEN_COLUMNS, TOKEN_SUMS } from './figures.js';

/*
 * What one user did on a day, from its events. A statement reads and writes rows of one organization together only, so
 * that a sharded database can run it whole where the rows are. $1 day, $2 version, $3 organizations.
 */

const SIZE = `CASE WHEN e.is_sum THEN 0 ELSE e.input_tokens END`;
const MINUTE = `(date_part('epoch', e.at)::bigint % 86400) / 60`;

/** Prices differ by class on few days and for few models; without any, calls need not be looked up. */
const priceClasses = (hasClasses: boolean) =>
  hasClasses
    ? {
        above: 'CASE WHEN e.is_sum THEN -1 ELSE coalesce(c.above, 0) END',
        minute: 'coalesce(c.from_minute, 0)',
        join: `LEFT JOIN unnest($4::uuid[], $5::int[], $6::int[], $7::int[], $8::int[], $9::int[])
                    AS c (org_id, name_id, above, up_to, from_minute, to_minute)
                 ON c.org_id = e.org_id AND c.name_id = e.name_id
                AND (${SIZE} > c.above OR c.above = 0) AND ${SIZE} <= c.up_to
                AND ${MINUTE} >= c.from_minute AND ${MINUTE} < c.to_minute`,
      }
    : { above: 'CASE WHEN e.is_sum THEN -1 ELSE 0 END', minute: '0', join: '' };

/** Per user, client, model and price class. $4 to $9 are the classes, as rows. */
export function selectUserModelFacts(source: string, hasClasses: boolean): string {
  const { above, minute, join } = priceClasses(hasClasses);
  return `
  SELECT e.org_id, e.user_id, e.name_id AS model_id, e.client, ${above} AS above, ${minute} AS minute,
         max(e.tier) AS tier, ${TOKEN_COLUMNS.map((column) => `${TOKEN_SUMS[column]} AS ${column}`).join(', ')}
    FROM ${source} e ${join}
   WHERE e.org_id = ANY ($3::uuid[]) AND e.kind = ${EVENT_KIND.model_call}
   GROUP BY e.org_id, e.user_id, e.name_id, e.client, 5, 6`;
}

export const insertUserModelFacts = (source: string, hasClasses: boolean) => `
  INSERT INTO user_model_facts (org_id, user_id, day, version, model_id, client, above, minute, tier, ${TOKEN_COLUMNS.join(', ')})
  SELECT m.org_id, m.user_id, $1::date, $2::bigint, m.model_id, m.client, m.above, m.minute, m.tier,
         ${TOKEN_COLUMNS.map((column) => `m.${column}`).join(', ')}
    FROM (${selectUserModelFacts(source, hasClasses)}) m`;

const eachFigure = (sql: (figure: (typeof COUNTED_FIGURES)[number]) => string) =>
  COUNTED_FIGURES.map((figure) => `${sql(figure)} AS ${figure}`).join(', ');

/** One row per user and session; session_id is null for events outside of sessions. */
const sessions = (source: string) => `
  SELECT e.org_id, e.user_id, e.session_id,
         ${eachFigure((figure) => `(count(*) FILTER (WHERE ${COUNTED[figure]}))::int`)},
         bool_or(e.kind = ${EVENT_KIND.session_started}) AS is_started, bit_or(1 << e.client) AS clients
    FROM ${source} e WHERE e.org_id = ANY ($3::uuid[])
   GROUP BY e.org_id, e.user_id, e.session_id`;

/** Names of tools, servers, skills, languages and so on that a user used, the most frequent first. */
const names = (source: string) => `
  SELECT c.org_id, c.user_id, array_agg(c.name_id) AS name_ids, array_agg(c.n) AS name_counts
    FROM (SELECT c.org_id, c.user_id, x.name_id, sum(c.n)::int AS n
            FROM (SELECT e.org_id, e.user_id, e.name_id, e.detail_id, count(*) AS n
                    FROM ${source} e
                   WHERE e.org_id = ANY ($3::uuid[]) AND e.name_id IS NOT NULL AND e.kind <> ${EVENT_KIND.model_call}
                   GROUP BY e.org_id, e.user_id, e.name_id, e.detail_id) c
           CROSS JOIN LATERAL (VALUES (c.name_id), (c.detail_id)) AS x (name_id)
           WHERE x.name_id IS NOT NULL
           GROUP BY c.org_id, c.user_id, x.name_id
           ORDER BY c.org_id, c.user_id, n DESC, x.name_id) c
   GROUP BY c.org_id, c.user_id`;

const COLUMNS = [...COUNTED_FIGURES, 'manual', 'sessions', 'clients', 'session_tool_calls', 'session_user_messages'];

export const selectUserFacts = (source: string) => `
  SELECT u.org_id, u.user_id, ${COLUMNS.map((column) => `u.${column}`).join(', ')}, n.name_ids, n.name_counts, x.email
    FROM (SELECT s.org_id, s.user_id, ${eachFigure((figure) => `sum(s.${figure})`)},
                 sum(s.tool_calls - s.auto_high - s.auto_medium - s.auto_low - s.spec) AS manual,
                 count(*) FILTER (WHERE s.is_started AND s.session_id IS NOT NULL) AS sessions,
                 bit_or(s.clients) AS clients,
                 coalesce(array_agg(s.tool_calls) FILTER (WHERE s.session_id IS NOT NULL), '{}') AS session_tool_calls,
                 coalesce(array_agg(s.user_messages) FILTER (WHERE s.session_id IS NOT NULL), '{}') AS session_user_messages
            FROM (${sessions(source)}) s GROUP BY s.org_id, s.user_id) u
    LEFT JOIN (${names(source)}) n ON n.org_id = u.org_id AND n.user_id = u.user_id
    LEFT JOIN users x ON x.org_id = u.org_id AND x.id = u.user_id`;

/** After the facts of models, from which the billable tokens come. */
export const insertUserFacts = (source: string) => `
  INSERT INTO user_facts (org_id, user_id, day, version, billable_tokens, ${COLUMNS.join(', ')}, name_ids, name_counts, email)
  SELECT u.org_id, u.user_id, $1::date, $2::bigint, coalesce(t.billable, 0), ${COLUMNS.map((column) => `u.${column}`).join(', ')},
         coalesce(u.name_ids, '{}'), coalesce(u.name_counts, '{}'), u.email
    FROM (${selectUserFacts(source)}) u
    LEFT JOIN (SELECT m.org_id, m.user_id, sum(m.billable) AS billable FROM user_model_facts m
                WHERE m.org_id = ANY ($3::uuid[]) AND m.day = $1::date AND m.version = $2::bigint
                GROUP BY m.org_id, m.user_id) t ON t.org_id = u.org_id AND t.user_id = u.user_id`;
