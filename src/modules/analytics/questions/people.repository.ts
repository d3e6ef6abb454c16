import { Injectable } from '@nestjs/common';
import { NAME_KIND } from '../../ingest/event-codes.js';
import { AnalyticsLoad } from '../analytics-load.js';
import { factRows, type PinnedDays } from './fact-rows.sql.js';
import type { ActivityMetric, Slice } from './metrics.js';
import type { PersonFacts } from './person-facts.js';
import { ACTIVITY_SUMS, eachActivity, ofOrganization, QuestionsRepository } from './questions.repository.js';

@Injectable()
export class PeopleRepository {
  constructor(
    private readonly load: AnalyticsLoad,
    private readonly facts: QuestionsRepository,
  ) {}

  async findPerson(orgId: string, userId: string): Promise<{ email: string | null } | null> {
    const sql = `SELECT u.email FROM users u WHERE u.org_id = $1 AND u.id = $2`;
    const [found] = await this.load.read<{ email: string | null }>(orgId, sql, [orgId, userId]);
    return found ?? null;
  }

  async findFacts(orgId: string, userId: string, days: PinnedDays): Promise<PersonFacts> {
    const filters = { user_id: userId };
    return {
      calls: await this.facts.listModelCalls(orgId, days, { filters }, true),
      activity: await this.listActivity(orgId, days, { dimension: 'user', metric: 'sessions', filters }),
      tools: await this.listTools(orgId, days, { dimension: 'tool', metric: 'count', filters }),
    };
  }

  private async listActivity(orgId: string, days: PinnedDays, slice: Slice): Promise<PersonFacts['activity']> {
    const p = ofOrganization(orgId);
    const { from } = factRows(p, { slice, days, hasKey: true });
    const rows = await this.load.read<{ day: string } & Record<ActivityMetric, string>>(
      orgId,
      `SELECT f.day::text AS day, ${ACTIVITY_SUMS} ${from} GROUP BY f.day ORDER BY f.day`,
      p.values,
    );
    return rows.map((row) => ({ day: row.day, ...eachActivity((metric) => BigInt(row[metric])) }));
  }

  /** Most used first. */
  private async listTools(orgId: string, days: PinnedDays, slice: Slice): Promise<PersonFacts['tools']> {
    const p = ofOrganization(orgId);
    const { from } = factRows(p, { slice, days, hasKey: true });
    const rows = await this.load.read<{ tool: string; count: string }>(
      orgId,
      `SELECT n.name AS tool, sum(c.count)::text AS count
         FROM (SELECT x.name_id, sum(x.n) AS count ${from} GROUP BY x.name_id) c
         JOIN event_names n ON n.org_id = $1 AND n.id = c.name_id AND n.kind = ${NAME_KIND.tool}
        GROUP BY n.name ORDER BY sum(c.count) DESC, n.name COLLATE "C"`,
      p.values,
    );
    return rows.map(({ tool, count }) => ({ tool, count: BigInt(count) }));
  }
}
