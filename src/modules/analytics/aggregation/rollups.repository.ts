import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { UtcDay } from '../../../common/time/utc-day.js';
import { takeMarks } from '../../ingest/dirty-days.js';
import { eventPartition } from '../../../common/usage/event-codes.js';
import { BulkDatabase } from '../../../database/bulk-database.js';
import { SystemDatabase } from '../../../database/system-database.js';
import { type Fragment, toFragment } from '../spliced-gzip.js';
import {
  INSERT_DOCUMENTS,
  INSERT_TOKEN_FRAGMENTS,
  INSERT_USER_DAYS,
  NOTE_CHANGE,
  NOTE_COMPUTATION,
  PREPARE_DOCUMENTS,
  PUBLISH,
  REFRESH_ACTIVES,
  SELECT_GAPS,
  SELECT_LATE,
  SELECT_TOKEN_ROWS,
  SELECT_WEIGHTS,
} from './documents.sql.js';
import { leaves } from './leaves.sql.js';
import { pauseAfter } from './pauses.js';

/** One snapshot for all scans: else breakdowns would not add up. */
const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ;
  SET LOCAL work_mem = '256MB'; SET LOCAL jit = off; SET LOCAL max_parallel_workers_per_gather = 0`;
/** Temporary tables have no statistics, so that the planner would guess wrong; hash joins are right for all of them. */
const ONLY_HASH_JOINS = `SET LOCAL enable_mergejoin = off; SET LOCAL enable_nestloop = off`;
const ANY_JOINS = `SET LOCAL enable_mergejoin = on; SET LOCAL enable_nestloop = on`;
const MONTH_DAYS = 30;
const TOKEN_ROWS_AT_ONCE = 8;
const DELETE_BATCH_ROWS = 10_000;

/** A version of a day that was replaced by a newer one. */
export interface SupersededDay {
  orgId: string;
  day: string;
  version: string;
}

/** What became of a day. */
export interface Rebuilt {
  /** How many organizations it was computed for. */
  readonly computed: number;
  /** Those of them for which it could not be computed before. */
  readonly recovered: string[];
}

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

  /**
   * Computes `day` of those of these organizations that are marked, or of all of them, and the weekly and monthly users
   * of the days after it, up to `lastDay`. A day whose events are gone is computed for nobody.
   */
  async rebuildDay(
    { orgIds: asked, isMarked }: { orgIds: string[]; isMarked: boolean },
    day: UtcDay,
    lastDay: UtcDay,
    now: Date,
  ): Promise<Rebuilt> {
    return this.bulk.transaction(
      BEGIN,
      async (client) => {
        const startedMs = performance.now();
        // What is marked after this snapshot stays marked, and the day is computed once more.
        const marked = await deleteMarks(client, asked, day);
        const orgIds = isMarked ? marked : asked;
        const source = await sourceOf(client, day);
        if (orgIds.length === 0 || source === null) return { computed: 0, recovered: [] };
        const late = await listOrgs(client, SELECT_LATE, [orgIds, `${day}`]);
        const version = await nextVersion(client);
        await client.query(ONLY_HASH_JOINS);
        for (const sql of leaves(source)) await client.query(sql, sql.includes('$1') ? [orgIds] : []);
        await client.query(INSERT_USER_DAYS, [`${day}`, version]);
        for (const sql of PREPARE_DOCUMENTS) await client.query(sql);
        for (const sql of INSERT_DOCUMENTS) await client.query(sql, [`${day}`, version]);
        await insertTokenFragments(client, day, version);
        await client.query(ANY_JOINS);
        await client.query(PUBLISH, [`${day}`, version, orgIds, now]);
        await refreshActives(client, orgIds, day, lastDay, version, now);
        await client.query(NOTE_CHANGE, [orgIds, version]);
        const pauses = await pausesOf(client, orgIds, late, performance.now() - startedMs);
        const recovered = await listOrgs(client, NOTE_COMPUTATION, [`${day}`, version, now, orgIds, pauses]);
        return { computed: orgIds.length, recovered };
      },
      this.stopping.signal,
    );
  }

  /** Gives days after the last known one, on which nothing happened, their rows: weekly and monthly users go on. */
  async fillQuietDays(orgIds: string[], from: UtcDay, lastDay: UtcDay, now: Date): Promise<void> {
    await this.bulk.transaction(
      BEGIN,
      async (client) => {
        const version = await nextVersion(client);
        await client.query(REFRESH_ACTIVES, [`${from}`, `${lastDay}`, orgIds, version, now, `${lastDay}`]);
        await client.query(NOTE_CHANGE, [orgIds, version]);
      },
      this.stopping.signal,
    );
  }

  /** Versions that nobody can be reading any more, oldest first. */
  listSuperseded(before: Date, limit: number): Promise<SupersededDay[]> {
    return this.system.query(
      `SELECT o.org_id AS "orgId", o.day::text AS day, o.version FROM superseded_days o WHERE o.superseded_at < $1
        ORDER BY o.superseded_at, o.org_id, o.day, o.version LIMIT $2`,
      [before, limit],
    );
  }

  /**
   * Deletes these versions, the many rows of users piece by piece; what another replica is deleting is left to it. Returns
   * how many versions were deleted.
   */
  async deleteVersions(days: SupersededDay[]): Promise<number> {
    const keys = [days.map(({ orgId }) => orgId), days.map(({ day }) => day), days.map(({ version }) => version)];
    const old = `unnest($1::uuid[], $2::date[], $3::bigint[]) AS old (org_id, day, version)`;
    for (let deleted = DELETE_BATCH_ROWS; deleted === DELETE_BATCH_ROWS;) {
      const rows = await this.bulk.upkeep(
        `DELETE FROM user_days d WHERE d.ctid = ANY (ARRAY(
           SELECT u.ctid FROM ${old} JOIN user_days u ON u.org_id = old.org_id AND u.day = old.day AND u.version = old.version
            LIMIT ${DELETE_BATCH_ROWS} FOR UPDATE OF u SKIP LOCKED)) RETURNING 1`,
        keys,
      );
      deleted = rows.length;
    }
    const [versions] = await this.bulk.upkeep<{ count: number }>(
      `WITH gone AS (
         DELETE FROM superseded_days s WHERE (s.org_id, s.day, s.version) IN (
           SELECT o.org_id, o.day, o.version FROM superseded_days o
             JOIN ${old} ON o.org_id = old.org_id AND o.day = old.day AND o.version = old.version
              FOR UPDATE OF o SKIP LOCKED)
         RETURNING s.org_id, s.day, s.version),
       documents AS (
         DELETE FROM day_documents d USING gone
          WHERE d.org_id = gone.org_id AND d.day = gone.day AND d.version = gone.version),
       users AS (
         DELETE FROM user_days u USING gone
          WHERE u.org_id = gone.org_id AND u.day = gone.day AND u.version = gone.version)
       SELECT count(*)::int AS count FROM gone`,
      keys,
    );
    return versions?.count ?? 0;
  }
}

async function nextVersion(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ version: string }>(`SELECT nextval('analytics_versions') AS version`);
  return rows[0]?.version ?? '';
}

/** Returns the organizations that had one: where there is none, somebody else has computed the day meanwhile. */
function deleteMarks(client: PoolClient, orgIds: string[], day: UtcDay): Promise<string[]> {
  return listOrgs(
    client,
    `WITH gone AS (${takeMarks('m.org_id = ANY ($1::uuid[]) AND m.day = $2')})
     SELECT DISTINCT g.org_id AS "orgId" FROM gone g`,
    [orgIds, `${day}`],
  );
}

/**
 * The partition of the day; a day that never had an event has none. null when its events have been dropped. When that
 * happens after this snapshot, the partition is missing and nothing is changed.
 */
async function sourceOf(client: PoolClient, day: UtcDay): Promise<string | null> {
  const { rows } = await client.query<{ isDropped: boolean }>(
    `SELECT e.dropped_at IS NOT NULL AS "isDropped" FROM event_days e WHERE e.day = $1`,
    [`${day}`],
  );
  if (!rows[0]) return `(SELECT * FROM events WHERE false)`;
  return rows[0].isDropped ? null : eventPartition(day);
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

/** Weekly and monthly users of the days that `day` counts in, and of days that have no row yet. */
async function refreshActives(
  client: PoolClient,
  orgIds: string[],
  day: UtcDay,
  lastDay: UtcDay,
  version: string,
  now: Date,
): Promise<void> {
  const refresh = (from: UtcDay | string, to: UtcDay, ofOrgs: string[]) =>
    client.query(REFRESH_ACTIVES, [`${from}`, `${to}`, ofOrgs, version, now, `${lastDay}`]);
  const { rows: gaps } = await client.query<{ orgId: string; from: string }>(SELECT_GAPS, [orgIds, `${day}`]);
  for (const { orgId, from } of gaps) await refresh(from, day.plus(-1), [orgId]);
  const affected = day.plus(MONTH_DAYS - 1);
  await refresh(day, affected, orgIds);
  if (!affected.isBefore(lastDay)) return;
  const incomplete = await listOrgs(
    client,
    `SELECT o.org_id AS "orgId" FROM unnest($1::uuid[]) AS o (org_id)
      WHERE (SELECT count(*) FROM analytics_days d
              WHERE d.org_id = o.org_id AND d.day > $2::date AND d.day <= $3::date) < $3::date - $2::date`,
    [orgIds, `${affected}`, `${lastDay}`],
  );
  if (incomplete.length > 0) await refresh(affected.next(), lastDay, incomplete);
}

/** For how long each organization's day is not computed again; null: at the first late event. */
async function pausesOf(
  client: PoolClient,
  orgIds: string[],
  late: string[],
  tookMs: number,
): Promise<(number | null)[]> {
  if (late.length === 0) return orgIds.map(() => null);
  const { rows } = await client.query<{ orgId: string; weight: number }>(SELECT_WEIGHTS);
  const weights = new Map(rows.map(({ orgId, weight }) => [orgId, weight]));
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const isLate = new Set(late);
  return orgIds.map((orgId) =>
    isLate.has(orgId) ? Math.round(pauseAfter((tookMs * (weights.get(orgId) ?? 0)) / Math.max(total, 1))) : null,
  );
}

async function listOrgs(client: PoolClient, sql: string, parameters: unknown[]): Promise<string[]> {
  const { rows } = await client.query<{ orgId: string }>(sql, parameters);
  return rows.map(({ orgId }) => orgId);
}
