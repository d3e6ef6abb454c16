import type { PoolClient } from 'pg';
import type { UtcDay } from '../../../common/time/utc-day.js';
import { eventPartition } from '../../ingest/event-codes.js';

/** One snapshot for all scans, else breakdowns would not add up. */
export const BEGIN_COMPUTATION = `BEGIN ISOLATION LEVEL REPEATABLE READ;
  SET LOCAL work_mem = '256MB'; SET LOCAL jit = off; SET LOCAL max_parallel_workers_per_gather = 0`;
const setAll = (value: string) =>
  ['enable_mergejoin', 'enable_nestloop', 'enable_sort', 'enable_incremental_sort']
    .map((setting) => `SET LOCAL ${setting} = ${value}`)
    .join('; ');
/** Postgres has no statistics of a version that is being written; joining and grouping by hash suits all statements on it. */
export const ONLY_HASHES = setAll('off');
export const ANY_PLAN = setAll('on');

/** The partition of the day, or an empty table if it never had an event; null when its events were dropped. */
export async function sourceOf(client: PoolClient, day: UtcDay): Promise<string | null> {
  const { rows } = await client.query<{ isDropped: boolean }>(
    `SELECT e.dropped_at IS NOT NULL AS "isDropped" FROM event_days e WHERE e.day = $1`,
    [`${day}`],
  );
  if (!rows[0]) return `(SELECT * FROM events WHERE false)`;
  return rows[0].isDropped ? null : eventPartition(day);
}
