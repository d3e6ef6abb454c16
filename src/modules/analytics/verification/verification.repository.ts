import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { parseExact } from '../../../common/exact-json.js';
import type { UtcDay } from '../../../common/time/utc-day.js';
import { BulkDatabase } from '../../../database/bulk-database.js';
import { SystemDatabase } from '../../../database/system-database.js';
import type { PriceList } from '../../../prices/price-list.js';
import { FACT_RECOUNTS, type FactReport, MODELS_OF_DAY } from './fact-recount.sql.js';
import { RECOUNTS, type RecountedReport } from './recount.sql.js';

export interface ComparedFacts {
  readonly report: FactReport;
  readonly stored: unknown;
  readonly recounted: unknown;
}

export interface DayState {
  /** Has late events that are not counted yet. */
  readonly isPending: boolean;
  /** The same for any of the 30 days that count in its monthly users. */
  readonly isMonthPending: boolean;
  /** Changes with the figures of the day; null when there are none. */
  readonly version: string | null;
}

/** Postgres has to know the type of parameters that a statement does not use. */
const USES_ALL = `WHERE $1::uuid IS NOT NULL AND $2::timestamptz < $3::timestamptz AND $4::text <> ''`;

@Injectable()
export class VerificationRepository {
  constructor(
    private readonly db: SystemDatabase,
    private readonly bulk: BulkDatabase,
  ) {}

  recount(report: RecountedReport, orgId: string, day: UtcDay): Promise<unknown> {
    return this.bulk.transaction('BEGIN READ ONLY', (client) => readRow(client, RECOUNTS[report], keyOf(orgId, day)));
  }

  /** Of each table of facts what is stored and what was recounted, in the same shape and from one snapshot. */
  async listFacts(orgId: string, day: UtcDay, list: PriceList): Promise<ComparedFacts[]> {
    const key = keyOf(orgId, day);
    return this.bulk.transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async (client) => {
      const limits = JSON.stringify(await listLimits(client, key, day, list));
      const found: ComparedFacts[] = [];
      for (const [report, { stored, recount }] of Object.entries(FACT_RECOUNTS)) {
        found.push({
          report: report as FactReport,
          stored: await readRow(client, stored, key),
          recounted: await readRow(client, recount, recount.includes('$5') ? [...key, limits] : key),
        });
      }
      return found;
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

function keyOf(orgId: string, day: UtcDay): unknown[] {
  return [orgId, day.startsAt(), day.next().startsAt(), day.toString()];
}

async function readRow(client: PoolClient, sql: string, parameters: unknown[]): Promise<unknown> {
  const { rows } = await client.query<{ row: string }>(
    `SELECT r.row::text AS row FROM (${sql}) r ${USES_ALL}`,
    parameters,
  );
  return parseExact(rows[0]?.row ?? 'null');
}

/** The price classes of the models that were called. */
async function listLimits(client: PoolClient, key: unknown[], day: UtcDay, list: PriceList): Promise<object[]> {
  const { rows } = await client.query<{ name: string }>(MODELS_OF_DAY, key.slice(0, 3));
  return rows.flatMap(({ name }) =>
    list.classesOf(name, day).map(({ above, fromMinute, toMinute }) => {
      return { model: name, above, from_minute: fromMinute, to_minute: toMinute };
    }),
  );
}
