import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SystemDatabase } from '../../database/system-database.js';
import type { EventName } from './usage-event.js';

const MAX_KNOWN = 200_000;

/** Names by kind, each with its number. */
type KnownNames = Map<number, Map<string, number>>;

/** The numbers that stand for names in events. A number never changes its meaning, so it may be remembered for ever. */
@Injectable()
export class EventNamesRepository {
  private readonly known = new Map<string, KnownNames>();
  private knownCount = 0;

  constructor(private readonly db: SystemDatabase) {}

  /** The numbers of these names, new ones included; they are committed before they are returned. */
  async upsertAll(orgId: string, names: Iterable<EventName>): Promise<(name: EventName) => number> {
    const known = this.knownOf(orgId);
    const missing = new Map<string, EventName>();
    for (const name of names) {
      if (known.get(name.kind)?.get(name.name) === undefined) missing.set(`${name.kind} ${name.name}`, name);
    }
    if (missing.size > 0) await this.learn(orgId, known, [...missing.values()]);
    return ({ kind, name }) => {
      const id = known.get(kind)?.get(name);
      if (id === undefined) throw new Error('A name was used that had not been asked for');
      return id;
    };
  }

  private async learn(orgId: string, known: KnownNames, names: EventName[]): Promise<void> {
    const hashes = names.map(({ name }) => createHash('sha256').update(name).digest());
    // Sorted, so that two writers who meet the same new names wait for each other in the same order.
    const rows = await this.db.query<{ id: number; kind: number; name: string }>(
      `WITH wanted AS (
         SELECT w.* FROM unnest($2::smallint[], $3::text[], $4::text[], $5::bytea[]) AS w (kind, name, folded, name_hash)),
       added AS (
         INSERT INTO event_names (org_id, kind, name, folded, name_hash)
         SELECT $1, w.kind, w.name, w.folded, w.name_hash FROM wanted w
          WHERE NOT EXISTS (SELECT FROM event_names n
                             WHERE n.org_id = $1 AND n.kind = w.kind AND n.name_hash = w.name_hash)
          ORDER BY w.kind, w.name_hash
         ON CONFLICT (org_id, kind, name_hash) DO UPDATE SET name = excluded.name
         RETURNING id, kind, name)
       SELECT a.id, a.kind, a.name FROM added a
       UNION ALL
       SELECT n.id, n.kind, n.name FROM wanted w
         JOIN event_names n ON n.org_id = $1 AND n.kind = w.kind AND n.name_hash = w.name_hash`,
      [
        orgId,
        names.map(({ kind }) => kind),
        names.map(({ name }) => name),
        names.map(({ name }) => fold(name)),
        hashes,
      ],
    );
    for (const { id, kind, name } of rows) {
      const ofKind = known.get(kind) ?? new Map<string, number>();
      known.set(kind, ofKind.set(name, id));
    }
    this.knownCount += rows.length;
  }

  private knownOf(orgId: string): KnownNames {
    if (this.knownCount > MAX_KNOWN) {
      this.known.clear();
      this.knownCount = 0;
    }
    const known = this.known.get(orgId) ?? new Map<number, Map<string, number>>();
    this.known.set(orgId, known);
    return known;
  }
}

/** Two spellings that differ only by letter case fold to the same. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase();
}
