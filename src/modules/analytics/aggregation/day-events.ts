import type { PoolClient } from 'pg';
import type { UtcDay } from '../../../common/time/utc-day.js';
import { eventPartition } from '../../ingest/event-codes.js';

/** One snapshot for all scans, else breakdowns would not add up. */
export const BEGIN_COMPUTATION = `BEGIN ISOLATION LEVEL REPEATABLE READ;
  SET LOCAL work_mem = '256MB'; SET LOCAL jit = off; SET LOCAL max_parallel_workers_per_gather = 0`;
/** Postgres has no statistics of a version that is being written, and hash joins suit all statements on it. */
export const ONLY_HASH_JOINS = `SET LOCAL enable_mergejoin = off; SET LOCAL enable_nestloop = off`;
export const ANY_JOINS = `SET LOCAL enable_mergejoin = on; SET LOCAL enable_nestloop = on`;

/** The partition of the day, or an empty table if it never had an event; null when its events were dropped. */
export async function sourceOf(client: PoolClient, day: UtcDay): Promise<string | null> {
  const { rows } = await client.query<{ isDropped: boolean }>(
    `SELECT e.dropped_at IS NOT NULL AS "isDropped" FROM event_days e WHERE e.day = $1`,
    [`${day}`],
  );
  if (!rows[0]) return `(SELECT * FROM events WHERE false)`;
  return rows[0].isDropped ? null : eventPartition(day);
}
