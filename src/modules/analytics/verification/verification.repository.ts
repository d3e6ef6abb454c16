import { Injectable } from '@nestjs/common';
import { parseExact } from '../../../common/exact-json.js';
import type { UtcDay } from '../../../common/time/utc-day.js';
import { BulkDatabase } from '../../../database/bulk-database.js';
import { SystemDatabase } from '../../../database/system-database.js';
import { RECOUNTS, type RecountedReport } from './recount.sql.js';

export interface DayState {
  /** Has late events that are not counted yet. */
  readonly isPending: boolean;
  /** The same for any of the 30 days that count in its monthly users. */
  readonly isMonthPending: boolean;
  /** Changes with the figures of the day; null when there are none. */
  readonly version: string | null;
}

@Injectable()
export class VerificationRepository {
  constructor(
    private readonly db: SystemDatabase,
    private readonly bulk: BulkDatabase,
  ) {}

  async recount(report: RecountedReport, orgId: string, day: UtcDay): Promise<unknown> {
    const parameters = [orgId, day.startsAt(), day.next().startsAt(), day.toString()];
    return this.bulk.transaction('BEGIN READ ONLY', async (client) => {
      const { rows } = await client.query<{ row: string }>(
        `SELECT r.row::text AS row FROM (${RECOUNTS[report]}) r`,
        parameters,
      );
      return parseExact(rows[0]?.row ?? 'null');
    });
  }

  /** With events or figures in the range, or the given one. */
  async listOrganizations(from: UtcDay, to: UtcDay, orgId: string | null): Promise<{ id: string; name: string }[]> {
    return this.db.query(
      `SELECT o.id, o.name FROM organizations o
        WHERE ($3::uuid IS NULL OR o.id = $3)
          AND (EXISTS (SELECT FROM analytics_days d WHERE d.org_id = o.id AND d.day >= $1 AND d.day <= $2)
               OR EXISTS (SELECT FROM dirty_days m WHERE m.org_id = o.id AND m.day >= $1 AND m.day <= $2)) ORDER BY o.id`,
      [from.toString(), to.toString(), orgId],
    );
  }

  async findState(orgId: string, day: UtcDay): Promise<DayState> {
    const [state] = await this.db.query<DayState>(
      `SELECT EXISTS (SELECT FROM dirty_days m WHERE m.org_id = $1 AND m.day = $2) AS "isPending",
              EXISTS (SELECT FROM dirty_days m
                       WHERE m.org_id = $1 AND m.day > $2::date - 30 AND m.day <= $2) AS "isMonthPending",
              (SELECT concat(d.version, ' ', d.activity_version) FROM analytics_days d
                WHERE d.org_id = $1 AND d.day = $2) AS version`,
      [orgId, day.toString()],
    );
    if (!state) throw new Error('A row of scalars is always there');
    return state;
  }

  async isFrozen(from: UtcDay, to: UtcDay): Promise<boolean> {
    const rows = await this.db.query(
      `SELECT 1 FROM event_days e WHERE e.day >= $1 AND e.day <= $2 AND e.dropped_at IS NOT NULL LIMIT 1`,
      [from.toString(), to.toString()],
    );
    return rows.length > 0;
  }
}
