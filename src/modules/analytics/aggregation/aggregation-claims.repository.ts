import { Injectable } from '@nestjs/common';
import type { UtcDay } from '../../../common/time/utc-day.js';
import { addMarks, takeMarks } from '../../ingest/dirty-days.js';
import { SystemDatabase } from '../../../database/system-database.js';
import { FIRST_RETRY_MS, LEASE_MS, MAX_LEASE_MS, MAX_PAUSE_MS, MAX_RETRY_MS } from './pauses.js';

/** An organization that has events of a day which are not in its figures yet, and how many they are. */
export interface DirtyDay {
  readonly orgId: string;
  readonly day: string;
  readonly events: number;
  /** How many attempts have failed since it was last computed, or ended without a word. */
  readonly failures: number;
}

/** Whether a day waits before it is computed again. A pause longer than any is of a clock that was ahead. */
const isPaused = (row: string, now: string) => `EXISTS (
  SELECT FROM day_computations pause WHERE pause.org_id = ${row}.org_id AND pause.day = ${row}.day
     AND pause.not_before > ${now}::timestamptz
     AND pause.not_before <= ${now}::timestamptz + interval '${MAX_PAUSE_MS} ms')`;

/** The end of the pause after so many failed attempts. */
const pauseUntil = (now: string, failures: string) =>
  `${now}::timestamptz + least(${FIRST_RETRY_MS} * 2 ^ least(${failures} - 1, 20), ${MAX_RETRY_MS}) * interval '1 ms'`;

/** The ledger of the aggregation: what is due, and who is at it. A claim is of one organization, and ends with its lease. */
@Injectable()
export class AggregationClaimsRepository {
  constructor(private readonly db: SystemDatabase) {}

  /** What is due on the oldest day before `today`, the largest first, without what others work on and what is paused. */
  listOldestDue(today: UtcDay, now: Date): Promise<DirtyDay[]> {
    return this.db.query(
      `WITH due AS (
         SELECT m.org_id, m.day, sum(m.events)::float8 AS events FROM dirty_days m
          WHERE m.day < $1 AND NOT EXISTS (
                SELECT FROM aggregation_claims c
                 WHERE c.org_id = m.org_id AND c.lease_until > $2 AND c.lease_until <= $3)
          GROUP BY m.org_id, m.day),
       ready AS (SELECT d.* FROM due d WHERE NOT ${isPaused('d', '$2')})
       SELECT d.org_id AS "orgId", d.day::text AS day, d.events, coalesce(k.failures, 0) AS failures
         FROM ready d LEFT JOIN day_computations k ON k.org_id = d.org_id AND k.day = d.day
        WHERE d.day = (SELECT min(o.day) FROM ready o) ORDER BY d.events DESC, d.org_id`,
      [today.toString(), now, latestLease(now)],
    );
  }

  /** How many days of an organization before `today` have events that are not in its figures yet. */
  async countDueDays(orgId: string, today: UtcDay): Promise<number> {
    const [due] = await this.db.query<{ days: number }>(
      `SELECT count(DISTINCT m.day)::int AS days FROM dirty_days m WHERE m.org_id = $1 AND m.day < $2`,
      [orgId, today.toString()],
    );
    return due?.days ?? 0;
  }

  /** Claims those of the organizations that are free; returns them. */
  async claim(orgIds: string[], holder: string, now: Date): Promise<string[]> {
    const rows = await this.db.query<{ orgId: string }>(
      `INSERT INTO aggregation_claims AS c (org_id, holder, lease_until)
       SELECT o.org_id, $2, $4 FROM unnest($1::uuid[]) AS o (org_id) ORDER BY o.org_id
       ON CONFLICT (org_id) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
        WHERE c.lease_until <= $3 OR c.lease_until > $5
       RETURNING c.org_id AS "orgId"`,
      [orgIds, holder, now, new Date(now.getTime() + LEASE_MS), latestLease(now)],
    );
    return rows.map(({ orgId }) => orgId);
  }

  async extend(holder: string, now: Date): Promise<void> {
    await this.db.query(`UPDATE aggregation_claims c SET lease_until = $2 WHERE c.holder = $1`, [
      holder,
      new Date(now.getTime() + LEASE_MS),
    ]);
  }

  async release(holder: string): Promise<void> {
    await this.db.query(`DELETE FROM aggregation_claims c WHERE c.holder = $1`, [holder]);
  }

  /**
   * Notes that a day is about to be computed, and a growing pause. When that ends the process or the database itself, nobody
   * could note it afterwards, and the same day would be the first to be tried again.
   */
  async noteAttempt(orgIds: string[], day: UtcDay, now: Date): Promise<void> {
    await this.db.query(
      `INSERT INTO day_computations AS k (org_id, day, started_at, not_before, failures)
       SELECT o.org_id, $2, $3, ${pauseUntil('$3', '1')}, 1 FROM unnest($1::uuid[]) AS o (org_id) ORDER BY o.org_id
       ON CONFLICT (org_id, day) DO UPDATE
          SET failures = k.failures + 1, not_before = ${pauseUntil('$3', 'k.failures + 1')}`,
      [orgIds, day.toString(), now],
    );
  }

  /** Takes back what `noteAttempt` noted: there was nothing to do, or others were in the way. */
  async forgetAttempt(orgIds: string[], day: UtcDay): Promise<void> {
    await this.db.query(
      `UPDATE day_computations k SET failures = k.failures - 1, not_before = NULL
        WHERE k.org_id = ANY ($1::uuid[]) AND k.day = $2 AND k.failures > 0`,
      [orgIds, day.toString()],
    );
  }

  /** Notes why an attempt failed. */
  async noteFailure(orgId: string, day: UtcDay, failure: string, now: Date): Promise<{ isNew: boolean }> {
    const [noted] = await this.db.query<{ before: string | null }>(
      `WITH before AS (SELECT k.failure FROM day_computations k WHERE k.org_id = $1 AND k.day = $2)
       UPDATE day_computations k SET failure = $4, not_before = ${pauseUntil('$3', 'k.failures')}
        WHERE k.org_id = $1 AND k.day = $2 RETURNING (SELECT b.failure FROM before b) AS before`,
      [orgId, day.toString(), now, failure],
    );
    return { isNew: noted?.before !== failure };
  }

  /** Until when a day that could not be computed is not tried again; null: it may be, or is for the first time. */
  async findRetry(orgId: string, day: UtcDay, now: Date): Promise<Date | null> {
    const [failed] = await this.db.query<{ notBefore: Date }>(
      `SELECT k.not_before AS "notBefore" FROM day_computations k
        WHERE k.org_id = $1 AND k.day = $2 AND (k.failures > 1 OR k.failure IS NOT NULL) AND ${isPaused('k', '$3')}`,
      [orgId, day.toString(), now],
    );
    return failed?.notBefore ?? null;
  }

  /** Lets the days of an organization be computed at once, although they were a moment ago. */
  async endPauses(orgId: string): Promise<void> {
    await this.db.query(
      `UPDATE day_computations k SET not_before = NULL
        WHERE k.org_id = $1 AND k.failures = 0 AND k.not_before IS NOT NULL`,
      [orgId],
    );
  }

  /** Puts the many marks of days that are not computed for some time together, so that their number stays small. */
  async mergeMarks(today: UtcDay, now: Date): Promise<void> {
    await this.db.query(
      `WITH gone AS (
         ${takeMarks(`(m.org_id, m.day, m.mark) IN (
           SELECT o.org_id, o.day, o.mark FROM dirty_days o
            WHERE (o.day >= $1 OR ${isPaused('o', '$2')}) AND EXISTS (
                  SELECT FROM dirty_days x WHERE x.org_id = o.org_id AND x.day = o.day AND x.mark <> o.mark)
              FOR UPDATE OF o SKIP LOCKED)`)})
       ${addMarks(`SELECT g.org_id, g.day, least(sum(g.events), 2147483647) FROM gone g GROUP BY g.org_id, g.day`)}`,
      [today.toString(), now],
    );
  }

  /** Organizations whose rows end before `lastDay` or have a gap, by the day on which they have to go on. */
  listBehind(lastDay: UtcDay): Promise<{ orgId: string; from: string }[]> {
    return this.db.query(
      `SELECT g.org_id AS "orgId", (
              SELECT (min(d.day) + 1)::text FROM analytics_days d
               WHERE d.org_id = g.org_id AND NOT EXISTS (
                     SELECT FROM analytics_days n WHERE n.org_id = d.org_id AND n.day = d.day + 1)) AS "from"
         FROM (SELECT d.org_id, min(d.day) AS first, max(d.day) AS last, count(*) AS days FROM analytics_days d GROUP BY d.org_id) g
        WHERE g.last < $1 OR g.days < g.last - g.first + 1 ORDER BY g.org_id`,
      [lastDay.toString()],
    );
  }

  /** Days whose events have been dropped: their figures are final. */
  async listFrozenDays(from: UtcDay, to: UtcDay): Promise<Set<string>> {
    const rows = await this.db.query<{ day: string }>(
      `SELECT e.day::text AS day FROM event_days e WHERE e.day >= $1 AND e.day <= $2 AND e.dropped_at IS NOT NULL`,
      [from.toString(), to.toString()],
    );
    return new Set(rows.map(({ day }) => day));
  }

  /** Every organization that had an event on `day` or has figures of it. */
  async listOrgsOfDay(day: UtcDay): Promise<string[]> {
    const rows = await this.db.query<{ orgId: string }>(
      `SELECT o.id AS "orgId" FROM organizations o
        WHERE EXISTS (SELECT FROM events e WHERE e.at >= $1 AND e.at < $2 AND e.org_id = o.id)
           OR EXISTS (SELECT FROM analytics_days d WHERE d.org_id = o.id AND d.day = $3::date) ORDER BY o.id`,
      [day.startsAt(), day.next().startsAt(), day.toString()],
    );
    return rows.map(({ orgId }) => orgId);
  }
}

function latestLease(now: Date): Date {
  return new Date(now.getTime() + MAX_LEASE_MS);
}
