/*
 * Counts the facts of a day from its raw events, and reads the stored ones in the same shape. Shares no code with the
 * aggregation. $1 organization, $2 first instant of the day, $3 first instant after it, $4 the day; of models, $5 the
 * price classes as JSON.
 */

/** The codes in the events table, on purpose not imported. */
const [MODEL_CALL, TOOL_CALL, USER_MESSAGE, ASSISTANT_MESSAGE, SESSION_STARTED] = [1, 2, 3, 4, 5];
const [FILE_CREATED, FILE_EDITED, GIT_COMMIT, PULL_REQUEST, SKILL, SLASH_COMMAND, HOOK] = [6, 7, 8, 9, 10, 11, 12];
const [TERMINAL_UI, WEB, HEADLESS] = [1, 2, 3];
const [HIGH, MEDIUM, LOW, SPEC, OFF] = [1, 2, 3, 4, 5];

const EVENTS = `SELECT * FROM events e WHERE e.org_id = $1 AND e.at >= $2 AND e.at < $3`;
const STORED = `f.org_id = $1 AND f.day = $4 AND f.version = (
    SELECT d.version FROM analytics_days d WHERE d.org_id = $1 AND d.day = $4)`;

const kind = (code: number | undefined, more = 'true') => `sum((d.kind = ${code} AND ${more})::int)`;
const level = (code: number | undefined) => kind(TOOL_CALL, `d.autonomy = ${code}`);
const client = (code: number | undefined) => `sum((d.client = ${code})::int)`;

/** Of one user, or of all. */
const FIGURES: Record<string, string> = {
  billable_tokens: 'coalesce(sum(d.billable_tokens), 0)',
  tool_calls: kind(TOOL_CALL),
  mcp_calls: kind(TOOL_CALL, 'd.detail_id IS NOT NULL'),
  skill_calls: kind(SKILL),
  slash_commands: kind(SLASH_COMMAND),
  hooks: kind(HOOK),
  user_messages: kind(USER_MESSAGE),
  assistant_messages: kind(ASSISTANT_MESSAGE),
  sessions: `count(DISTINCT (d.user_id, d.session_id)) FILTER (WHERE d.kind = ${SESSION_STARTED} AND d.session_id IS NOT NULL)`,
  files_created: kind(FILE_CREATED),
  files_edited: kind(FILE_EDITED),
  git_commits: kind(GIT_COMMIT),
  git_prs_created: kind(PULL_REQUEST),
  auto_high: level(HIGH),
  auto_medium: level(MEDIUM),
  auto_low: level(LOW),
  spec: level(SPEC),
  manual: level(OFF),
  terminal_ui_events: client(TERMINAL_UI),
  web_events: client(WEB),
  headless_events: client(HEADLESS),
};
const fields = (of: (figure: string, sql: string) => string, figures = FIGURES) =>
  Object.entries(figures)
    .map(([figure, sql]) => `'${figure}', ${of(figure, sql)}`)
    .join(', ');
const counted = fields((_, sql) => sql);
const stored = fields((figure) => `f.${figure}`);

const SESSIONS = `
  SELECT d.user_id, d.session_id, ${kind(TOOL_CALL)} AS calls, ${kind(USER_MESSAGE)} AS turns
    FROM (${EVENTS}) d WHERE d.session_id IS NOT NULL GROUP BY d.user_id, d.session_id`;

/** Each event has up to two names. Those of model calls are models and price books. */
const NAMES = `
  SELECT d.user_id, d.name_id FROM (${EVENTS}) d WHERE d.kind <> ${MODEL_CALL} AND d.name_id IS NOT NULL
  UNION ALL
  SELECT d.user_id, d.detail_id FROM (${EVENTS}) d WHERE d.kind <> ${MODEL_CALL} AND d.detail_id IS NOT NULL`;

const USER_FACTS = {
  recount: `
    WITH named AS (SELECT n.user_id, n.name_id, count(*) AS n FROM (${NAMES}) n GROUP BY n.user_id, n.name_id),
    sessions AS (${SESSIONS})
    SELECT coalesce(json_object_agg(u.user_id, u.fact), '{}') AS row FROM (
      SELECT d.user_id, json_build_object(${counted},
             'clients', (SELECT sum(1 << c.client) FROM (SELECT DISTINCT x.client FROM (${EVENTS}) x WHERE x.user_id = d.user_id) c),
             'per_session', coalesce((SELECT json_agg(json_build_array(s.calls, s.turns) ORDER BY s.calls, s.turns)
                                        FROM sessions s WHERE s.user_id = d.user_id), '[]'),
             'names', coalesce((SELECT json_agg(json_build_array(n.name_id, n.n) ORDER BY n.n DESC, n.name_id)
                                  FROM named n WHERE n.user_id = d.user_id), '[]')) AS fact
        FROM (${EVENTS}) d GROUP BY d.user_id) u`,
  stored: `
    SELECT coalesce(json_object_agg(f.user_id, json_build_object(${stored}, 'clients', f.clients,
           'per_session', coalesce((SELECT json_agg(json_build_array(s.calls, s.turns) ORDER BY s.calls, s.turns)
                                      FROM unnest(f.session_tool_calls, f.session_user_messages) AS s (calls, turns)), '[]'),
           'names', coalesce((SELECT json_agg(json_build_array(n.id, n.n) ORDER BY n.n DESC, n.id)
                                FROM unnest(f.name_ids, f.name_counts) AS n (id, n)), '[]'))), '{}') AS row
      FROM user_facts f WHERE ${STORED}`,
};

const usersOf = (code: number | undefined) => `count(DISTINCT d.user_id) FILTER (WHERE d.client = ${code})`;
const RATIOS = `SELECT s.calls::float8 / s.turns AS ratio FROM sessions s WHERE s.turns > 0`;
/** As arrays: the single form rounds differently on processors with fused multiply-add. */
const percentile = (share: number) =>
  `coalesce((SELECT (percentile_cont(ARRAY[${share}]) WITHIN GROUP (ORDER BY r.ratio))[1] FROM (${RATIOS}) r), 0)`;

const DAY_ONLY: Record<string, string> = {
  people: 'count(DISTINCT d.user_id)',
  mcp_people: `count(DISTINCT d.user_id) FILTER (WHERE d.kind = ${TOOL_CALL} AND d.detail_id IS NOT NULL)`,
  terminal_ui_people: usersOf(TERMINAL_UI),
  web_people: usersOf(WEB),
  headless_people: usersOf(HEADLESS),
  autonomy_ratio_avg: `coalesce((SELECT avg(r.ratio ORDER BY r.ratio) FROM (${RATIOS}) r), 0)`,
  autonomy_ratio_p50: percentile(0.5),
  autonomy_ratio_p90: percentile(0.9),
  tool_calls_per_session_avg: `coalesce((SELECT sum(s.calls)::float8 / count(*) FROM sessions s), 0)`,
  user_turns_per_session_avg: `coalesce((SELECT sum(s.turns)::float8 / count(*) FROM sessions s), 0)`,
};

const DAY_FACTS = {
  recount: `
    WITH sessions AS (${SESSIONS})
    SELECT coalesce((SELECT json_build_object(${counted}, ${fields((_, sql) => sql, DAY_ONLY)})
                       FROM (${EVENTS}) d HAVING count(*) > 0), '{}') AS row`,
  stored: `
    SELECT coalesce((SELECT json_build_object(${stored}, ${fields((figure) => `f.${figure}`, DAY_ONLY)})
                       FROM day_facts f WHERE ${STORED}), '{}') AS row`,
};

const NAME_FACTS = {
  recount: `
    SELECT coalesce(json_object_agg(concat(x.kind, ' ', x.name), json_build_object('count', x.n, 'people', x.people)), '{}') AS row
      FROM (SELECT n.kind, n.name, count(*) AS n, count(DISTINCT u.user_id) AS people
              FROM (${NAMES}) u JOIN event_names n ON n.org_id = $1 AND n.id = u.name_id
             GROUP BY n.id, n.kind, n.name) x`,
  stored: `
    SELECT coalesce(json_object_agg(concat(f.kind, ' ', n.name), json_build_object('count', f.count, 'people', f.people)), '{}') AS row
      FROM name_facts f JOIN event_names n ON n.org_id = f.org_id AND n.id = f.name_id WHERE ${STORED}`,
};

const TOKENS = [
  'tier',
  'calls',
  'input',
  'output',
  'billable',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'reported_cost',
];
const tokens = (row: string) => TOKENS.map((column) => `'${column}', ${row}.${column}`).join(', ');

/** The class of a call: the largest limit below its input, and the beginning of its window. */
const CALLS = `
  SELECT c.*, CASE WHEN c.is_sum THEN -1 ELSE coalesce((
                SELECT max(k.above) FROM limits k WHERE k.model = c.name AND k.above < c.input_tokens
                   AND k.from_minute <= c.minute AND c.minute < k.to_minute), 0) END AS above,
         coalesce((SELECT max(k.from_minute) FROM limits k WHERE k.model = c.name
                      AND k.from_minute <= c.minute AND c.minute < k.to_minute), 0) AS window_minute
    FROM (SELECT d.*, n.name, floor(extract(epoch FROM d.at - $2::timestamptz) / 60)::int AS minute
            FROM (${EVENTS}) d JOIN event_names n ON n.org_id = $1 AND n.id = d.name_id WHERE d.kind = ${MODEL_CALL}) c`;

const recountModels = (user: string) => `
  WITH limits AS (
    SELECT * FROM json_to_recordset($5::json) AS k (model text, above int, from_minute int, to_minute int)),
  calls AS MATERIALIZED (${CALLS}),
  sums AS (
    SELECT concat_ws(' ', ${user} c.client, c.above, c.window_minute, c.name) AS key, max(c.tier) AS tier, count(*) AS calls,
           sum(c.input_tokens) AS input, sum(c.output_tokens) AS output, sum(c.billable_tokens) AS billable,
           coalesce(sum(c.cache_read_tokens), 0) AS cache_read, coalesce(sum(c.cache_write_tokens), 0) AS cache_write,
           sum(c.cache_write_1h_tokens) AS cache_write_1h, sum(c.reported_cost) AS reported_cost
      FROM calls c GROUP BY 1)
  SELECT coalesce(json_object_agg(s.key, json_build_object(${tokens('s')})), '{}') AS row FROM sums s`;

const storedModels = (table: string, user: string) => `
  SELECT coalesce(json_object_agg(concat_ws(' ', ${user} f.client, f.above, f.minute, n.name), json_build_object(${tokens('f')})), '{}') AS row
    FROM ${table} f JOIN event_names n ON n.org_id = f.org_id AND n.id = f.model_id WHERE ${STORED}`;

export const FACT_RECOUNTS = {
  userFacts: USER_FACTS,
  dayFacts: DAY_FACTS,
  nameFacts: NAME_FACTS,
  userModelFacts: { recount: recountModels('c.user_id,'), stored: storedModels('user_model_facts', 'f.user_id,') },
  dayModelFacts: { recount: recountModels(''), stored: storedModels('day_model_facts', '') },
} as const;
export type FactReport = keyof typeof FACT_RECOUNTS;

/** The names of the models that were called. */
export const MODELS_OF_DAY = `
  SELECT DISTINCT n.name FROM (${EVENTS}) d JOIN event_names n ON n.org_id = $1 AND n.id = d.name_id
   WHERE d.kind = ${MODEL_CALL}`;
