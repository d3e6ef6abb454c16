import type { ModelTokens, TokenDayRow, TokenGroupRow, UserTokens } from '../../analytics.dto.js';
import { ofVersion } from '../facts/day-facts.sql.js';
import { MODEL_NAMES } from './names.sql.js';
import { jsonOf, list, number, type RowShape, word } from './row-shape.js';

export function tierName(code: string): string {
  return `CASE ${code} WHEN 2 THEN 'thinking' ELSE 'standard' END`;
}

/** `m` are the tokens of a model, `n` its name. */
const MODEL_ITEM = {
  model_id: { sql: 'n.json', zero: '' },
  model_tier: word(tierName('m.tier')),
  billable_tokens: number('m.billable'),
  input_tokens: number('m.input'),
  output_tokens: number('m.output'),
} satisfies RowShape<ModelTokens>;

const USER_ITEM = {
  user_id: word('u.user_id'),
  user_email: { sql: `coalesce(to_json(u.email)::text, 'null')`, zero: '' },
  billable_tokens: number('u.billable_tokens'),
  by_model: list('u.by_model'),
} satisfies RowShape<UserTokens>;

/** `t` are the tokens of the day. */
export const TOKEN_TOTALS_ROW = {
  date: word('$1::text'),
  billable_tokens: number('t.billable'),
  input_tokens: number('t.input'),
  output_tokens: number('t.output'),
  cache_read_tokens: number('t.cache_read'),
  cache_write_tokens: number('t.cache_write'),
} satisfies RowShape<Omit<TokenDayRow, 'by_model' | 'by_user'>>;

export const TOKENS_ROW = {
  ...TOKEN_TOTALS_ROW,
  by_model: list('t.by_model'),
  by_user: list('u.by_user'),
} satisfies RowShape<TokenDayRow>;

export const MODEL_ROW = {
  date: word('$1::text'),
  group_key: { sql: 'n.json', zero: '' },
  billable_tokens: number('m.billable'),
  input_tokens: number('m.input'),
  output_tokens: number('m.output'),
} satisfies RowShape<TokenGroupRow>;

const sumsOf = (columns: string) => `
  max(m.tier) AS tier, sum(m.input)::bigint AS input, sum(m.output)::bigint AS output, sum(m.billable)::bigint AS billable ${columns}`;

/** Over clients and price classes. */
const MODELS = `
  SELECT m.org_id, m.model_id, ${sumsOf(', sum(m.cache_read)::bigint AS cache_read, sum(m.cache_write)::bigint AS cache_write')}
    FROM day_model_facts m WHERE ${ofVersion('m')} GROUP BY m.org_id, m.model_id`;

export const TOKENS_BY_MODEL = `
  SELECT m.org_id, string_agg(${jsonOf(MODEL_ROW)}, ',' ORDER BY n.rank) AS body
    FROM (${MODELS}) m JOIN (${MODEL_NAMES}) n ON n.org_id = m.org_id AND n.id = m.model_id
   GROUP BY m.org_id`;

const TOTALS = ['billable', 'input', 'output', 'cache_read', 'cache_write']
  .map((column) => `sum(m.${column}) AS ${column}`)
  .join(', ');

export const TOKEN_TOTALS = `
  SELECT t.org_id, ${jsonOf(TOKEN_TOTALS_ROW)} AS body
    FROM (SELECT m.org_id, ${TOTALS} FROM (${MODELS}) m GROUP BY m.org_id) t`;

export const SELECT_TOKEN_ROWS = `
  SELECT t.org_id AS "orgId", ${jsonOf(TOKENS_ROW)} AS row
    FROM (SELECT m.org_id, ${TOTALS}, string_agg(${jsonOf(MODEL_ITEM)}, ',' ORDER BY m.billable DESC, n.rank) AS by_model
            FROM (${MODELS}) m JOIN (${MODEL_NAMES}) n ON n.org_id = m.org_id AND n.id = m.model_id
           GROUP BY m.org_id) t
    JOIN (SELECT u.org_id, string_agg(${jsonOf(USER_ITEM)}, ',') AS by_user
            FROM (SELECT u.org_id, u.user_id, u.email, u.billable_tokens, i.by_model
                    FROM user_facts u
                    JOIN (SELECT i.org_id, i.user_id, string_agg(i.item, ',') AS by_model
                            FROM (SELECT m.org_id, m.user_id, ${jsonOf(MODEL_ITEM)} AS item
                                    FROM (SELECT m.org_id, m.user_id, m.model_id, ${sumsOf('')}
                                            FROM user_model_facts m WHERE ${ofVersion('m')}
                                           GROUP BY m.org_id, m.user_id, m.model_id) m
                                    JOIN (${MODEL_NAMES}) n ON n.org_id = m.org_id AND n.id = m.model_id
                                   ORDER BY m.org_id, m.user_id, m.billable DESC, n.rank) i
                           GROUP BY i.org_id, i.user_id) i ON i.org_id = u.org_id AND i.user_id = u.user_id
                   WHERE ${ofVersion('u')}
                   ORDER BY u.org_id, u.billable_tokens DESC, u.user_id) u
           GROUP BY u.org_id) u ON u.org_id = t.org_id`;
