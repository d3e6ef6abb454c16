import { createHash } from 'node:crypto';
import type { EventName } from './usage-event.js';

/*
 * Gives names their ids. Ingest does so for events; aggregation for names in stored rows whose events, and with them the
 * names, an older release has deleted.
 */

/** Each organization counts its ids down on its own, so that none can use up those of another. */
export const ADD_NAMES = `
  WITH taken AS (
    INSERT INTO event_name_counters AS i (org_id, last_id) VALUES ($1, -$2::int)
    ON CONFLICT (org_id) DO UPDATE SET last_id = i.last_id - $2::int
    RETURNING last_id)
  INSERT INTO event_names (org_id, id, kind, name, folded, name_hash)
  SELECT $1, t.last_id + w.place::int - 1, w.kind, w.name, w.folded, w.name_hash
    FROM taken t CROSS JOIN unnest($3::smallint[], $4::text[], $5::text[], $6::bytea[])
         WITH ORDINALITY AS w (kind, name, folded, name_hash, place)
   ORDER BY w.kind, w.name_hash
  ON CONFLICT (org_id, kind, name_hash) DO UPDATE SET name = excluded.name
  RETURNING id, kind, name`;

/** The parameters of ADD_NAMES. */
export function namesToAdd(orgId: string, names: readonly EventName[]): unknown[] {
  return [
    orgId,
    names.length,
    names.map(({ kind }) => kind),
    names.map(({ name }) => name),
    names.map(({ name }) => fold(name)),
    names.map(hashOf),
  ];
}

export function hashOf({ name }: Pick<EventName, 'name'>): Buffer {
  return createHash('sha256').update(name).digest();
}

/** The same for spellings that differ only by letter case. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase();
}
