import type { UserDayRow } from '../../users.dto.js';
import { ofVersion } from '../facts/day-facts.sql.js';
import { LANGUAGE_NAMES, MODEL_NAMES } from './names.sql.js';
import { jsonOf, list, number, type RowShape, word } from './row-shape.js';
import { tierName } from './token-rows.sql.js';

/** `u` are the facts of a user, `t` the primary model, `l` the languages. */
export const USER_ROW = {
  user_id: word('u.user_id'),
  // An erased user has only an id.
  user_email: { sql: `coalesce(to_json(u.email)::text, 'null')`, zero: '' },
  date: word('$1::text'),
  tool_calls: number('u.tool_calls'),
  billable_tokens: number('u.billable_tokens'),
  primary_model: { sql: `coalesce(t.json, '"unknown"')`, zero: '' },
  primary_model_tier: word(tierName('t.tier')),
  files_created: number('u.files_created'),
  files_edited: number('u.files_edited'),
  git_commits: number('u.git_commits'),
  git_prs_created: number('u.git_prs_created'),
  mcp_calls: number('u.mcp_calls'),
  skill_calls: number('u.skill_calls'),
  slash_commands: number('u.slash_commands'),
  hooks: number('u.hooks'),
  sessions: number('u.sessions'),
  messages: number('u.user_messages + u.assistant_messages'),
  user_messages: number('u.user_messages'),
  assistant_messages: number('u.assistant_messages'),
  autonomy_ratio: number(
    `CASE WHEN u.user_messages = 0 THEN 0 ELSE u.tool_calls::float8 / u.user_messages::float8 END`,
  ),
  delegation_level: word(
    `CASE WHEN u.tool_calls = 0 THEN 'manual'
          WHEN u.auto_high >= greatest(u.auto_medium, u.auto_low, u.spec, u.manual) THEN 'auto-high'
          WHEN u.auto_medium >= greatest(u.auto_low, u.spec, u.manual) THEN 'auto-medium'
          WHEN u.auto_low >= greatest(u.spec, u.manual) THEN 'auto-low'
          WHEN u.spec >= u.manual THEN 'spec'
          ELSE 'manual' END`,
  ),
  languages: list('l.languages'),
} satisfies RowShape<UserDayRow>;

/** Names are unnested before the join: the ids of organizations overlap, so it has to hash both columns. */
export const INSERT_USER_DAYS = `
  INSERT INTO user_days (org_id, user_id, day, version, body)
  SELECT u.org_id, u.user_id, u.day, u.version, ${jsonOf(USER_ROW)}
    FROM user_facts u
    LEFT JOIN (SELECT m.org_id, m.user_id, (array_agg(m.json))[1] AS json, (array_agg(m.tier))[1] AS tier
                 FROM (SELECT m.org_id, m.user_id, m.tier, n.json
                         FROM (SELECT m.org_id, m.user_id, m.model_id, max(m.tier) AS tier, sum(m.billable) AS billable
                                 FROM user_model_facts m WHERE ${ofVersion('m')}
                                GROUP BY m.org_id, m.user_id, m.model_id) m
                         JOIN (${MODEL_NAMES}) n ON n.org_id = m.org_id AND n.id = m.model_id
                        ORDER BY m.org_id, m.user_id, m.billable DESC, n.rank) m
                GROUP BY m.org_id, m.user_id) t ON t.org_id = u.org_id AND t.user_id = u.user_id
    LEFT JOIN (SELECT l.org_id, l.user_id, string_agg(l.json, ',') AS languages
                 FROM (SELECT f.org_id, f.user_id, n.json
                         FROM (SELECT f.org_id, f.user_id, unnest(f.name_ids) AS name_id
                                 FROM user_facts f WHERE ${ofVersion('f')}) f
                         JOIN (${LANGUAGE_NAMES}) n ON n.org_id = f.org_id AND n.id = f.name_id
                        ORDER BY f.org_id, f.user_id, n.rank) l
                GROUP BY l.org_id, l.user_id) l ON l.org_id = u.org_id AND l.user_id = u.user_id
   WHERE ${ofVersion('u')}`;
