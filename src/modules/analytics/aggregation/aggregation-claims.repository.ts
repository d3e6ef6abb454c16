import { Injectable } from '@nestjs/common';
import type { UtcDay } from '../../../common/time/utc-day.js';
import { SystemDatabase } from '../../../database/system-database.js';

/** An organization that has events of a day which are not in its figures yet, and how many they are. */
export interface DirtyDay {
  readonly orgId: string;
  readonly day: string;
  readonly events: number;
}

/** The ledger of the aggregation: what is due, and who is at it. A claim is of one organization, and ends with its lease. */
@Injectable()
export class AggregationClaimsRepository {
  constructor(private readonly db: SystemDatabase) {}

  /** What is due on the oldest day before `today`, the largest first, without what others are working on. */
  listOldestDue(today: UtcDay, now: Date): Promise<DirtyDay[]> {
    return this.db.query(
      `WITH due AS (
         SELECT m.org_id, m.day, sum(m.events)::float8 AS events FROM dirty_days m
          WHERE m.day < $1 AND NOT EXISTS (
                SELECT FROM aggregation_claims c WHERE c.org_id = m.org_id AND c.lease_until > $2)
          GROUP BY m.org_id, m.day)
       SELECT d.org_id AS "orgId", d.day::text AS day, d.events FROM due d
        WHERE d.day = (SELECT min(o.day) FROM due o) ORDER BY d.events DESC, d.org_id`,
      [today.toString(), now],
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
  async claim(orgIds: string[], holder: string, now: Date, leaseUntil: Date): Promise<string[]> {
    const rows = await this.db.query<{ orgId: string }>(
      `INSERT INTO aggregation_claims AS c (org_id, holder, lease_until)
       SELECT o.org_id, $2, $4 FROM unnest($1::uuid[]) AS o (org_id) ORDER BY o.org_id
       ON CONFLICT (org_id) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
        WHERE c.lease_until <= $3
       RETURNING c.org_id AS "orgId"`,
      [orgIds, holder, now, leaseUntil],
    );
    return rows.map(({ orgId }) => orgId);
  }

  async extend(holder: string, leaseUntil: Date): Promise<void> {
    await this.db.query(`UPDATE aggregation_claims c SET lease_until = $2 WHERE c.holder = $1`, [holder, leaseUntil]);
  }

  async release(holder: string): Promise<void> {
    await this.db.query(`DELETE FROM aggregation_claims c WHERE c.holder = $1`, [holder]);
  }

  /** Puts the many marks of days that are not over yet together, so that their number stays small. */
  async mergeMarks(today: UtcDay): Promise<void> {
    await this.db.query(
      `WITH gone AS (
         DELETE FROM dirty_days m WHERE (m.org_id, m.day, m.mark) IN (
           SELECT o.org_id, o.day, o.mark FROM dirty_days o
            WHERE o.day >= $1 AND EXISTS (
                  SELECT FROM dirty_days x WHERE x.org_id = o.org_id AND x.day = o.day AND x.mark <> o.mark)
              FOR UPDATE OF o SKIP LOCKED)
         RETURNING m.org_id, m.day, m.events)
       INSERT INTO dirty_days (org_id, day, events)
       SELECT g.org_id, g.day, least(sum(g.events), 2147483647) FROM gone g GROUP BY g.org_id, g.day`,
      [today.toString()],
    );
  }

  /** Organizations whose rows end before `lastDay`, by the day on which they have to go on. */
  listBehind(lastDay: UtcDay): Promise<{ orgId: string; from: string }[]> {
    return this.db.query(
      `SELECT d.org_id AS "orgId", (max(d.day) + 1)::text AS "from" FROM analytics_days d
        GROUP BY d.org_id HAVING max(d.day) < $1 ORDER BY d.org_id`,
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
