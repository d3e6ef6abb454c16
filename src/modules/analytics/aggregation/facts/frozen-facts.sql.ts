import { USER_ROW } from '../documents/user-rows.sql.js';
import { FIGURES } from './figures.js';

/* $1 day, $2 version, $3 organization. */

const KEY = '$3::uuid, $1::date, $2::bigint';
const ROW_FIGURES = FIGURES.filter((figure) => figure in USER_ROW);

export const INSERT_FROZEN_USER_FACTS = `
  INSERT INTO user_facts (org_id, user_id, day, version, ${ROW_FIGURES.join(', ')}, email)
  SELECT u.org_id, u.user_id, u.day, u.version, ${ROW_FIGURES.map((figure) => `(b.row ->> '${figure}')::bigint`).join(', ')},
         b.row ->> 'user_email'
    FROM user_days u CROSS JOIN LATERAL (SELECT u.body::jsonb AS row) b
   WHERE u.org_id = $3 AND u.day = $1 AND u.version = $2`;

/** The fields of the row of `/tools`, $4, that are figures of the day. */
const TOOL_FIELDS = [
  'autonomy_ratio_avg',
  'autonomy_ratio_p50',
  'autonomy_ratio_p90',
  'tool_calls_per_session_avg',
  'user_turns_per_session_avg',
];

export const INSERT_FROZEN_DAY_FACTS = `
  INSERT INTO day_facts (org_id, day, version, people, terminal_ui_people, web_people, headless_people, mcp_people,
         ${[...ROW_FIGURES, ...TOOL_FIELDS].join(', ')})
  SELECT d.org_id, d.day, d.version, d.daily_users, d.terminal_ui_users, d.web_users, d.headless_users, u.mcp_people,
         ${ROW_FIGURES.map((figure) => `u.${figure}`).join(', ')},
         ${TOOL_FIELDS.map((field) => `($4::jsonb ->> '${field}')::float8`).join(', ')}
    FROM (SELECT u.org_id, count(*) FILTER (WHERE u.mcp_calls > 0) AS mcp_people,
                 ${ROW_FIGURES.map((figure) => `sum(u.${figure}) AS ${figure}`).join(', ')}
            FROM user_facts u WHERE u.org_id = $3 AND u.day = $1 AND u.version = $2 GROUP BY u.org_id) u
    JOIN analytics_days d ON d.org_id = u.org_id AND d.day = $1`;

/** $4 models, $5 tiers, $6 input, $7 output, $8 billable. Client 0 is unknown, and so is the size of calls. */
const MODELS = '$4::int[], $5::smallint[], $6::bigint[], $7::bigint[], $8::bigint[]';
const COLUMNS = 'org_id, day, version, model_id, client, above, minute, tier, input, output, billable';
const VALUES = `${KEY}, m.model_id, 0, -1, 0, m.tier, m.input, m.output, m.billable`;

export const INSERT_FROZEN_DAY_MODEL_FACTS = `
  INSERT INTO day_model_facts (${COLUMNS})
  SELECT ${VALUES} FROM unnest(${MODELS}) AS m (model_id, tier, input, output, billable)`;

/** $9 users. */
export const INSERT_FROZEN_USER_MODEL_FACTS = `
  INSERT INTO user_model_facts (${COLUMNS}, user_id)
  SELECT ${VALUES}, m.user_id
    FROM unnest(${MODELS}, $9::uuid[]) AS m (model_id, tier, input, output, billable, user_id)`;

/** $4 names, $5 kinds, $6 counts. How many people used a name is not known. */
export const INSERT_FROZEN_NAME_FACTS = `
  INSERT INTO name_facts (org_id, day, version, name_id, kind, count)
  SELECT ${KEY}, n.name_id, n.kind, n.count
    FROM unnest($4::int[], $5::smallint[], $6::bigint[]) AS n (name_id, kind, count)`;
