/*
 * Counts a day of an organization from its raw events, one simple statement for each row of the API. Shares no code with
 * the aggregation, so that each can be checked against the other.
 * $1 organization, $2 first instant of the day, $3 first instant after it, $4 the day.
 */

/** The codes in the events table, on purpose not imported. */
const KIND = {
  modelCall: 1,
  toolCall: 2,
  userMessage: 3,
  assistantMessage: 4,
  sessionStarted: 5,
  fileCreated: 6,
  fileEdited: 7,
  gitCommit: 8,
  pullRequest: 9,
  skill: 10,
  slashCommand: 11,
  hook: 12,
};
const CLIENT = { terminalUi: 1, web: 2, nonInteractive: 3 };
const AUTONOMY = { high: 1, medium: 2, low: 3 };
const THINKING_TIER = 2;
const FILES = `${KIND.fileCreated}, ${KIND.fileEdited}`;
const MESSAGES = `${KIND.userMessage}, ${KIND.assistantMessage}`;

const EVENTS = `SELECT e.*, n.name, n.folded, d.name AS detail, d.folded AS detail_folded
    FROM events e
    LEFT JOIN event_names n ON n.org_id = e.org_id AND n.id = e.name_id
    LEFT JOIN event_names d ON d.org_id = e.org_id AND d.id = e.detail_id
   WHERE e.org_id = $1 AND e.at >= $2 AND e.at < $3`;

const countOf = (kinds: number | string, condition = 'true') =>
  `count(*) FILTER (WHERE d.kind IN (${kinds}) AND ${condition})`;

const TIER = `CASE max(c.tier) WHEN ${THINKING_TIER} THEN 'thinking' ELSE 'standard' END`;

const MODEL_FIELDS = `'model_id', c.name, 'model_tier', ${TIER}, 'billable_tokens', sum(c.billable_tokens),
  'input_tokens', sum(c.input_tokens), 'output_tokens', sum(c.output_tokens)`;

const list = (rows: string) =>
  `coalesce((SELECT json_agg(x.item ORDER BY x.n DESC, x.name COLLATE "C") FROM (${rows}) x), '[]')`;

const RECOUNT_TOKENS = `
  WITH calls AS (SELECT e.* FROM (${EVENTS}) e WHERE e.kind = ${KIND.modelCall})
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

const counted = (kinds: number | string, name: string, fields: string) =>
  list(`SELECT e.${name} AS name, count(*) AS n, json_build_object(${fields}, count(*)) AS item
          FROM day e WHERE e.kind IN (${kinds}) AND e.${name} IS NOT NULL GROUP BY e.${name}`);

const HOOK = `(e.name::json ->> 0) || chr(1) || (e.name::json ->> 1) || chr(1) || (e.name::json ->> 2)`;

const share = (condition: string) =>
  `coalesce(${countOf(KIND.toolCall, condition)}::float8 / nullif(${countOf(KIND.toolCall)}, 0), 0)`;

// Percentiles as arrays: the single form rounds differently on processors with fused multiply-add.
const RECOUNT_TOOLS = `
  WITH day AS (${EVENTS}),
  sessions AS (
    SELECT d.user_id, d.session_id, ${countOf(KIND.toolCall)} AS calls, ${countOf(KIND.userMessage)} AS turns
      FROM day d WHERE d.session_id IS NOT NULL GROUP BY d.user_id, d.session_id),
  ratios AS (SELECT s.calls::float8 / s.turns AS ratio FROM sessions s WHERE s.turns > 0)
  SELECT json_build_object(
    'date', $4::text,
    'tool_calls', ${countOf(KIND.toolCall)},
    'by_tool', ${counted(KIND.toolCall, 'name', `'tool', e.name, 'invocations'`)},
    'mcp_users_with_mcp', count(DISTINCT d.user_id) FILTER (WHERE d.kind = ${KIND.toolCall} AND d.detail IS NOT NULL),
    'mcp_by_server', ${list(`
      SELECT f.name, f.n, json_build_object('server', f.name, 'invocations', f.n) AS item
        FROM (SELECT DISTINCT ON (m.detail_folded) m.detail AS name, sum(m.n) OVER (PARTITION BY m.detail_folded) AS n
                FROM (SELECT e.detail_folded, e.detail, count(*) AS n FROM day e
                       WHERE e.kind = ${KIND.toolCall} AND e.detail IS NOT NULL GROUP BY e.detail_folded, e.detail) m
               ORDER BY m.detail_folded, m.n DESC, m.detail COLLATE "C") f`)},
    'skills_invocations', ${countOf(KIND.skill)},
    'skills_by_name', ${counted(KIND.skill, 'name', `'name', e.name, 'count'`)},
    'slash_commands_invocations', ${countOf(KIND.slashCommand)},
    'slash_commands_by_name', ${counted(KIND.slashCommand, 'name', `'name', e.name, 'count'`)},
    'hooks_invocations', ${countOf(KIND.hook)},
    'hooks_by_event', ${list(`SELECT ${HOOK} AS name, count(*) AS n, json_build_object('event', e.name::json -> 0,
        'matcher', e.name::json -> 1, 'command', e.name::json -> 2, 'count', count(*)) AS item
       FROM day e WHERE e.kind = ${KIND.hook} GROUP BY e.name`)},
    'web_users', count(DISTINCT d.user_id) FILTER (WHERE d.client = ${CLIENT.web}),
    'autonomy_ratio_avg', coalesce((SELECT avg(r.ratio ORDER BY r.ratio) FROM ratios r), 0),
    'autonomy_ratio_p50', coalesce((SELECT (percentile_cont(ARRAY[0.5]) WITHIN GROUP (ORDER BY r.ratio))[1] FROM ratios r), 0),
    'autonomy_ratio_p90', coalesce((SELECT (percentile_cont(ARRAY[0.9]) WITHIN GROUP (ORDER BY r.ratio))[1] FROM ratios r), 0),
    'tool_calls_per_session_avg', coalesce((SELECT sum(s.calls)::float8 / count(*) FROM sessions s), 0),
    'user_turns_per_session_avg', coalesce((SELECT sum(s.turns)::float8 / count(*) FROM sessions s), 0),
    'tool_autonomy_level_ratio', json_build_object('auto_high', ${share(`d.autonomy = ${AUTONOMY.high}`)},
      'auto_medium', ${share(`d.autonomy = ${AUTONOMY.medium}`)}, 'auto_low', ${share(`d.autonomy = ${AUTONOMY.low}`)},
      'manual', ${share(`d.autonomy NOT IN (${Object.values(AUTONOMY).join(', ')})`)})) AS row
  FROM day d`;

const RECOUNT_PRODUCTIVITY = `
  WITH day AS (${EVENTS})
  SELECT json_build_object(
    'date', $4::text,
    'files_created', ${countOf(KIND.fileCreated)}, 'files_edited', ${countOf(KIND.fileEdited)},
    'by_extension', ${counted(FILES, 'detail', `'extension', e.detail, 'count'`)},
    'by_language', ${counted(FILES, 'name', `'language', e.name, 'count'`)},
    'git_commits', ${countOf(KIND.gitCommit)}, 'git_prs_created', ${countOf(KIND.pullRequest)}) AS row
  FROM day d`;

const usersWithin = (days: number) => `(SELECT count(DISTINCT w.user_id) FROM events w
    WHERE w.org_id = $1 AND w.at >= $3::timestamptz - interval '${days} days' AND w.at < $3)`;
const usersOf = (client: number) => `count(DISTINCT d.user_id) FILTER (WHERE d.client = ${client})`;

const RECOUNT_ACTIVITY = `
  SELECT json_build_object(
    'date', $4::text, 'daily_active_users', count(DISTINCT d.user_id), 'weekly_active_users', ${usersWithin(7)},
    'monthly_active_users', ${usersWithin(30)},
    'daily_active_users_by_client', json_build_object('terminal-ui', ${usersOf(CLIENT.terminalUi)}, 'web', ${usersOf(CLIENT.web)},
      'non-interactive-cli', ${usersOf(CLIENT.nonInteractive)}),
    'sessions', count(DISTINCT (d.user_id, d.session_id)) FILTER (WHERE d.kind = ${KIND.sessionStarted} AND d.session_id IS NOT NULL),
    'messages', ${countOf(MESSAGES)}, 'user_messages', ${countOf(KIND.userMessage)}) AS row
  FROM (${EVENTS}) d`;

const RECOUNT_USERS = `
  WITH day AS (${EVENTS}),
  models AS (
    SELECT DISTINCT ON (m.user_id) m.user_id, m.name, m.tier
      FROM (SELECT c.user_id, c.name, ${TIER} AS tier, sum(c.billable_tokens) AS n
              FROM day c WHERE c.kind = ${KIND.modelCall} GROUP BY c.user_id, c.name) m
     ORDER BY m.user_id, m.n DESC, m.name COLLATE "C"),
  levels AS (
    SELECT DISTINCT ON (l.user_id) l.user_id, (ARRAY['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'])[l.autonomy] AS name
      FROM (SELECT t.user_id, t.autonomy, count(*) AS n FROM day t WHERE t.kind = ${KIND.toolCall} GROUP BY t.user_id, t.autonomy) l
     ORDER BY l.user_id, l.n DESC, l.autonomy),
  languages AS (
    SELECT f.user_id, json_agg(DISTINCT f.name COLLATE "C") AS names FROM day f WHERE f.kind IN (${FILES}) GROUP BY f.user_id)
  SELECT coalesce(json_agg(x.row ORDER BY x.user_id), '[]') AS row FROM (
    SELECT d.user_id, json_build_object(
      'user_id', d.user_id, 'date', $4::text, 'tool_calls', ${countOf(KIND.toolCall)},
      'billable_tokens', coalesce(sum(d.billable_tokens), 0),
      'primary_model', coalesce(max(m.name), 'unknown'),
      'primary_model_tier', coalesce(max(m.tier), 'standard'),
      'files_created', ${countOf(KIND.fileCreated)}, 'files_edited', ${countOf(KIND.fileEdited)}, 'git_commits', ${countOf(KIND.gitCommit)},
      'git_prs_created', ${countOf(KIND.pullRequest)}, 'mcp_calls', ${countOf(KIND.toolCall, 'd.detail IS NOT NULL')},
      'skill_calls', ${countOf(KIND.skill)}, 'slash_commands', ${countOf(KIND.slashCommand)}, 'hooks', ${countOf(KIND.hook)},
      'sessions', count(DISTINCT d.session_id) FILTER (WHERE d.kind = ${KIND.sessionStarted}), 'messages', ${countOf(MESSAGES)},
      'user_messages', ${countOf(KIND.userMessage)}, 'assistant_messages', ${countOf(KIND.assistantMessage)},
      'autonomy_ratio', coalesce(${countOf(KIND.toolCall)}::float8 / nullif(${countOf(KIND.userMessage)}, 0), 0),
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
      FROM (${EVENTS}) c WHERE c.kind = ${KIND.modelCall} GROUP BY c.name) x`;

const RECOUNT_TOOLS_BY_NAME = `
  SELECT coalesce(json_agg(x.row ORDER BY x.name COLLATE "C"), '[]') AS row FROM (
    SELECT c.name, json_build_object('date', $4::text, 'group_key', c.name, 'tool_calls', count(*)) AS row
      FROM (${EVENTS}) c WHERE c.kind = ${KIND.toolCall} GROUP BY c.name) x`;

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
