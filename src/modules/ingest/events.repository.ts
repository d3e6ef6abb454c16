import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { isUniqueViolation } from '../../common/errors/database-errors.js';
import { addExact, type ExactInteger } from '../../common/exact-json.js';
import { groupedBy } from '../../common/grouped-by.js';
import { addMarks } from './dirty-days.js';
import { eventPartition } from './event-codes.js';
import { BulkDatabase } from '../../database/bulk-database.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { NewEventHandlers } from './new-event-handlers.js';
import { dayOf, type EventRow } from './usage-event.js';

const COLUMNS = `at, org_id, user_id, id, kind, client, session_id, name_id, detail_id, autonomy, tier,
  input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, billable_tokens`;
/** Few events have one of these, and COPY is faster without. */
const COST_COLUMNS = 'cache_write_1h_tokens, reported_cost, is_sum';
const ALL_COLUMNS = `${COLUMNS}, ${COST_COLUMNS}`;

/** After a duplicate further ones are likely: for this long, batches are merged without trying COPY first. */
const MERGE_AFTER_DUPLICATE_MS = 30_000;

/** An event that this service records itself. */
export interface OwnEvent {
  readonly orgId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly id: string;
  readonly kind: number;
  readonly client: number;
  readonly at: Date;
  readonly day: string;
}

/** Writes events: deduplicated, and with their marks and counters in one transaction. */
@Injectable()
export class EventsRepository {
  private readonly mergeUntilMs = new Map<string, number>();

  constructor(
    private readonly db: BulkDatabase,
    private readonly handlers: NewEventHandlers,
  ) {}

  /**
   * Returns the rows that were new. Nearly every batch is new as a whole, so COPY goes straight into the uniquely indexed
   * partition; when a duplicate aborts it, the batch is merged.
   */
  async insertNew(orgId: string, rows: EventRow[]): Promise<EventRow[]> {
    if (!this.expectsDuplicates(orgId)) {
      try {
        await this.copy(orgId, rows);
        return rows;
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        this.mergeUntilMs.set(orgId, performance.now() + MERGE_AFTER_DUPLICATE_MS);
      }
    }
    return this.merge(orgId, rows);
  }

  insert(tx: SqlTransaction, event: OwnEvent): void {
    const { at, orgId, userId, sessionId, id, kind, client, day } = event;
    tx.enqueue(
      `WITH event AS (
         INSERT INTO events (at, org_id, user_id, session_id, id, kind, client) VALUES ($1, $2, $3, $4, $5, $6, $7))
       ${addMarks('VALUES ($2, $8, 1)')}`,
      [at, orgId, userId, sessionId, id, kind, client, day],
      'record-usage',
    );
  }

  private expectsDuplicates(orgId: string): boolean {
    const untilMs = this.mergeUntilMs.get(orgId) ?? 0;
    if (untilMs > performance.now()) return true;
    this.mergeUntilMs.delete(orgId);
    return false;
  }

  private copy(orgId: string, rows: EventRow[]): Promise<void> {
    return this.db.shortTransaction(async (client) => {
      for (const [day, ofDay] of groupedBy(rows, dayOf)) await copyInto(client, eventPartition(day), orgId, ofDay);
      await this.recordConsequences(client, orgId, rows);
    });
  }

  private merge(orgId: string, rows: EventRow[]): Promise<EventRow[]> {
    return this.db.shortTransaction(async (client) => {
      const added: EventRow[] = [];
      for (const [day, ofDay] of groupedBy(rows, dayOf)) added.push(...(await mergeDay(client, orgId, day, ofDay)));
      if (added.length > 0) await this.recordConsequences(client, orgId, added);
      return added;
    });
  }

  private async recordConsequences(client: PoolClient, orgId: string, rows: EventRow[]): Promise<void> {
    await markDays(client, orgId, rows);
    await addToMonths(client, orgId, rows);
    await this.handlers.run(client, orgId, rows);
  }
}

async function copyInto(client: PoolClient, table: string, orgId: string, rows: EventRow[]): Promise<void> {
  const hasCost = rows.some((row) => row.isSum || row.cacheWrite1hTokens !== null || row.reportedCost !== null);
  const copy = client.query(copyFrom(`COPY ${table} (${hasCost ? ALL_COLUMNS : COLUMNS}) FROM STDIN`));
  await pipeline(Readable.from([encode(orgId, rows, hasCost)]), copy);
}

/** The text format of COPY; uuids, numbers and instants need no escaping. */
function encode(orgId: string, rows: EventRow[], hasCost: boolean): Buffer {
  let text = '';
  for (const row of rows) {
    text +=
      `${row.at}\t${orgId}\t${row.userId}\t${row.id}\t${row.kind}\t${row.client}\t${row.sessionKey ?? '\\N'}\t` +
      `${row.nameId ?? '\\N'}\t${row.detailId ?? '\\N'}\t${row.autonomy ?? '\\N'}\t${row.tier ?? '\\N'}\t`;
    text +=
      row.billableTokens === null
        ? '\\N\t\\N\t\\N\t\\N\t\\N'
        : `${row.inputTokens}\t${row.outputTokens}\t${row.cacheReadTokens}\t${row.cacheWriteTokens}\t${row.billableTokens}`;
    text += hasCost
      ? `\t${row.cacheWrite1hTokens ?? '\\N'}\t${row.reportedCost ?? '\\N'}\t${row.isSum ? 't' : '\\N'}\n`
      : '\n';
  }
  return Buffer.from(text, 'latin1');
}

async function mergeDay(client: PoolClient, orgId: string, day: string, rows: EventRow[]): Promise<EventRow[]> {
  const stage = `stage_${day.replaceAll('-', '')}`;
  await client.query(`CREATE TEMP TABLE ${stage} (LIKE events) ON COMMIT DROP`);
  await copyInto(client, stage, orgId, rows);
  // Sorted against deadlocks of writers that merge the same events.
  const { rows: added } = await client.query<{ id: string }>(
    `INSERT INTO ${eventPartition(day)} (${ALL_COLUMNS})
     SELECT ${ALL_COLUMNS} FROM ${stage} s ORDER BY s.org_id, s.id
     ON CONFLICT (org_id, id) DO NOTHING RETURNING id`,
  );
  const ids = new Set(added.map(({ id }) => id));
  // Of two rows with the same id the first counts.
  return rows.filter(({ id }) => ids.delete(id));
}

async function markDays(client: PoolClient, orgId: string, rows: EventRow[]): Promise<void> {
  const days = new Map<string, number>();
  for (const row of rows) days.set(dayOf(row), (days.get(dayOf(row)) ?? 0) + 1);
  await client.query(addMarks(`SELECT $1, d.day, d.events FROM unnest($2::date[], $3::int[]) AS d (day, events)`), [
    orgId,
    [...days.keys()],
    [...days.values()],
  ]);
}

async function addToMonths(client: PoolClient, orgId: string, rows: EventRow[]): Promise<void> {
  const used = new Map<string, ExactInteger>();
  for (const { userId, at, billableTokens } of rows) {
    if (billableTokens === null) continue;
    const key = userId + at.slice(0, 7);
    used.set(key, addExact(used.get(key) ?? 0, billableTokens));
  }
  if (used.size === 0) return;
  // Sorted against deadlocks.
  const keys = [...used.keys()].sort();
  await client.query(
    `INSERT INTO user_month_usage AS u (org_id, user_id, month, billable_tokens)
     SELECT $1, x.user_id, x.month, x.billable FROM unnest($2::uuid[], $3::date[], $4::bigint[]) AS x (user_id, month, billable)
     ON CONFLICT (org_id, user_id, month) DO UPDATE SET billable_tokens = u.billable_tokens + excluded.billable_tokens`,
    [
      orgId,
      keys.map((key) => key.slice(0, 36)),
      keys.map((key) => `${key.slice(36)}-01`),
      keys.map((key) => used.get(key)),
    ],
  );
}
