import { NAME_KIND } from '../../../ingest/event-codes.js';
import { ofVersion } from '../facts/day-facts.sql.js';

const ofHook = (hook: string, other: string) => `CASE WHEN n.kind = ${NAME_KIND.hook} THEN ${hook} ELSE ${other} END`;

/** The JSON of a name `n` (a hook: the fields of its item), and what names are sorted by, in code point order. */
const JSON_NAME = ofHook(
  `concat('"event":', n.name::json -> 0, ',"matcher":', n.name::json -> 1, ',"command":', n.name::json -> 2)`,
  'to_json(n.name)::text',
);
const SORT_NAME = ofHook(`concat_ws(E'\\x01', n.name::json ->> 0, n.name::json ->> 1, n.name::json ->> 2)`, 'n.name');

/** All names of a day but those of models, with their number. */
export const COUNTED_NAMES = `
  SELECT f.org_id, f.kind, f.count AS n, n.folded, ${JSON_NAME} AS json, ${SORT_NAME} COLLATE "C" AS sort_name
    FROM name_facts f JOIN event_names n ON n.org_id = f.org_id AND n.id = f.name_id
   WHERE ${ofVersion('f')} AND n.org_id = ANY ($3::uuid[])`;

/** Names of one kind. Sorting the rows of users by rank is sorting by name, but faster. `used`: organizations and ids. */
const ranked = (kind: number, used: string) => `
  SELECT n.org_id, n.id, to_json(n.name)::text AS json,
         row_number() OVER (PARTITION BY n.org_id ORDER BY n.name COLLATE "C")::int AS rank
    FROM (${used}) u JOIN event_names n ON n.org_id = u.org_id AND n.id = u.id
   WHERE n.org_id = ANY ($3::uuid[]) AND n.kind = ${kind}`;

export const MODEL_NAMES = ranked(
  NAME_KIND.model,
  `SELECT DISTINCT m.org_id, m.model_id AS id FROM day_model_facts m WHERE ${ofVersion('m')}`,
);
export const LANGUAGE_NAMES = ranked(
  NAME_KIND.language,
  `SELECT f.org_id, f.name_id AS id FROM name_facts f WHERE ${ofVersion('f')} AND f.kind = ${NAME_KIND.language}`,
);
