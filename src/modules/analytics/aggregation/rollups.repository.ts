import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { UtcDay } from '../../../common/time/utc-day.js';
import { eventPartition } from '../../../common/usage/event-codes.js';
import { BulkDatabase } from '../../../database/bulk-database.js';
import { SystemDatabase } from '../../../database/system-database.js';
import { type Fragment, toFragment } from '../spliced-gzip.js';
import {
  INSERT_DOCUMENTS,
  INSERT_TOKEN_FRAGMENTS,
  INSERT_USER_DAYS,
  PREPARE_DOCUMENTS,
  PUBLISH,
  REFRESH_ACTIVES,
  SELECT_TOKEN_ROWS,
} from './documents.sql.js';
import { leaves } from './leaves.sql.js';

/** One snapshot for all scans: else breakdowns would not add up. */
const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ;
  SET LOCAL work_mem = '256MB'; SET LOCAL jit = off; SET LOCAL max_parallel_workers_per_gather = 0`;
/** Temporary tables have no statistics, so that the planner would guess wrong; hash joins are right for all of them. */
const ONLY_HASH_JOINS = `SET LOCAL enable_mergejoin = off; SET LOCAL enable_nestloop = off`;
const ANY_JOINS = `SET LOCAL enable_mergejoin = on; SET LOCAL enable_nestloop = on`;
const MONTH_DAYS = 30;
const TOKEN_ROWS_AT_ONCE = 8;
const DELETE_BATCH_DAYS = 200;

/** Computes days from their events. Each rebuild is one transaction: whatever interrupts it leaves the old rows whole. */
@Injectable()
export class RollupsRepository implements BeforeApplicationShutdown {
  /** Ends what is running, without a trace. */
  private readonly stopping = new AbortController();

  constructor(
    private readonly bulk: BulkDatabase,
    private readonly system: SystemDatabase,
  ) {}

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Computes `day` of these organizations anew, and the weekly and monthly users of the days after it, up to `lastDay`. */
  async rebuildDay(orgIds: string[], day: UtcDay, lastDay: UtcDay, now: Date): Promise<void> {
    await this.bulk.transaction(
      BEGIN,
      async (client) => {
        // What is marked after this snapshot stays marked, and the day is computed once more.
        await client.query(`DELETE FROM dirty_days m WHERE m.org_id = ANY ($1::uuid[]) AND m.day = $2`, [
          orgIds,
          `${day}`,
        ]);
        const version = await nextVersion(client);
        await client.query(ONLY_HASH_JOINS);
        for (const sql of leaves(await sourceOf(client, day))) {
          await client.query(sql, sql.includes('$1') ? [orgIds] : []);
        }
        await client.query(INSERT_USER_DAYS, [`${day}`, version]);
        for (const sql of PREPARE_DOCUMENTS) await client.query(sql);
        for (const sql of INSERT_DOCUMENTS) await client.query(sql, [`${day}`, version]);
        await insertTokenFragments(client, day, version);
        await client.query(ANY_JOINS);
        await client.query(PUBLISH, [`${day}`, version, orgIds, now]);
        await refreshActives(client, orgIds, day, lastDay, version, now);
      },
      this.stopping.signal,
    );
  }

  /** Gives days after the last known one, on which nothing happened, their rows: weekly and monthly users go on. */
  async fillQuietDays(orgIds: string[], from: UtcDay, lastDay: UtcDay, now: Date): Promise<void> {
    await this.bulk.transaction(
      BEGIN,
      async (client) => {
        await client.query(REFRESH_ACTIVES, [`${from}`, `${lastDay}`, orgIds, await nextVersion(client), now]);
      },
      this.stopping.signal,
    );
  }

  /** Deletes versions that nobody can be reading any more. */
  async deleteSuperseded(before: Date): Promise<void> {
    for (let count = DELETE_BATCH_DAYS; count === DELETE_BATCH_DAYS;) {
      const [deleted] = await this.system.query<{ count: number }>(
        `WITH old AS (
           DELETE FROM superseded_days s WHERE (s.org_id, s.day, s.version) IN (
             SELECT o.org_id, o.day, o.version FROM superseded_days o WHERE o.superseded_at < $1
              ORDER BY o.org_id, o.day, o.version LIMIT ${DELETE_BATCH_DAYS} FOR UPDATE SKIP LOCKED)
           RETURNING s.org_id, s.day, s.version),
         documents AS (
           DELETE FROM day_documents d USING old
            WHERE d.org_id = old.org_id AND d.day = old.day AND d.version = old.version),
         users AS (
           DELETE FROM user_days u USING old
            WHERE u.org_id = old.org_id AND u.day = old.day AND u.version = old.version)
         SELECT count(*)::int AS count FROM old`,
        [before],
      );
      count = deleted?.count ?? 0;
    }
  }
}

async function nextVersion(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ version: string }>(`SELECT nextval('analytics_versions') AS version`);
  return rows[0]?.version ?? '';
}

/** The partition of the day; a day that never had an event has none. */
async function sourceOf(client: PoolClient, day: UtcDay): Promise<string> {
  const partition = eventPartition(day);
  const { rows } = await client.query<{ exists: boolean }>(`SELECT to_regclass($1) IS NOT NULL AS exists`, [partition]);
  return rows[0]?.exists ? partition : `(SELECT * FROM events WHERE false)`;
}

/** The large rows go through this process in small groups, only to be compressed. */
async function insertTokenFragments(client: PoolClient, day: UtcDay, version: string): Promise<void> {
  await client.query(`DECLARE token_rows NO SCROLL CURSOR FOR ${SELECT_TOKEN_ROWS.replaceAll('$1', `'${day}'`)}`);
  for (;;) {
    const { rows } = await client.query<{ orgId: string; row: string }>(`FETCH ${TOKEN_ROWS_AT_ONCE} FROM token_rows`);
    if (rows.length === 0) break;
    const fragments: Fragment[] = await Promise.all(rows.map(({ row }) => toFragment(Buffer.from(row))));
    await client.query(INSERT_TOKEN_FRAGMENTS, [
      `${day}`,
      version,
      rows.map(({ orgId }) => orgId),
      fragments.map(({ bytes }) => bytes),
      fragments.map(({ plainBytes }) => plainBytes),
      fragments.map(({ plainCrc }) => plainCrc),
    ]);
  }
  await client.query('CLOSE token_rows');
}

/** Weekly and monthly users of the days that `day` counts in, and of later days that have no row yet. */
async function refreshActives(
  client: PoolClient,
  orgIds: string[],
  day: UtcDay,
  lastDay: UtcDay,
  version: string,
  now: Date,
): Promise<void> {
  const affected = day.plus(MONTH_DAYS - 1);
  const until = lastDay.isBefore(affected) ? lastDay : affected;
  await client.query(REFRESH_ACTIVES, [`${day}`, `${until}`, orgIds, version, now]);
  if (!until.isBefore(lastDay)) return;
  const { rows } = await client.query<{ orgId: string }>(
    `SELECT o.org_id AS "orgId" FROM unnest($1::uuid[]) AS o (org_id)
      WHERE (SELECT count(*) FROM analytics_days d
              WHERE d.org_id = o.org_id AND d.day > $2::date AND d.day <= $3::date) < $3::date - $2::date`,
    [orgIds, `${until}`, `${lastDay}`],
  );
  const incomplete = rows.map(({ orgId }) => orgId);
  if (incomplete.length === 0) return;
  await client.query(REFRESH_ACTIVES, [`${until.next()}`, `${lastDay}`, incomplete, version, now]);
}
