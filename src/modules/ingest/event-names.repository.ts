import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SystemDatabase } from '../../database/system-database.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import type { EventName } from './usage-event.js';

const DELETE_BATCH = 10_000;
const LOCK_TIMEOUT = '5s';

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

  /** The existing ones of these names, locked against deletion. */
  lockNames(tx: SqlTransaction, orgId: string, names: EventName[]): Promise<StoredName[]> {
    return tx.query(
      `SELECT n.id, n.kind, n.name FROM event_names n
        WHERE n.org_id = $1 AND (n.kind, n.name_hash) IN (
              SELECT w.kind, w.name_hash FROM unnest($2::smallint[], $3::bytea[]) AS w (kind, name_hash))
        ORDER BY n.id FOR NO KEY UPDATE`,
      [orgId, names.map(({ kind }) => kind), names.map(hashOf)],
    );
  }

  /** Each organization counts its ids down on its own, so that none can use up those of another. */
  insertNames(tx: SqlTransaction, orgId: string, names: EventName[]): Promise<StoredName[]> {
    return tx.query(
      `WITH taken AS (
         INSERT INTO event_name_counters AS i (org_id, last_id) VALUES ($1, -$2::int)
         ON CONFLICT (org_id) DO UPDATE SET last_id = i.last_id - $2::int
         RETURNING last_id)
       INSERT INTO event_names (org_id, id, kind, name, folded, name_hash)
       SELECT $1, t.last_id + w.place::int - 1, w.kind, w.name, w.folded, w.name_hash
         FROM taken t CROSS JOIN unnest($3::smallint[], $4::text[], $5::text[], $6::bytea[])
              WITH ORDINALITY AS w (kind, name, folded, name_hash, place)
        ORDER BY w.kind, w.name_hash
       ON CONFLICT (org_id, kind, name_hash) DO UPDATE SET name = excluded.name
       RETURNING id, kind, name`,
      [
        orgId,
        names.length,
        names.map(({ kind }) => kind),
        names.map(({ name }) => name),
        names.map(({ name }) => fold(name)),
        names.map(hashOf),
      ],
    );
  }

  addToDay(tx: SqlTransaction, orgId: string, { day, kind, nameIds }: NamesOfDay): void {
    tx.enqueue(
      `UPDATE event_name_days d SET name_ids = d.name_ids || $4::int[] WHERE d.org_id = $1 AND d.day = $2 AND d.kind = $3`,
      [orgId, day, kind, nameIds],
    );
  }

  /** Names are kept at least as long as the events of their last day. */
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

  /** Deletes names that only dropped events had; returns how many. */
  async deleteUnused(): Promise<number> {
    for (let total = 0; ;) {
      const deleted = await this.deleteSomeUnused();
      total += deleted;
      if (deleted < DELETE_BATCH) return total;
    }
  }

  /**
   * The table lock keeps new partitions out, so that the oldest day stays the oldest. A name that is used meanwhile has a
   * later `last_day` when the DELETE checks its row again, and stays.
   */
  private deleteSomeUnused(): Promise<number> {
    return this.db.transaction(async (tx) => {
      await tx.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
      await tx.query(`LOCK TABLE event_days IN SHARE MODE`);
      const [oldest] = await tx.query<{ day: string | null }>(
        `SELECT min(d.day)::text AS day FROM event_days d WHERE d.dropped_at IS NULL`,
      );
      if (!oldest?.day) return 0;
      await tx.query(`DELETE FROM event_name_days d WHERE d.day < $1`, [oldest.day]);
      const deleted = await tx.query(
        `DELETE FROM event_names n WHERE n.last_day < $1 AND (n.org_id, n.id) IN (
           SELECT o.org_id, o.id FROM event_names o WHERE o.last_day < $1 ORDER BY o.last_day LIMIT ${DELETE_BATCH})
         RETURNING 1`,
        [oldest.day],
      );
      return deleted.length;
    });
  }
}

function hashOf({ name }: EventName): Buffer {
  return createHash('sha256').update(name).digest();
}

/** The same for spellings that differ only by letter case. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase();
}
