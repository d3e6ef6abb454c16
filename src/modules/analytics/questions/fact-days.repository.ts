import { Injectable } from '@nestjs/common';
import { AnalyticsLoad } from '../analytics-load.js';
import type { AnalyticsRange } from '../analytics-range.js';

export interface FactDay {
  readonly day: string;
  /** Null: the version that is asked for is gone. */
  readonly version: string | null;
  readonly hasFacts: boolean;
}

@Injectable()
export class FactDaysRepository {
  constructor(private readonly load: AnalyticsLoad) {}

  /** Computed days in order; with `asOf`, each in the version that it had then, if that was replaced after `keptSince`. */
  listDays(orgId: string, { start, end }: AnalyticsRange, asOf: string | null, keptSince: Date): Promise<FactDay[]> {
    return this.load.read(
      orgId,
      `SELECT d.day::text AS day, d.fact_rules IS NOT NULL AS "hasFacts",
              CASE WHEN $4::bigint IS NULL OR d.version <= $4 THEN d.version
                   ELSE (SELECT max(s.version) FROM superseded_days s
                          WHERE s.org_id = $1 AND s.day = d.day AND s.version <= $4 AND s.superseded_at > $5) END AS version
         FROM analytics_days d
        WHERE d.org_id = $1 AND d.day >= $2 AND d.day <= $3 AND d.version IS NOT NULL ORDER BY d.day`,
      [orgId, start.toString(), end.toString(), asOf, keptSince],
    );
  }

  async findTeamRevision(orgId: string): Promise<string> {
    const rows = await this.load.read<{ revision: string }>(
      orgId,
      `SELECT c.revision FROM team_changes c WHERE c.org_id = $1`,
      [orgId],
    );
    return rows[0]?.revision ?? '0';
  }
}
