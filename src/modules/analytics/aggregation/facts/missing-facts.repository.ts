import { Injectable } from '@nestjs/common';
import type { UtcDay } from '../../../../common/time/utc-day.js';
import { SystemDatabase } from '../../../../database/system-database.js';
import { FROZEN_RULES } from './figures.js';

/** An earlier release replaces the version, but not the rules, which begin with theirs. */
export const HAS_NO_FACTS = `d.version IS NOT NULL AND (d.fact_rules IS NULL
  OR d.fact_rules <> '${FROZEN_RULES}' AND split_part(d.fact_rules, ' ', 1) <> d.version::text)`;

export interface OrgDay {
  readonly orgId: string;
  readonly day: string;
}

/** The rules by which the facts of a day were made; null: it has none. */
export interface DayFactRules {
  readonly day: string;
  readonly version: string;
  readonly rules: string | null;
}

@Injectable()
export class MissingFactsRepository {
  constructor(private readonly db: SystemDatabase) {}

  /** Computed days without facts, of all organizations, the newest first. */
  list(limit: number): Promise<OrgDay[]> {
    return this.db.query(
      `SELECT d.org_id AS "orgId", d.day::text AS day FROM analytics_days d
        WHERE ${HAS_NO_FACTS} ORDER BY d.day DESC, d.org_id LIMIT $1`,
      [limit],
    );
  }

  async count(): Promise<number> {
    const [found] = await this.db.query<{ days: number }>(
      `SELECT count(*)::int AS days FROM analytics_days d WHERE ${HAS_NO_FACTS}`,
    );
    return found?.days ?? 0;
  }

  async listOrganizations(): Promise<string[]> {
    const rows = await this.db.query<{ orgId: string }>(
      `SELECT DISTINCT d.org_id AS "orgId" FROM analytics_days d WHERE d.version IS NOT NULL ORDER BY 1`,
    );
    return rows.map(({ orgId }) => orgId);
  }

  /** The newest first; without days whose facts stay as they are, because their events are gone. */
  listRules(orgId: string, from: UtcDay | null = null, to: UtcDay | null = null): Promise<DayFactRules[]> {
    return this.db.query(
      `SELECT d.day::text AS day, d.version, CASE WHEN ${HAS_NO_FACTS} THEN NULL ELSE d.fact_rules END AS rules
         FROM analytics_days d
        WHERE d.org_id = $1 AND d.version IS NOT NULL AND d.day >= coalesce($2::date, '-infinity') AND d.day <= coalesce($3::date, 'infinity')
          AND (${HAS_NO_FACTS} OR NOT EXISTS (
               SELECT FROM event_days e WHERE e.day = d.day AND e.dropped_at IS NOT NULL))
        ORDER BY d.day DESC`,
      [orgId, from?.toString() ?? null, to?.toString() ?? null],
    );
  }
}
