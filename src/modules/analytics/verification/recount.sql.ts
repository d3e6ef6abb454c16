/*
 * A day of an organization, counted from its raw events in the most straightforward way, one statement for each row of
 * the API. Shares nothing with the aggregation, so that one can be held against the other.
 * $1 organization, $2 first instant of the day, $3 first instant after it, $4 the day.
 */

const EVENTS = `SELECT e.*, n.name, n.folded, d.name AS detail, d.folded AS detail_folded
    FROM events e
    LEFT JOIN event_names n ON n.org_id = e.org_id AND n.id = e.name_id
    LEFT JOIN event_names d ON d.org_id = e.org_id AND d.id = e.detail_id
   WHERE e.org_id = $1 AND e.at >= $2 AND e.at < $3`;

const TIER = `CASE max(c.tier) WHEN 2 THEN 'thinking' ELSE 'standard' END`;

const MODEL_FIELDS = `'model_id', c.name, 'model_tier', ${TIER}, 'billable_tokens', sum(c.billable_tokens),
  'input_tokens', sum(c.input_tokens), 'output_tokens', sum(c.output_tokens)`;

const list = (rows: string) =>
  `coalesce((SELECT json_agg(x.item ORDER BY x.n DESC, x.name COLLATE "C") FROM (${rows}) x), '[]')`;

const RECOUNT_TOKENS = `
  WITH calls AS (SELECT e.* FROM (${EVENTS}) e WHERE e.kind = 1)
  SELECT json_build_object(
    'date', $4::text,
    'billable_tokens', coalesce(sum(c.billable_tokens), 0), 'input_tokens', coalesce(sum(c.input_tokens), 0),
    'output_tokens', coalesce(sum(c.output_tokens), 0), 'cache_read_tokens', coalesce(sum(c.cache_read_tokens), 0),
    'cache_write_tokens', coalesce(sum(c.cache_write_tokens), 0),
    'by_model', ${list(`SELECT c.name, sum(c.billable_tokens) AS n, json_build_object(${MODEL_FIELDS}) AS item FROM calls c GROUP BY c.name`)},
    'by_user', ${list(`
      SELECT m.user_id::text AS name, sum(m.n) AS n, json_build_object('user_id', m.user_id, 'billable_tokens', sum(m.n),
             'by_model', json_agg(m.item ORDER BY m.n DESC, m.name COLLATE "C")) AS item
        FROM (SELECT c.user_id, c.name, sum(c.billable_tokens) AS n, json_build_object(${MODEL_FIELDS}) AS item
                FROM calls c GROUP BY c.user_id, c.name) m
       GROUP BY m.user_id`)}) AS row
  FROM calls c`;

const counted = (kinds: string, name: string, fields: string) =>
  list(`SELECT e.${name} AS name, count(*) AS n, json_build_object(${fields}, count(*)) AS item
          FROM day e WHERE e.kind IN (${kinds}) AND e.${name} IS NOT NULL GROUP BY e.${name}`);

const HOOK = `(e.name::json ->> 0) || chr(1) || (e.name::json ->> 1) || chr(1) || (e.name::json ->> 2)`;

const share = (condition: string) =>
  `coalesce(count(*) FILTER (WHERE d.kind = 2 AND ${condition})::float8 / nullif(count(*) FILTER (WHERE d.kind = 2), 0), 0)`;

// Percentiles as arrays: Postgres rounds the single form differently where the processor can multiply and add at once.
const RECOUNT_TOOLS = `
  WITH day AS (${EVENTS}),
  sessions AS (
    SELECT d.user_id, d.session_id, count(*) FILTER (WHERE d.kind = 2) AS calls, count(*) FILTER (WHERE d.kind = 3) AS turns
      FROM day d WHERE d.session_id IS NOT NULL GROUP BY d.user_id, d.session_id),
  ratios AS (SELECT s.calls::float8 / s.turns AS ratio FROM sessions s WHERE s.turns > 0)
  SELECT json_build_object(
    'date', $4::text,
    'tool_calls', count(*) FILTER (WHERE d.kind = 2),
    'by_tool', ${counted('2', 'name', `'tool', e.name, 'invocations'`)},
    'mcp_users_with_mcp', count(DISTINCT d.user_id) FILTER (WHERE d.kind = 2 AND d.detail IS NOT NULL),
    'mcp_by_server', ${list(`
      SELECT f.name, f.n, json_build_object('server', f.name, 'invocations', f.n) AS item
        FROM (SELECT DISTINCT ON (m.detail_folded) m.detail AS name, sum(m.n) OVER (PARTITION BY m.detail_folded) AS n
                FROM (SELECT e.detail_folded, e.detail, count(*) AS n FROM day e
                       WHERE e.kind = 2 AND e.detail IS NOT NULL GROUP BY e.detail_folded, e.detail) m
               ORDER BY m.detail_folded, m.n DESC, m.detail COLLATE "C") f`)},
    'skills_invocations', count(*) FILTER (WHERE d.kind = 10),
    'skills_by_name', ${counted('10', 'name', `'name', e.name, 'count'`)},
    'slash_commands_invocations', count(*) FILTER (WHERE d.kind = 11),
    'slash_commands_by_name', ${counted('11', 'name', `'name', e.name, 'count'`)},
    'hooks_invocations', count(*) FILTER (WHERE d.kind = 12),
    'hooks_by_event', ${list(`SELECT ${HOOK} AS name, count(*) AS n, json_build_object('event', e.name::json -> 0,
        'matcher', e.name::json -> 1, 'command', e.name::json -> 2, 'count', count(*)) AS item
       FROM day e WHERE e.kind = 12 GROUP BY e.name`)},
    'web_users', count(DISTINCT d.user_id) FILTER (WHERE d.client = 2),
    'autonomy_ratio_avg', coalesce((SELECT avg(r.ratio ORDER BY r.ratio) FROM ratios r), 0),
    'autonomy_ratio_p50', coalesce((SELECT (percentile_cont(ARRAY[0.5]) WITHIN GROUP (ORDER BY r.ratio))[1] FROM ratios r), 0),
    'autonomy_ratio_p90', coalesce((SELECT (percentile_cont(ARRAY[0.9]) WITHIN GROUP (ORDER BY r.ratio))[1] FROM ratios r), 0),
    'tool_calls_per_session_avg', coalesce((SELECT sum(s.calls)::float8 / count(*) FROM sessions s), 0),
    'user_turns_per_session_avg', coalesce((SELECT sum(s.turns)::float8 / count(*) FROM sessions s), 0),
    'tool_autonomy_level_ratio', json_build_object('auto_high', ${share('d.autonomy = 1')},
      'auto_medium', ${share('d.autonomy = 2')}, 'auto_low', ${share('d.autonomy = 3')},
      'manual', ${share('d.autonomy NOT IN (1, 2, 3)')})) AS row
  FROM day d`;

const RECOUNT_PRODUCTIVITY = `
  WITH day AS (${EVENTS})
  SELECT json_build_object(
    'date', $4::text,
    'files_created', count(*) FILTER (WHERE d.kind = 6), 'files_edited', count(*) FILTER (WHERE d.kind = 7),
    'by_extension', ${counted('6, 7', 'detail', `'extension', e.detail, 'count'`)},
    'by_language', ${counted('6, 7', 'name', `'language', e.name, 'count'`)},
    'git_commits', count(*) FILTER (WHERE d.kind = 8), 'git_prs_created', count(*) FILTER (WHERE d.kind = 9)) AS row
  FROM day d`;

const usersWithin = (days: number) => `(SELECT count(DISTINCT w.user_id) FROM events w
    WHERE w.org_id = $1 AND w.at >= $3::timestamptz - interval '${days} days' AND w.at < $3)`;
const usersOf = (client: number) => `count(DISTINCT d.user_id) FILTER (WHERE d.client = ${client})`;

const RECOUNT_ACTIVITY = `
  SELECT json_build_object(
    'date', $4::text, 'daily_active_users', count(DISTINCT d.user_id), 'weekly_active_users', ${usersWithin(7)},
    'monthly_active_users', ${usersWithin(30)},
    'daily_active_users_by_client', json_build_object('terminal-ui', ${usersOf(1)}, 'web', ${usersOf(2)},
      'non-interactive-cli', ${usersOf(3)}),
    'sessions', count(DISTINCT (d.user_id, d.session_id)) FILTER (WHERE d.kind = 5 AND d.session_id IS NOT NULL),
    'messages', count(*) FILTER (WHERE d.kind IN (3, 4)), 'user_messages', count(*) FILTER (WHERE d.kind = 3)) AS row
  FROM (${EVENTS}) d`;

const of = (condition: string) => `count(*) FILTER (WHERE ${condition})`;
const RECOUNT_USERS = `
  WITH day AS (${EVENTS}),
  models AS (
    SELECT DISTINCT ON (m.user_id) m.user_id, m.name, m.tier
      FROM (SELECT c.user_id, c.name, ${TIER} AS tier, sum(c.billable_tokens) AS n
              FROM day c WHERE c.kind = 1 GROUP BY c.user_id, c.name) m
     ORDER BY m.user_id, m.n DESC, m.name COLLATE "C"),
  levels AS (
    SELECT DISTINCT ON (l.user_id) l.user_id, (ARRAY['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'])[l.autonomy] AS name
      FROM (SELECT t.user_id, t.autonomy, count(*) AS n FROM day t WHERE t.kind = 2 GROUP BY t.user_id, t.autonomy) l
     ORDER BY l.user_id, l.n DESC, l.autonomy),
  languages AS (
    SELECT f.user_id, json_agg(DISTINCT f.name COLLATE "C") AS names FROM day f WHERE f.kind IN (6, 7) GROUP BY f.user_id)
  SELECT coalesce(json_agg(x.row ORDER BY x.user_id), '[]') AS row FROM (
    SELECT d.user_id, json_build_object(
      'user_id', d.user_id, 'date', $4::text, 'tool_calls', ${of('d.kind = 2')},
      'billable_tokens', coalesce(sum(d.billable_tokens), 0),
      'primary_model', coalesce(max(m.name), 'unknown'),
      'primary_model_tier', coalesce(max(m.tier), 'standard'),
      'files_created', ${of('d.kind = 6')}, 'files_edited', ${of('d.kind = 7')}, 'git_commits', ${of('d.kind = 8')},
      'git_prs_created', ${of('d.kind = 9')}, 'mcp_calls', ${of('d.kind = 2 AND d.detail IS NOT NULL')},
      'skill_calls', ${of('d.kind = 10')}, 'slash_commands', ${of('d.kind = 11')}, 'hooks', ${of('d.kind = 12')},
      'sessions', count(DISTINCT d.session_id) FILTER (WHERE d.kind = 5), 'messages', ${of('d.kind IN (3, 4)')},
      'user_messages', ${of('d.kind = 3')}, 'assistant_messages', ${of('d.kind = 4')},
      'autonomy_ratio', coalesce(${of('d.kind = 2')}::float8 / nullif(${of('d.kind = 3')}, 0), 0),
      'delegation_level', coalesce(max(l.name), 'manual'),
      'languages', coalesce(max(g.names::text), '[]')::json) AS row
      FROM day d
      LEFT JOIN models m ON m.user_id = d.user_id
      LEFT JOIN levels l ON l.user_id = d.user_id
      LEFT JOIN languages g ON g.user_id = d.user_id
     GROUP BY d.user_id) x`;

const RECOUNT_TOKENS_BY_MODEL = `
  SELECT coalesce(json_agg(x.row ORDER BY x.name COLLATE "C"), '[]') AS row FROM (
    SELECT c.name, json_build_object('date', $4::text, 'group_key', c.name, 'billable_tokens', sum(c.billable_tokens),
             'input_tokens', sum(c.input_tokens), 'output_tokens', sum(c.output_tokens)) AS row
      FROM (${EVENTS}) c WHERE c.kind = 1 GROUP BY c.name) x`;

const RECOUNT_TOOLS_BY_NAME = `
  SELECT coalesce(json_agg(x.row ORDER BY x.name COLLATE "C"), '[]') AS row FROM (
    SELECT c.name, json_build_object('date', $4::text, 'group_key', c.name, 'tool_calls', count(*)) AS row
      FROM (${EVENTS}) c WHERE c.kind = 2 GROUP BY c.name) x`;

export const RECOUNTS = {
  tokens: RECOUNT_TOKENS,
  tokensByModel: RECOUNT_TOKENS_BY_MODEL,
  tools: RECOUNT_TOOLS,
  toolsByName: RECOUNT_TOOLS_BY_NAME,
  productivity: RECOUNT_PRODUCTIVITY,
  activity: RECOUNT_ACTIVITY,
  users: RECOUNT_USERS,
} as const;
export type RecountedReport = keyof typeof RECOUNTS;
