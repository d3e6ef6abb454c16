import { CLIENT_CODE } from '../../../ingest/event-codes.js';
import { FIGURES, TOKEN_COLUMNS } from './figures.js';

/* The facts of a day, from those of its users in the same version. $1 day, $2 version, $3 organizations. */

export const ofVersion = (row: string) =>
  `${row}.org_id = ANY ($3::uuid[]) AND ${row}.day = $1::date AND ${row}.version = $2::bigint`;

export const INSERT_DAY_MODEL_FACTS = `
  INSERT INTO day_model_facts (org_id, day, version, model_id, client, above, minute, tier, ${TOKEN_COLUMNS.join(', ')})
  SELECT m.org_id, m.day, m.version, m.model_id, m.client, m.above, m.minute, max(m.tier),
         ${TOKEN_COLUMNS.map((column) => `sum(m.${column})`).join(', ')}
    FROM user_model_facts m WHERE ${ofVersion('m')}
   GROUP BY m.org_id, m.day, m.version, m.model_id, m.client, m.above, m.minute`;

export const INSERT_NAME_FACTS = `
  INSERT INTO name_facts (org_id, day, version, name_id, kind, count, people)
  SELECT c.org_id, $1::date, $2::bigint, c.name_id, n.kind, c.count, c.people
    FROM (SELECT u.org_id, u.name_id, sum(u.n) AS count, count(*) AS people
            FROM (SELECT u.org_id, unnest(u.name_ids) AS name_id, unnest(u.name_counts) AS n
                    FROM user_facts u WHERE ${ofVersion('u')}) u
           GROUP BY u.org_id, u.name_id) c
    JOIN event_names n ON n.org_id = c.org_id AND n.id = c.name_id`;

const peopleOf = (client: keyof typeof CLIENT_CODE) =>
  `count(*) FILTER (WHERE u.clients & ${1 << CLIENT_CODE[client]} > 0)`;

const PEOPLE = {
  people: 'count(*)',
  mcp_people: 'count(*) FILTER (WHERE u.mcp_calls > 0)',
  terminal_ui_people: peopleOf('terminal-ui'),
  web_people: peopleOf('web'),
  headless_people: peopleOf('non-interactive-cli'),
};
const PER_SESSION = [
  'autonomy_ratio_avg',
  'autonomy_ratio_p50',
  'autonomy_ratio_p90',
  'tool_calls_per_session_avg',
  'user_turns_per_session_avg',
];
const USER_COLUMNS = [...Object.keys(PEOPLE), ...FIGURES];

/** Averages over all sessions of the day; ratios over those with a message of the user. */
const SESSIONS = `
  SELECT s.org_id, sum(s.tool_calls)::float8 / count(*) AS tool_calls_per_session_avg,
         sum(s.user_messages)::float8 / count(*) AS user_turns_per_session_avg,
         avg(s.ratio ORDER BY s.ratio) AS autonomy_ratio_avg,
         percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY s.ratio) AS percentiles
    FROM (SELECT x.org_id, x.tool_calls, x.user_messages,
                 x.tool_calls::float8 / nullif(x.user_messages, 0)::float8 AS ratio
            FROM (SELECT u.org_id, unnest(u.session_tool_calls) AS tool_calls,
                         unnest(u.session_user_messages) AS user_messages
                    FROM user_facts u WHERE ${ofVersion('u')}) x) s
   GROUP BY s.org_id`;

export const INSERT_DAY_FACTS = `
  INSERT INTO day_facts (org_id, day, version, ${[...USER_COLUMNS, ...PER_SESSION].join(', ')})
  SELECT f.org_id, $1::date, $2::bigint, ${USER_COLUMNS.map((column) => `f.${column}`).join(', ')},
         coalesce(s.autonomy_ratio_avg, 0), coalesce(s.percentiles[1], 0), coalesce(s.percentiles[2], 0),
         coalesce(s.tool_calls_per_session_avg, 0), coalesce(s.user_turns_per_session_avg, 0)
    FROM (SELECT u.org_id, ${Object.entries(PEOPLE)
      .map(([column, sql]) => `${sql} AS ${column}`)
      .join(', ')}, ${FIGURES.map((figure) => `sum(u.${figure}) AS ${figure}`).join(', ')}
            FROM user_facts u WHERE ${ofVersion('u')} GROUP BY u.org_id) f
    LEFT JOIN (${SESSIONS}) s ON s.org_id = f.org_id`;
