import { Injectable } from '@nestjs/common';
import { BulkDatabase } from '../../../database/bulk-database.js';
import { SystemDatabase } from '../../../database/system-database.js';
import type { IntakeAgent } from './intake-agents.js';

export interface IntakeDay {
  readonly day: string;
  readonly agent: IntakeAgent;
  terminalUi: number;
  web: number;
  headless: number;
  duplicates: number;
  rejected: number;
  ignored: number;
}

@Injectable()
export class IntakeDaysRepository {
  constructor(
    private readonly db: SystemDatabase,
    private readonly bulk: BulkDatabase,
  ) {}

  async add(orgId: string, rows: IntakeDay[], now: Date): Promise<void> {
    const columns = [
      rows.map(({ day }) => day),
      rows.map(({ agent }) => agent),
      ...(['terminalUi', 'web', 'headless', 'duplicates', 'rejected', 'ignored'] as const).map((name) =>
        rows.map((row) => row[name]),
      ),
    ];
    // Sorted against deadlocks.
    await this.db.query(
      `INSERT INTO intake_days AS i
              (org_id, day, agent, terminal_ui, web, headless, duplicates, rejected, ignored, changed_at)
       SELECT $1, x.day, x.agent, x.terminal_ui, x.web, x.headless, x.duplicates, x.rejected, x.ignored, $2
         FROM unnest($3::date[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[])
              AS x (day, agent, terminal_ui, web, headless, duplicates, rejected, ignored)
        ORDER BY x.day, x.agent
       ON CONFLICT (org_id, day, agent) DO UPDATE
          SET terminal_ui = i.terminal_ui + excluded.terminal_ui, web = i.web + excluded.web,
              headless = i.headless + excluded.headless, duplicates = i.duplicates + excluded.duplicates,
              rejected = i.rejected + excluded.rejected, ignored = i.ignored + excluded.ignored,
              changed_at = greatest(i.changed_at, excluded.changed_at)`,
      [orgId, now, ...columns],
    );
  }

  /** A handful of rows for each organization and day. */
  async deleteBefore(day: string): Promise<void> {
    await this.bulk.upkeep(`DELETE FROM intake_days i WHERE i.day < $1::date`, [day]);
  }
}
