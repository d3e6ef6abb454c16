import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { UtcDay } from '../../../../common/time/utc-day.js';
import { BulkDatabase } from '../../../../database/bulk-database.js';
import { BEGIN_COMPUTATION, sourceOf } from '../day-events.js';
import { FactRules } from './fact-rules.js';
import { selectActivity, selectCalls, selectUserTools } from './today-facts.sql.js';
import { NOTHING, type Row, type TodayFacts, toFacts } from './today-rows.js';
import { classColumns } from './write-facts.js';

export interface TodayTool {
  readonly userId: string;
  readonly tool: string;
  readonly count: number;
}

/** The facts of a day that is not over, by the rules of a closed day; nothing is stored. */
@Injectable()
export class TodayFactsRepository {
  constructor(
    private readonly bulk: BulkDatabase,
    private readonly factRules: FactRules,
  ) {}

  async read(orgId: string, day: UtcDay): Promise<TodayFacts> {
    const rules = await this.factRules.of([orgId], day);
    return this.bulk.transaction(`${BEGIN_COMPUTATION}; SET TRANSACTION READ ONLY`, async (client) => {
      const table = await sourceOf(client, day);
      if (table === null) return NOTHING;
      const source = { table, orgs: '$1', day };
      const columns = await classColumns(client, [orgId], rules);
      const classes = columns ? 2 : null;
      const activity = await readRows(client, selectActivity(source), [[orgId]]);
      const calls = await readRows(client, selectCalls({ ...source, classes }), [[orgId], ...(columns ?? [])]);
      return toFacts(activity, calls);
    });
  }

  async listTools(orgId: string, day: UtcDay): Promise<TodayTool[]> {
    return this.bulk.transaction(`${BEGIN_COMPUTATION}; SET TRANSACTION READ ONLY`, async (client) => {
      const table = await sourceOf(client, day);
      if (table === null) return [];
      const rows = await readRows(client, selectUserTools({ table, orgs: '$1' }), [[orgId]]);
      return rows.map(({ user_id: userId, tool, count }) => ({ userId, tool, count }) as TodayTool);
    });
  }
}

async function readRows(client: PoolClient, sql: string, parameters: unknown[]): Promise<Row[]> {
  return (await client.query<Row>(sql, parameters)).rows;
}
