import { CLIENT_CODE, EVENT_KIND } from '../../ingest/event-codes.js';
import { DOCUMENT_KIND } from '../day-documents.js';
import { modelItem, tierName } from './rollups.sql.js';

/*
 * Turns the rollups of a day into the documents that are served. Breakdowns are sorted by number, then by name in code
 * point order ("C"). In all statements $1 is the day and $2 the version.
 */

const K = EVENT_KIND;
const D = DOCUMENT_KIND;
const bit = (client: keyof typeof CLIENT_CODE) => 1 << CLIENT_CODE[client];

/** An erased user has only an id. */
const EMAIL = `coalesce(x.json, 'null')`;

export const INSERT_USER_DAYS = `
  INSERT INTO user_days (org_id, user_id, day, version, body)
  SELECT u.org_id, u.user_id, $1::date, $2::bigint, concat(
         '{"user_id":"', u.user_id, '","user_email":', ${EMAIL}, ',"date":"', $1::text,
         '","tool_calls":', u.tool_calls, ',"billable_tokens":', coalesce(t.billable, 0),
         ',"primary_model":', coalesce(t.primary_model, '"unknown"'), ',"primary_model_tier":"', ${tierName('t.primary_tier')},
         '","files_created":', u.files_created, ',"files_edited":', u.files_edited, ',"git_commits":', u.git_commits,
         ',"git_prs_created":', u.git_prs, ',"mcp_calls":', u.mcp_calls, ',"skill_calls":', u.skill_calls,
         ',"slash_commands":', u.slash_commands, ',"hooks":', u.hooks, ',"sessions":', u.sessions,
         ',"messages":', u.user_messages + u.assistant_messages, ',"user_messages":', u.user_messages,
         ',"assistant_messages":', u.assistant_messages, ',"autonomy_ratio":',
         CASE WHEN u.user_messages = 0 THEN 0 ELSE u.tool_calls::float8 / u.user_messages::float8 END,
         ',"delegation_level":"',
         CASE WHEN u.tool_calls = 0 THEN 'manual'
              WHEN u.auto_high >= greatest(u.auto_medium, u.auto_low, u.spec, u.manual) THEN 'auto-high'
              WHEN u.auto_medium >= greatest(u.auto_low, u.spec, u.manual) THEN 'auto-medium'
              WHEN u.auto_low >= greatest(u.spec, u.manual) THEN 'auto-low'
              WHEN u.spec >= u.manual THEN 'spec'
              ELSE 'manual' END,
         '","languages":[', l.languages, ']}')
    FROM user_rollup u
    LEFT JOIN user_tokens t ON t.org_id = u.org_id AND t.user_id = u.user_id
    LEFT JOIN (SELECT l.org_id, l.user_id, string_agg(l.json, ',') AS languages
                 FROM (SELECT l.org_id, l.user_id, n.json
                         FROM user_names l JOIN used_names n ON n.org_id = l.org_id AND n.id = l.name_id
                        WHERE l.tier IS NULL
                        ORDER BY l.org_id, l.user_id, n.rank) l
                GROUP BY l.org_id, l.user_id) l ON l.org_id = u.org_id AND l.user_id = u.user_id
    LEFT JOIN addresses x ON x.org_id = u.org_id AND x.user_id = u.user_id`;

/** For each breakdown: the JSON of an item up to its name, and the field with the number. */
const LISTS = {
  tool: { head: '{"tool":', count: 'invocations' },
  server: { head: '{"server":', count: 'invocations' },
  skill: { head: '{"name":', count: 'count' },
  slash: { head: '{"name":', count: 'count' },
  hook: { head: '{', count: 'count' },
  language: { head: '{"language":', count: 'count' },
  extension: { head: '{"extension":', count: 'count' },
};
const listNames = Object.keys(LISTS);
const ofList = (text: (list: { head: string; count: string }) => string) =>
  `CASE c.list ${Object.entries(LISTS)
    .map(([name, list]) => `WHEN '${name}' THEN '${text(list)}'`)
    .join(' ')} END`;

/** Per organization the items and the total of each list. Servers are grouped without regard to case. */
const CREATE_LISTS = `
  CREATE TEMP TABLE lists ON COMMIT DROP AS
  WITH counts AS (
    SELECT l.org_id, CASE l.kind WHEN ${K.tool_call} THEN 'tool' WHEN ${K.skill_used} THEN 'skill'
                                 WHEN ${K.slash_command} THEN 'slash' WHEN ${K.hook_run} THEN 'hook' ELSE 'language' END AS list,
           l.id, sum(l.n) AS n FROM name_rollup l GROUP BY 1, 2, 3
    UNION ALL
    SELECT l.org_id, CASE l.kind WHEN ${K.tool_call} THEN 'server' ELSE 'extension' END, l.id, sum(l.n)
      FROM detail_rollup l GROUP BY 1, 2, 3),
  named AS (
    SELECT c.org_id, c.list, c.n, n.rank, n.json, n.folded
      FROM counts c JOIN used_names n ON n.org_id = c.org_id AND n.id = c.id),
  folded AS (
    SELECT c.org_id, c.list, c.n, c.rank, c.json FROM named c WHERE c.list <> 'server'
    UNION ALL
    SELECT c.org_id, 'server', sum(c.n), (array_agg(c.rank ORDER BY c.n DESC, c.rank))[1],
           (array_agg(c.json ORDER BY c.n DESC, c.rank))[1]
      FROM named c WHERE c.list = 'server' GROUP BY c.org_id, c.folded),
  written AS (
    SELECT c.org_id, c.list, sum(c.n) AS n,
           string_agg(concat(${ofList(({ head }) => head)}, c.json, ${ofList(({ count }) => `,"${count}":`)}, c.n, '}'), ',') AS items
      FROM (SELECT c.* FROM folded c ORDER BY c.org_id, c.list, c.n DESC, c.rank) c
     GROUP BY c.org_id, c.list)
  SELECT w.org_id, ${listNames.map((name) => `max(w.items) FILTER (WHERE w.list = '${name}') AS ${name}`).join(', ')},
         ${listNames.map((name) => `coalesce(sum(w.n) FILTER (WHERE w.list = '${name}'), 0) AS ${name}_n`).join(', ')}
    FROM written w GROUP BY w.org_id`;

const CREATE_FACTS = `
  CREATE TEMP TABLE facts ON COMMIT DROP AS
  SELECT u.org_id, count(*)::int AS users,
         (count(*) FILTER (WHERE u.clients & ${bit('terminal-ui')} > 0))::int AS terminal_ui_users,
         (count(*) FILTER (WHERE u.clients & ${bit('web')} > 0))::int AS web_users,
         (count(*) FILTER (WHERE u.clients & ${bit('non-interactive-cli')} > 0))::int AS headless_users,
         (count(*) FILTER (WHERE u.mcp_calls > 0))::int AS mcp_users,
         sum(u.sessions) AS sessions, sum(u.user_messages)::bigint AS user_messages,
         sum(u.assistant_messages)::bigint AS assistant_messages, sum(u.tool_calls)::bigint AS tool_calls,
         sum(u.auto_high)::float8 AS auto_high, sum(u.auto_medium)::float8 AS auto_medium,
         sum(u.auto_low)::float8 AS auto_low, sum(u.spec + u.manual)::float8 AS manual,
         sum(u.files_created) AS files_created, sum(u.files_edited) AS files_edited,
         sum(u.git_commits) AS git_commits, sum(u.git_prs) AS git_prs
    FROM user_rollup u GROUP BY u.org_id`;

/** Over all sessions of the day; ratios over those with a message of the user. */
const CREATE_SESSION_FACTS = `
  CREATE TEMP TABLE session_facts ON COMMIT DROP AS
  SELECT s.org_id, sum(s.tool_calls)::float8 / count(*) AS tool_calls_avg,
         sum(s.user_messages)::float8 / count(*) AS user_turns_avg,
         avg(s.ratio ORDER BY s.ratio) AS ratio_avg,
         percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY s.ratio) AS ratio_percentiles
    FROM (SELECT s.org_id, s.tool_calls, s.user_messages, s.tool_calls::float8 / nullif(s.user_messages, 0)::float8 AS ratio
            FROM session_rollup s WHERE s.session_id IS NOT NULL) s
   GROUP BY s.org_id`;

export const PREPARE_DOCUMENTS = [CREATE_LISTS, CREATE_FACTS, CREATE_SESSION_FACTS];

const share = (level: string) => `CASE WHEN f.tool_calls = 0 THEN 0 ELSE f.${level} / f.tool_calls END`;

const insertDocuments = (kind: number, rows: string) => `
  INSERT INTO day_documents (org_id, kind, day, version, stored_bytes, body)
  SELECT d.org_id, ${kind}, $1::date, $2::bigint, octet_length(d.body), d.body
    FROM (${rows}) d`;

const TOOLS = `
  SELECT f.org_id, concat('{"date":"', $1::text, '","tool_calls":', f.tool_calls, ',"by_tool":[', x.tool,
         '],"mcp_users_with_mcp":', f.mcp_users, ',"mcp_by_server":[', x.server,
         '],"skills_invocations":', coalesce(x.skill_n, 0), ',"skills_by_name":[', x.skill,
         '],"slash_commands_invocations":', coalesce(x.slash_n, 0), ',"slash_commands_by_name":[', x.slash,
         '],"hooks_invocations":', coalesce(x.hook_n, 0), ',"hooks_by_event":[', x.hook,
         '],"web_users":', f.web_users, ',"autonomy_ratio_avg":', coalesce(s.ratio_avg, 0),
         ',"autonomy_ratio_p50":', coalesce(s.ratio_percentiles[1], 0),
         ',"autonomy_ratio_p90":', coalesce(s.ratio_percentiles[2], 0),
         ',"tool_calls_per_session_avg":', coalesce(s.tool_calls_avg, 0),
         ',"user_turns_per_session_avg":', coalesce(s.user_turns_avg, 0),
         ',"tool_autonomy_level_ratio":{"auto_high":', ${share('auto_high')}, ',"auto_medium":', ${share('auto_medium')},
         ',"auto_low":', ${share('auto_low')}, ',"manual":', ${share('manual')}, '}}') AS body
    FROM facts f LEFT JOIN lists x ON x.org_id = f.org_id LEFT JOIN session_facts s ON s.org_id = f.org_id`;

const TOOLS_BY_NAME = `
  SELECT t.org_id, string_agg(concat('{"date":"', $1::text, '","group_key":', t.json, ',"tool_calls":', t.n, '}'), ',') AS body
    FROM (SELECT l.org_id, n.json, l.n
            FROM name_rollup l JOIN used_names n ON n.org_id = l.org_id AND n.id = l.id
           WHERE l.kind = ${K.tool_call} ORDER BY l.org_id, n.rank) t
   GROUP BY t.org_id`;

const PRODUCTIVITY = `
  SELECT f.org_id, concat('{"date":"', $1::text, '","files_created":', f.files_created, ',"files_edited":', f.files_edited,
         ',"by_extension":[', x.extension, '],"by_language":[', x.language,
         '],"git_commits":', f.git_commits, ',"git_prs_created":', f.git_prs, '}') AS body
    FROM facts f LEFT JOIN lists x ON x.org_id = f.org_id`;

/** The row of `/tokens` without breakdowns and without the closing brace. */
const TOKEN_TOTALS = `
  concat('{"date":"', $1::text, '","billable_tokens":', sum(m.billable), ',"input_tokens":', sum(m.input),
         ',"output_tokens":', sum(m.output), ',"cache_read_tokens":', sum(m.cache_read),
         ',"cache_write_tokens":', sum(m.cache_write))`;

const TOKENS_BY_MODEL = `
  SELECT m.org_id, string_agg(concat('{"date":"', $1::text, '","group_key":', m.json, ',"billable_tokens":', m.billable,
                              ',"input_tokens":', m.input, ',"output_tokens":', m.output, '}'), ',') AS body
    FROM (SELECT m.org_id, n.json, m.billable, m.input, m.output
            FROM org_models m JOIN used_names n ON n.org_id = m.org_id AND n.id = m.name_id
           ORDER BY m.org_id, n.rank) m GROUP BY m.org_id`;

export const INSERT_DOCUMENTS = [
  insertDocuments(D.tools, TOOLS),
  insertDocuments(D.toolsByName, TOOLS_BY_NAME),
  insertDocuments(D.productivity, PRODUCTIVITY),
  insertDocuments(D.tokensByModel, TOKENS_BY_MODEL),
  insertDocuments(D.tokenTotals, `SELECT m.org_id, ${TOKEN_TOTALS} || '}' AS body FROM org_models m GROUP BY m.org_id`),
];

export const SELECT_TOKEN_ROWS = `
  SELECT t.org_id AS "orgId", concat(t.head, ',"by_user":[', u.by_user, ']}') AS row
    FROM (SELECT m.org_id, concat(${TOKEN_TOTALS}, ',"by_model":[', string_agg(m.item, ','), ']') AS head
            FROM (SELECT m.*, ${modelItem('m', 'n.json')} AS item
                    FROM org_models m JOIN used_names n ON n.org_id = m.org_id AND n.id = m.name_id
                   ORDER BY m.org_id, m.billable DESC, n.rank) m GROUP BY m.org_id) t
    JOIN (SELECT u.org_id, string_agg(concat('{"user_id":"', u.user_id, '","user_email":', u.email,
                             ',"billable_tokens":', u.billable, ',"by_model":[', u.by_model, ']}'), ',') AS by_user
            FROM (SELECT t.org_id, t.user_id, t.billable, t.by_model, ${EMAIL} AS email
                    FROM user_tokens t LEFT JOIN addresses x ON x.org_id = t.org_id AND x.user_id = t.user_id
                   ORDER BY t.org_id, t.billable DESC, t.user_id) u
           GROUP BY u.org_id) u ON u.org_id = t.org_id`;

export const INSERT_TOKEN_FRAGMENTS = `
  INSERT INTO day_documents (org_id, kind, day, version, stored_bytes, fragment, plain_bytes, plain_crc)
  SELECT d.org_id, ${D.tokens}, $1::date, $2::bigint, octet_length(d.fragment), d.fragment, d.plain_bytes, d.plain_crc
    FROM unnest($3::uuid[], $4::bytea[], $5::bigint[], $6::bigint[]) AS d (org_id, fragment, plain_bytes, plain_crc)`;

/** Serves the new version; the old one is kept for responses that are still reading it. */
export const PUBLISH = `
  WITH replaced AS (
    INSERT INTO superseded_days (org_id, day, version, superseded_at)
    SELECT d.org_id, d.day, d.version, $4 FROM analytics_days d
     WHERE d.org_id = ANY ($3::uuid[]) AND d.day = $1::date AND d.version IS NOT NULL)
  INSERT INTO analytics_days AS d (org_id, day, version, activity_version, computed_at, daily_users, terminal_ui_users,
         web_users, headless_users, sessions, user_messages, assistant_messages)
  SELECT o.org_id, $1::date, $2::bigint, $2::bigint, $4, coalesce(f.users, 0), coalesce(f.terminal_ui_users, 0),
         coalesce(f.web_users, 0), coalesce(f.headless_users, 0), coalesce(f.sessions, 0),
         coalesce(f.user_messages, 0), coalesce(f.assistant_messages, 0)
    FROM unnest($3::uuid[]) AS o (org_id) LEFT JOIN facts f ON f.org_id = o.org_id
  ON CONFLICT (org_id, day) DO UPDATE
     SET version = excluded.version, activity_version = excluded.activity_version, computed_at = excluded.computed_at,
         daily_users = excluded.daily_users, terminal_ui_users = excluded.terminal_ui_users,
         web_users = excluded.web_users, headless_users = excluded.headless_users, sessions = excluded.sessions,
         user_messages = excluded.user_messages, assistant_messages = excluded.assistant_messages`;

export const RECORD_CHANGE = `
  INSERT INTO analytics_changes (org_id, version)
  SELECT o.org_id, $2::bigint FROM unnest($1::uuid[]) AS o (org_id) ORDER BY o.org_id
  ON CONFLICT (org_id) DO UPDATE SET version = excluded.version`;

/**
 * Exact weekly and monthly users of every day from $1 to $2, for the organizations $3. An active day counts for 7 or 30
 * days or until the user's next active day: these spans do not overlap, so sums are exact. Missing rows up to day $6
 * are added; later rows exist only if a clock was ahead. $4 is the new version, $5 the time.
 */
export const REFRESH_ACTIVES = `
  WITH active AS (
    SELECT u.org_id, u.day, lead(u.day) OVER (PARTITION BY u.org_id, u.user_id ORDER BY u.day) AS next_day
      FROM analytics_days d
      JOIN user_days u ON u.org_id = d.org_id AND u.day = d.day AND u.version = d.version
     WHERE d.org_id = ANY ($3::uuid[]) AND d.day > $1::date - 30 AND d.day <= $2::date),
  spans AS (
    SELECT a.org_id, a.day, least(a.day + 6, a.next_day - 1) AS week_end, least(a.day + 29, a.next_day - 1) AS month_end,
           count(*) AS users
      FROM active a GROUP BY a.org_id, a.day, 3, 4)
  INSERT INTO analytics_days AS d (org_id, day, activity_version, computed_at, weekly_users, monthly_users)
  SELECT o.org_id, x.day::date, $4::bigint, $5, coalesce(sum(s.users) FILTER (WHERE s.week_end >= x.day::date), 0),
         coalesce(sum(s.users), 0)
    FROM unnest($3::uuid[]) AS o (org_id)
   CROSS JOIN generate_series($1::date, $2::date, '1 day') AS x (day)
    LEFT JOIN spans s ON s.org_id = o.org_id AND s.day <= x.day::date AND s.month_end >= x.day::date
   WHERE x.day::date <= $6::date
      OR EXISTS (SELECT FROM analytics_days e WHERE e.org_id = o.org_id AND e.day = x.day::date)
   GROUP BY o.org_id, x.day
  ON CONFLICT (org_id, day) DO UPDATE
     SET weekly_users = excluded.weekly_users, monthly_users = excluded.monthly_users,
         activity_version = excluded.activity_version, computed_at = excluded.computed_at
   WHERE (d.weekly_users, d.monthly_users) IS DISTINCT FROM (excluded.weekly_users, excluded.monthly_users)`;

/** Organizations of $1 whose rows end before the day before $2, with the first missing day. */
export const SELECT_GAPS = `
  SELECT g.org_id AS "orgId", (g.last_day + 1)::text AS "from"
    FROM (SELECT d.org_id, max(d.day) AS last_day FROM analytics_days d
           WHERE d.org_id = ANY ($1::uuid[]) AND d.day < $2::date GROUP BY d.org_id) g
   WHERE g.last_day < $2::date - 1`;

/** Organizations of $1 whose day $2 was computed before, so that its new events are late. */
export const SELECT_LATE = `
  SELECT d.org_id AS "orgId" FROM analytics_days d
   WHERE d.org_id = ANY ($1::uuid[]) AND d.day = $2::date AND d.version IS NOT NULL`;

/** The share of each organization in the computation, by users and sessions. */
export const SELECT_WEIGHTS = `SELECT s.org_id AS "orgId", count(*)::int AS weight FROM session_rollup s GROUP BY s.org_id`;

/**
 * Records that day $1 was computed in version $2, started at $3, for the organizations $4, and pauses it for $5
 * milliseconds (null: no pause). Returns the organizations for which it had failed before.
 */
export const RECORD_COMPUTATION = `
  WITH failed AS (
    SELECT k.org_id FROM day_computations k
     WHERE k.org_id = ANY ($4::uuid[]) AND k.day = $1::date AND k.failure IS NOT NULL),
  noted AS (
    INSERT INTO day_computations (org_id, day, version, started_at, not_before)
    SELECT o.org_id, $1::date, $2::bigint, $3, $3::timestamptz + o.pause_ms * interval '1 ms'
      FROM unnest($4::uuid[], $5::int[]) AS o (org_id, pause_ms) ORDER BY o.org_id
    ON CONFLICT (org_id, day) DO UPDATE
       SET version = excluded.version, started_at = excluded.started_at, not_before = excluded.not_before, failures = 0,
           failure = NULL)
  SELECT f.org_id AS "orgId" FROM failed f`;
