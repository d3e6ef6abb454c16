import { NAME_KIND } from '../../../ingest/event-codes.js';
import { ofVersion } from '../facts/day-facts.sql.js';

const ofHook = (hook: string, other: string) => `CASE WHEN n.kind = ${NAME_KIND.hook} THEN ${hook} ELSE ${other} END`;

/**
 * The names of a day as JSON (a hook: the fields of its item). Sorting by rank is sorting by name in code point order, but
 * faster. `used`: organizations and ids.
 */
const ranked = (used: string) => `
  SELECT n.org_id, n.id, n.kind, n.folded, n.json,
         row_number() OVER (PARTITION BY n.org_id ORDER BY n.sort_name COLLATE "C")::int AS rank
    FROM (SELECT n.org_id, n.id, n.kind, n.folded,
                 ${ofHook(`concat_ws(E'\\x01', n.name::json ->> 0, n.name::json ->> 1, n.name::json ->> 2)`, 'n.name')} AS sort_name,
                 ${ofHook(
                   `concat('"event":', n.name::json -> 0, ',"matcher":', n.name::json -> 1, ',"command":', n.name::json -> 2)`,
                   'to_json(n.name)::text',
                 )} AS json
            FROM (${used}) u JOIN event_names n ON n.org_id = u.org_id AND n.id = u.id
           WHERE n.org_id = ANY ($3::uuid[])) n`;

export const MODEL_NAMES = ranked(
  `SELECT DISTINCT m.org_id, m.model_id AS id FROM day_model_facts m WHERE ${ofVersion('m')}`,
);
export const OTHER_NAMES = ranked(`SELECT f.org_id, f.name_id AS id FROM name_facts f WHERE ${ofVersion('f')}`);
export const LANGUAGE_NAMES = ranked(
  `SELECT f.org_id, f.name_id AS id FROM name_facts f WHERE ${ofVersion('f')} AND f.kind = ${NAME_KIND.language}`,
);
