import { AUTONOMY_CODE, EVENT_KIND, NAME_KIND } from '../../ingest/event-codes.js';

/*
 * The temporary tables of one computation. Those with a star are made in documents.sql.ts.
 *
 *   table            made from                                             read by
 *   session_rollup   events                                                user_rollup, session_facts*, SELECT_WEIGHTS
 *   user_names       events                                                org_models, user_tokens, user_days
 *   name_rollup      events                                                used_names, lists*, tools by name
 *   detail_rollup    events                                                used_names, lists*
 *   org_models       user_names                                            used_names, token totals, tokens by model, tokens
 *   used_names       org_models, name_rollup, detail_rollup, event_names   every document with names
 *   addresses        users                                                 user_days, tokens
 *   user_rollup      session_rollup                                        facts*, user_days
 *   user_tokens      user_names, used_names                                user_days, tokens
 *   lists*           name_rollup, detail_rollup, used_names                tools, productivity
 *   facts*           user_rollup                                           tools, productivity, analytics_days
 *   session_facts*   session_rollup                                        tools
 */

const K = EVENT_KIND;

const countOf = (condition: string) => `(count(*) FILTER (WHERE ${condition}))::int`;

/** `source` is the partition of the day; $1 are the organizations. */
export const dayRollups = (source: string): string[] => [
  // One row per user and session; session_id is null for events outside of sessions.
  `CREATE TEMP TABLE session_rollup ON COMMIT DROP AS
   SELECT e.org_id, e.user_id, e.session_id,
          ${countOf(`e.kind = ${K.tool_call}`)} AS tool_calls,
          ${countOf(`e.kind = ${K.tool_call} AND e.detail_id IS NOT NULL`)} AS mcp_calls,
          ${countOf(`e.autonomy = ${AUTONOMY_CODE.high}`)} AS auto_high,
          ${countOf(`e.autonomy = ${AUTONOMY_CODE.medium}`)} AS auto_medium,
          ${countOf(`e.autonomy = ${AUTONOMY_CODE.low}`)} AS auto_low,
          ${countOf(`e.autonomy = ${AUTONOMY_CODE.spec}`)} AS spec,
          ${countOf(`e.kind = ${K.user_message}`)} AS user_messages,
          ${countOf(`e.kind = ${K.assistant_message}`)} AS assistant_messages,
          ${countOf(`e.kind = ${K.session_started}`)} AS starts,
          ${countOf(`e.kind = ${K.file_created}`)} AS files_created,
          ${countOf(`e.kind = ${K.file_edited}`)} AS files_edited,
          ${countOf(`e.kind = ${K.git_commit}`)} AS git_commits,
          ${countOf(`e.kind = ${K.pull_request_created}`)} AS git_prs,
          ${countOf(`e.kind = ${K.skill_used}`)} AS skill_calls,
          ${countOf(`e.kind = ${K.slash_command}`)} AS slash_commands,
          ${countOf(`e.kind = ${K.hook_run}`)} AS hooks,
          bit_or(1 << e.client) AS clients
     FROM ${source} e WHERE e.org_id = ANY ($1::uuid[])
    GROUP BY e.org_id, e.user_id, e.session_id`,

  // Models, which have a tier, and languages of files, which have none.
  `CREATE TEMP TABLE user_names ON COMMIT DROP AS
   SELECT e.org_id, e.user_id, e.name_id, max(e.tier) AS tier, sum(e.input_tokens) AS input,
          sum(e.output_tokens) AS output, sum(e.cache_read_tokens) AS cache_read,
          sum(e.cache_write_tokens) AS cache_write, sum(e.billable_tokens)::bigint AS billable
     FROM ${source} e
    WHERE e.org_id = ANY ($1::uuid[]) AND e.kind IN (${K.model_call}, ${K.file_created}, ${K.file_edited})
    GROUP BY e.org_id, e.user_id, e.name_id`,

  `CREATE TEMP TABLE name_rollup ON COMMIT DROP AS
   SELECT e.org_id, e.kind, e.name_id AS id, count(*) AS n
     FROM ${source} e
    WHERE e.org_id = ANY ($1::uuid[])
      AND e.kind IN (${K.tool_call}, ${K.file_created}, ${K.file_edited}, ${K.skill_used}, ${K.slash_command}, ${K.hook_run})
    GROUP BY e.org_id, e.kind, e.name_id`,

  `CREATE TEMP TABLE detail_rollup ON COMMIT DROP AS
   SELECT e.org_id, e.kind, e.detail_id AS id, count(*) AS n
     FROM ${source} e
    WHERE e.org_id = ANY ($1::uuid[]) AND e.detail_id IS NOT NULL
      AND e.kind IN (${K.tool_call}, ${K.file_created}, ${K.file_edited})
    GROUP BY e.org_id, e.kind, e.detail_id`,

  `CREATE TEMP TABLE org_models ON COMMIT DROP AS
   SELECT m.org_id, m.name_id, max(m.tier) AS tier, sum(m.input)::bigint AS input, sum(m.output)::bigint AS output,
          sum(m.cache_read)::bigint AS cache_read, sum(m.cache_write)::bigint AS cache_write, sum(m.billable)::bigint AS billable
     FROM user_names m WHERE m.tier IS NOT NULL GROUP BY m.org_id, m.name_id`,

  // Names as JSON (a hook: the fields of its item). Sorting by rank is sorting by name in code point order, but faster.
  `CREATE TEMP TABLE used_names ON COMMIT DROP AS
   SELECT n.org_id, n.id, n.folded, n.json, row_number() OVER (PARTITION BY n.org_id ORDER BY n.sort_name COLLATE "C")::int AS rank
     FROM (SELECT n.org_id, n.id, n.folded, ${ofHook(`concat_ws(E'\\x01', n.name::json ->> 0, n.name::json ->> 1, n.name::json ->> 2)`, 'n.name')} AS sort_name,
                  ${ofHook(
                    `concat('"event":', n.name::json -> 0, ',"matcher":', n.name::json -> 1, ',"command":', n.name::json -> 2)`,
                    'to_json(n.name)::text',
                  )} AS json
             FROM (SELECT m.org_id, m.name_id AS id FROM org_models m UNION SELECT l.org_id, l.id FROM name_rollup l
                   UNION SELECT d.org_id, d.id FROM detail_rollup d) u
             JOIN event_names n ON n.org_id = u.org_id AND n.id = u.id
            WHERE n.org_id = ANY ($1::uuid[])) n`,

  `CREATE TEMP TABLE addresses ON COMMIT DROP AS
   SELECT x.org_id, x.id AS user_id, to_json(x.email)::text AS json FROM users x WHERE x.org_id = ANY ($1::uuid[])`,

  `CREATE TEMP TABLE user_rollup ON COMMIT DROP AS
   SELECT s.org_id, s.user_id, sum(s.tool_calls) AS tool_calls, sum(s.mcp_calls) AS mcp_calls,
          sum(s.auto_high) AS auto_high, sum(s.auto_medium) AS auto_medium, sum(s.auto_low) AS auto_low,
          sum(s.spec) AS spec,
          sum(s.tool_calls) - sum(s.auto_high) - sum(s.auto_medium) - sum(s.auto_low) - sum(s.spec) AS manual,
          sum(s.user_messages) AS user_messages, sum(s.assistant_messages) AS assistant_messages,
          ${countOf('s.starts > 0 AND s.session_id IS NOT NULL')} AS sessions,
          sum(s.files_created) AS files_created, sum(s.files_edited) AS files_edited,
          sum(s.git_commits) AS git_commits, sum(s.git_prs) AS git_prs, sum(s.skill_calls) AS skill_calls,
          sum(s.slash_commands) AS slash_commands, sum(s.hooks) AS hooks, bit_or(s.clients) AS clients
     FROM session_rollup s GROUP BY s.org_id, s.user_id`,

  // The aggregates rely on the order of the inner query: largest model first.
  `CREATE TEMP TABLE user_tokens ON COMMIT DROP AS
   SELECT m.org_id, m.user_id, sum(m.billable)::bigint AS billable, string_agg(m.item, ',') AS by_model,
          (array_agg(m.json))[1] AS primary_model, (array_agg(m.tier))[1] AS primary_tier
     FROM (SELECT m.org_id, m.user_id, m.billable, n.json, m.tier, ${modelItem('m', 'n.json')} AS item
             FROM user_names m JOIN used_names n ON n.org_id = m.org_id AND n.id = m.name_id
            WHERE m.tier IS NOT NULL
            ORDER BY m.org_id, m.user_id, m.billable DESC, n.rank) m
    GROUP BY m.org_id, m.user_id`,
];

const ofHook = (hook: string, other: string) => `CASE WHEN n.kind = ${NAME_KIND.hook} THEN ${hook} ELSE ${other} END`;

export function modelItem(row: string, name: string): string {
  return `concat('{"model_id":', ${name}, ',"model_tier":"', ${tierName(`${row}.tier`)}, '","billable_tokens":', ${row}.billable,
                 ',"input_tokens":', ${row}.input, ',"output_tokens":', ${row}.output, '}')`;
}

export function tierName(code: string): string {
  return `CASE ${code} WHEN 2 THEN 'thinking' ELSE 'standard' END`;
}
