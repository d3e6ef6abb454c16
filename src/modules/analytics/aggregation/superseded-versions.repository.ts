import { Injectable } from '@nestjs/common';
import { BulkDatabase } from '../../../database/bulk-database.js';
import { SystemDatabase } from '../../../database/system-database.js';

const DELETE_BATCH_ROWS = 10_000;
/** With a row per user; deleted in batches before the others. */
const USER_TABLES = ['user_days', 'user_facts', 'user_model_facts'];
const DAY_TABLES = ['day_documents', 'day_facts', 'day_model_facts', 'name_facts'];

export interface SupersededDay {
  orgId: string;
  day: string;
  version: string;
}

/** Versions of days that newer ones have replaced. */
@Injectable()
export class SupersededVersionsRepository {
  constructor(
    private readonly bulk: BulkDatabase,
    private readonly system: SystemDatabase,
  ) {}

  list(before: Date, limit: number): Promise<SupersededDay[]> {
    return this.system.query(
      `SELECT o.org_id AS "orgId", o.day::text AS day, o.version FROM superseded_days o WHERE o.superseded_at < $1
        ORDER BY o.superseded_at, o.org_id, o.day, o.version LIMIT $2`,
      [before, limit],
    );
  }

  /** In batches; skips what another replica deletes. Returns the number of versions deleted. */
  async delete(days: SupersededDay[]): Promise<number> {
    const keys = [days.map(({ orgId }) => orgId), days.map(({ day }) => day), days.map(({ version }) => version)];
    const old = `unnest($1::uuid[], $2::date[], $3::bigint[]) AS old (org_id, day, version)`;
    for (const table of USER_TABLES) await this.deleteUserRows(table, old, keys);
    const [versions] = await this.bulk.upkeep<{ count: number }>(
      `WITH gone AS (
         DELETE FROM superseded_days s WHERE (s.org_id, s.day, s.version) IN (
           SELECT o.org_id, o.day, o.version FROM superseded_days o
             JOIN ${old} ON o.org_id = old.org_id AND o.day = old.day AND o.version = old.version
              FOR UPDATE OF o SKIP LOCKED)
         RETURNING s.org_id, s.day, s.version),
       ${[...DAY_TABLES, ...USER_TABLES]
         .map(
           (table) => `of_${table} AS (
         DELETE FROM ${table} d USING gone
          WHERE d.org_id = gone.org_id AND d.day = gone.day AND d.version = gone.version)`,
         )
         .join(',\n       ')}
       SELECT count(*)::int AS count FROM gone`,
      keys,
    );
    return versions?.count ?? 0;
  }

  private async deleteUserRows(table: string, old: string, keys: unknown[]): Promise<void> {
    for (let deleted = DELETE_BATCH_ROWS; deleted === DELETE_BATCH_ROWS;) {
      const rows = await this.bulk.upkeep(
        `DELETE FROM ${table} d WHERE d.ctid = ANY (ARRAY(
           SELECT u.ctid FROM ${old} JOIN ${table} u ON u.org_id = old.org_id AND u.day = old.day AND u.version = old.version
            LIMIT ${DELETE_BATCH_ROWS} FOR UPDATE OF u SKIP LOCKED)) RETURNING 1`,
        keys,
      );
      deleted = rows.length;
    }
  }
}
