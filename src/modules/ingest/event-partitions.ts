import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/time/clock.js';
import { UtcDay } from '../../common/time/utc-day.js';
import { eventPartition } from './event-codes.js';
import { AppConfig } from '../../config/app-config.js';
import { SystemDatabase } from '../../database/system-database.js';

const LOCK_TIMEOUT = '5s';

/** The partitions of `events`, one for each UTC day: created when needed, dropped after EVENT_RETENTION_DAYS. */
@Injectable()
export class EventPartitions {
  private readonly open = new Set<string>();

  constructor(
    private readonly db: SystemDatabase,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /** The first day whose events are accepted. */
  firstOpenDay(): UtcDay {
    const { firstDay, eventRetentionDays } = this.config.analytics;
    const kept = UtcDay.of(this.clock.now()).plus(-eventRetentionDays);
    return kept.isBefore(firstDay) ? firstDay : kept;
  }

  /** Creates the partition of the day if need be; false when its events have been dropped. */
  async ensure(day: string): Promise<boolean> {
    if (this.open.has(day)) return true;
    const isOpen = await this.create(day);
    if (isOpen) this.open.add(day);
    return isOpen;
  }

  forget(days: Iterable<string>): void {
    for (const day of days) this.open.delete(day);
  }

  /** The transaction that inserts the row of the day creates its partition; concurrent ones wait for it. */
  private create(day: string): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const [created] = await tx.query(`INSERT INTO event_days (day) VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1`, [
        day,
      ]);
      if (!created) {
        const [known] = await tx.query<{ isOpen: boolean }>(
          `SELECT d.dropped_at IS NULL AS "isOpen" FROM event_days d WHERE d.day = $1`,
          [day],
        );
        return known?.isOpen === true;
      }
      const partition = eventPartition(day);
      const next = UtcDay.tryParse(day)?.next().toString() ?? '';
      await tx.query(`CREATE TABLE ${partition} (LIKE events)`);
      await tx.query(`CREATE UNIQUE INDEX ${partition}_key ON ${partition} (org_id, id)`);
      await tx.query(
        `ALTER TABLE events ATTACH PARTITION ${partition} FOR VALUES FROM ('${day} 00:00+00') TO ('${next} 00:00+00')`,
      );
      return true;
    });
  }

  /** Days before `day` that still have their events, oldest first. */
  async listOpenBefore(day: UtcDay): Promise<string[]> {
    const rows = await this.db.query<{ day: string }>(
      `SELECT d.day::text AS day FROM event_days d WHERE d.day < $1 AND d.dropped_at IS NULL ORDER BY d.day`,
      [day.toString()],
    );
    return rows.map((row) => row.day);
  }

  /** Drops the events of a day for good; false when some of them have not been aggregated yet. */
  async drop(day: string): Promise<boolean> {
    const isDropped = await this.db.transaction(async (tx) => {
      // A waiting lock request blocks all later writers, also those of other days: give up soon.
      await tx.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
      await tx.query(`LOCK TABLE ${eventPartition(day)} IN ACCESS EXCLUSIVE MODE`);
      const [pending] = await tx.query(`SELECT 1 FROM dirty_days m WHERE m.day = $1 LIMIT 1`, [day]);
      if (pending) return false;
      await tx.query(`DROP TABLE ${eventPartition(day)}`);
      await tx.query(`UPDATE event_days d SET dropped_at = $2 WHERE d.day = $1`, [day, this.clock.now()]);
      return true;
    });
    if (isDropped) this.forget([day]);
    return isDropped;
  }
}
