import { Injectable } from '@nestjs/common';
import { SystemDatabase } from '../../database/system-database.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { ADD_NAMES, hashOf, namesToAdd } from './stored-names.js';
import type { EventName } from './usage-event.js';

export interface NamesOfDay {
  readonly day: string;
  readonly kind: number;
  readonly nameIds: number[];
}

export interface StoredName extends EventName {
  readonly id: number;
}

/** Every statement on the names in events, which refer to them by id. An id never changes its meaning. */
@Injectable()
export class EventNamesRepository {
  constructor(private readonly db: SystemDatabase) {}

  transaction<T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  /** In a fixed order, against deadlocks. */
  async lockDays(tx: SqlTransaction, orgId: string, days: Pick<NamesOfDay, 'day' | 'kind'>[]): Promise<NamesOfDay[]> {
    const parameters = [orgId, days.map(({ day }) => day), days.map(({ kind }) => kind)];
    tx.enqueue(
      `INSERT INTO event_name_days (org_id, day, kind)
       SELECT $1, w.day, w.kind FROM unnest($2::date[], $3::smallint[]) AS w (day, kind) ORDER BY w.day, w.kind
       ON CONFLICT (org_id, day, kind) DO NOTHING`,
      parameters,
    );
    return tx.query(
      `SELECT d.day::text AS day, d.kind, d.name_ids AS "nameIds" FROM event_name_days d
        WHERE d.org_id = $1 AND (d.day, d.kind) IN (SELECT w.day, w.kind FROM unnest($2::date[], $3::smallint[]) AS w (day, kind))
        ORDER BY d.day, d.kind FOR UPDATE`,
      parameters,
    );
  }

  /** The existing ones of these names, locked against deletion by replicas of an older release. */
  lockNames(tx: SqlTransaction, orgId: string, names: EventName[]): Promise<StoredName[]> {
    return tx.query(
      `SELECT n.id, n.kind, n.name FROM event_names n
        WHERE n.org_id = $1 AND (n.kind, n.name_hash) IN (
              SELECT w.kind, w.name_hash FROM unnest($2::smallint[], $3::bytea[]) AS w (kind, name_hash))
        ORDER BY n.id FOR NO KEY UPDATE`,
      [orgId, names.map(({ kind }) => kind), names.map(hashOf)],
    );
  }

  insertNames(tx: SqlTransaction, orgId: string, names: EventName[]): Promise<StoredName[]> {
    return tx.query(ADD_NAMES, namesToAdd(orgId, names));
  }

  addToDay(tx: SqlTransaction, orgId: string, { day, kind, nameIds }: NamesOfDay): void {
    tx.enqueue(
      `UPDATE event_name_days d SET name_ids = d.name_ids || $4::int[] WHERE d.org_id = $1 AND d.day = $2 AND d.kind = $3`,
      [orgId, day, kind, nameIds],
    );
  }

  /** The last day on which each is used: replicas of an older release delete names after it, aggregation looks up models. */
  noteUse(tx: SqlTransaction, orgId: string, lastDays: ReadonlyMap<number, string>): void {
    tx.enqueue(
      `UPDATE event_names n SET last_day = u.day FROM unnest($2::int[], $3::date[]) AS u (id, day)
        WHERE n.org_id = $1 AND n.id = u.id AND n.last_day < u.day`,
      [orgId, [...lastDays.keys()], [...lastDays.values()]],
    );
  }

  listNames(tx: SqlTransaction, orgId: string, ids: number[]): Promise<StoredName[]> {
    return tx.query(`SELECT n.id, n.kind, n.name FROM event_names n WHERE n.org_id = $1 AND n.id = ANY ($2::int[])`, [
      orgId,
      ids,
    ]);
  }

  /** Which names a day has matters as long as events of it may arrive. The names stay: facts refer to them. */
  async deleteDroppedDays(): Promise<void> {
    await this.db.query(
      `DELETE FROM event_name_days d WHERE EXISTS (
         SELECT FROM event_days e WHERE e.day = d.day AND e.dropped_at IS NOT NULL)`,
    );
  }
}
