import { Injectable } from '@nestjs/common';
import { UtcDay } from '../../../common/time/utc-day.js';
import { BulkDatabase } from '../../../database/bulk-database.js';
import { CLIENT_CODE } from '../../ingest/event-codes.js';
import { AnalyticsLoad } from '../analytics-load.js';
import type { AnalyticsRange } from '../analytics-range.js';
import type { AgentDay, StoredDay } from './completeness-rows.js';

export type ChangedAgentDay = AgentDay & { changedAt: Date };
/** `hasFacts` is false for a day that a previous release has computed. */
export type FactDay = StoredDay & { version: string; hasFacts: boolean };

@Injectable()
export class CompletenessRepository {
  constructor(
    private readonly load: AnalyticsLoad,
    private readonly bulk: BulkDatabase,
  ) {}

  listAgentDays(orgId: string, { start, end }: AnalyticsRange): Promise<ChangedAgentDay[]> {
    return this.load.read(
      orgId,
      `SELECT coalesce(i.day, c.day)::text AS date, coalesce(i.agent, c.agent) AS agent,
              i.terminal_ui::float8 AS "terminalUi", i.web::float8 AS web, i.headless::float8 AS headless,
              i.duplicates::float8 AS duplicates, i.rejected::float8 AS rejected, i.ignored::float8 AS ignored,
              c.numbered::float8 AS numbered, c.numbered_seen::float8 AS "numberedSeen",
              c.claimed::float8 AS claimed, c.claimed_seen::float8 AS "claimedSeen",
              greatest(i.changed_at, c.changed_at) AS "changedAt"
         FROM (SELECT * FROM intake_days a WHERE a.org_id = $1 AND a.day >= $2 AND a.day <= $3) i
         FULL JOIN (SELECT * FROM claim_days b WHERE b.org_id = $1 AND b.day >= $2 AND b.day <= $3) c
           ON c.org_id = i.org_id AND c.day = i.day AND c.agent = i.agent`,
      [orgId, start.toString(), end.toString()],
    );
  }

  listFactDays(orgId: string, { start, end }: AnalyticsRange): Promise<FactDay[]> {
    return this.load.read(
      orgId,
      `SELECT a.day::text AS date, a.version, f.version IS NOT NULL AS "hasFacts",
              f.terminal_ui_events::float8 AS "terminalUi", f.web_events::float8 AS web,
              f.headless_events::float8 AS headless
         FROM analytics_days a
         LEFT JOIN day_facts f ON f.org_id = a.org_id AND f.day = a.day AND f.version = a.version
        WHERE a.org_id = $1 AND a.day >= $2 AND a.day <= $3 AND a.version IS NOT NULL ORDER BY a.day`,
      [orgId, start.toString(), end.toString()],
    );
  }

  /** From the raw events; unknown when they are gone. */
  async countEvents(orgId: string, date: string): Promise<StoredDay> {
    const from = UtcDay.tryParse(date)?.startsAt() ?? new Date(NaN);
    const until = UtcDay.of(from).next().startsAt();
    return this.bulk.transaction('BEGIN READ ONLY', async (client) => {
      const { rows } = await client.query<StoredDay & { isDropped: boolean }>(
        `SELECT $2 AS date, count(*) FILTER (WHERE e.client = $5)::float8 AS "terminalUi",
                count(*) FILTER (WHERE e.client = $6)::float8 AS web,
                count(*) FILTER (WHERE e.client = $7)::float8 AS headless,
                EXISTS (SELECT FROM event_days d WHERE d.day = $2::text::date AND d.dropped_at IS NOT NULL) AS "isDropped"
           FROM events e WHERE e.org_id = $1 AND e.at >= $3 AND e.at < $4`,
        [
          ...[orgId, date, from, until],
          ...[CLIENT_CODE['terminal-ui'], CLIENT_CODE.web, CLIENT_CODE['non-interactive-cli']],
        ],
      );
      const [found] = rows;
      if (!found || found.isDropped) return { date, terminalUi: null, web: null, headless: null };
      return { date, terminalUi: found.terminalUi, web: found.web, headless: found.headless };
    });
  }
}
