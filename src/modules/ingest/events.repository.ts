import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { isUniqueViolation } from '../../common/errors/database-errors.js';
import { addExact, type ExactInteger } from '../../common/exact-json.js';
import { eventPartition } from './event-codes.js';
import { BulkDatabase } from '../../database/bulk-database.js';
import { byDay, dayOf, type EventRow } from './usage-event.js';

const COLUMNS = `at, org_id, user_id, id, kind, client, session_id, name_id, detail_id, autonomy, tier,
  input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, billable_tokens`;

/** After a duplicate, further ones are likely: this long nobody hopes that there are none. */
const CAREFUL_MS = 30_000;

/** Writes events: each once, together with the marks and counters that follow from it, in one transaction. */
@Injectable()
export class EventsRepository {
  private readonly carefulUntilMs = new Map<string, number>();

  constructor(private readonly db: BulkDatabase) {}

  /**
   * Inserts the rows of one organization and returns those that were not there yet. Nearly every batch is new as a whole,
   * so COPY goes straight into the uniquely indexed partition; a duplicate aborts that, and the batch is merged.
   */
  async insertNew(orgId: string, rows: EventRow[]): Promise<EventRow[]> {
    if (!this.isCareful(orgId)) {
      try {
        await this.copy(orgId, rows);
        return rows;
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        this.carefulUntilMs.set(orgId, performance.now() + CAREFUL_MS);
      }
    }
    return this.merge(orgId, rows);
  }

  private isCareful(orgId: string): boolean {
    const untilMs = this.carefulUntilMs.get(orgId) ?? 0;
    if (untilMs > performance.now()) return true;
    this.carefulUntilMs.delete(orgId);
    return false;
  }

  private copy(orgId: string, rows: EventRow[]): Promise<void> {
    return this.db.shortTransaction(async (client) => {
      for (const [day, ofDay] of byDay(rows)) await copyInto(client, eventPartition(day), orgId, ofDay);
      await recordConsequences(client, orgId, rows);
    });
  }

  private merge(orgId: string, rows: EventRow[]): Promise<EventRow[]> {
    return this.db.shortTransaction(async (client) => {
      const added: EventRow[] = [];
      for (const [day, ofDay] of byDay(rows)) added.push(...(await mergeDay(client, orgId, day, ofDay)));
      if (added.length > 0) await recordConsequences(client, orgId, added);
      return added;
    });
  }
}

async function copyInto(client: PoolClient, table: string, orgId: string, rows: EventRow[]): Promise<void> {
  const copy = client.query(copyFrom(`COPY ${table} (${COLUMNS}) FROM STDIN`));
  await pipeline(Readable.from([encode(orgId, rows)]), copy);
}

/** One line a row. There is nothing to escape: uuids, numbers and an instant. */
function encode(orgId: string, rows: EventRow[]): Buffer {
  let text = '';
  for (const row of rows) {
    text +=
      `${row.at}\t${orgId}\t${row.userId}\t${row.id}\t${row.kind}\t${row.client}\t${row.sessionKey ?? '\\N'}\t` +
      `${row.nameId ?? '\\N'}\t${row.detailId ?? '\\N'}\t${row.autonomy ?? '\\N'}\t${row.tier ?? '\\N'}\t`;
    text +=
      row.billableTokens === null
        ? '\\N\t\\N\t\\N\t\\N\t\\N\n'
        : `${row.inputTokens}\t${row.outputTokens}\t${row.cacheReadTokens}\t${row.cacheWriteTokens}\t${row.billableTokens}\n`;
  }
  return Buffer.from(text, 'latin1');
}

async function mergeDay(client: PoolClient, orgId: string, day: string, rows: EventRow[]): Promise<EventRow[]> {
  const stage = `stage_${day.replaceAll('-', '')}`;
  await client.query(`CREATE TEMP TABLE ${stage} (LIKE events) ON COMMIT DROP`);
  await copyInto(client, stage, orgId, rows);
  // Sorted, so that writers who merge the same events at the same time wait for each other in the same order.
  const { rows: added } = await client.query<{ id: string }>(
    `INSERT INTO ${eventPartition(day)} (${COLUMNS})
     SELECT ${COLUMNS} FROM ${stage} s ORDER BY s.org_id, s.id
     ON CONFLICT (org_id, id) DO NOTHING RETURNING id`,
  );
  const ids = new Set(added.map(({ id }) => id));
  // Of two rows with the same id, the first is the one that counts.
  return rows.filter(({ id }) => ids.delete(id));
}

/** What follows from new events: days to aggregate again, and what users and sessions have used. */
async function recordConsequences(client: PoolClient, orgId: string, rows: EventRow[]): Promise<void> {
  const days = new Map<string, number>();
  for (const row of rows) days.set(dayOf(row), (days.get(dayOf(row)) ?? 0) + 1);
  await client.query(
    `INSERT INTO dirty_days (org_id, day, events) SELECT $1, d.day, d.events
       FROM unnest($2::date[], $3::int[]) AS d (day, events)`,
    [orgId, [...days.keys()], [...days.values()]],
  );
  await addToMonths(client, orgId, rows);
  await addToSessions(client, orgId, rows);
}

/** Credit that users have used, by the month of the event. */
async function addToMonths(client: PoolClient, orgId: string, rows: EventRow[]): Promise<void> {
  const used = new Map<string, ExactInteger>();
  for (const { userId, at, billableTokens } of rows) {
    if (billableTokens === null) continue;
    const key = userId + at.slice(0, 7);
    used.set(key, addExact(used.get(key) ?? 0, billableTokens));
  }
  if (used.size === 0) return;
  // Sorted, so that two writers wait for each other in the same order.
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

/** The token usage of sessions of this service. */
async function addToSessions(client: PoolClient, orgId: string, rows: EventRow[]): Promise<void> {
  const calls = rows.filter(({ billableTokens, sessionKey }) => billableTokens !== null && mayBeOurs(sessionKey));
  if (calls.length === 0) return;
  await client.query(
    `UPDATE sessions s
        SET input_tokens = s.input_tokens + x.input, output_tokens = s.output_tokens + x.output,
            cache_read_tokens = s.cache_read_tokens + x.cache_read,
            cache_creation_tokens = s.cache_creation_tokens + x.cache_write,
            thinking_tokens = s.thinking_tokens + x.thinking
       FROM (SELECT c.user_id, c.session_id, sum(c.input) AS input, sum(c.output) AS output,
                    sum(c.cache_read) AS cache_read, sum(c.cache_write) AS cache_write, sum(c.thinking) AS thinking
               FROM unnest($2::uuid[], $3::uuid[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[])
                 AS c (user_id, session_id, input, output, cache_read, cache_write, thinking)
              GROUP BY c.user_id, c.session_id) x
      WHERE s.org_id = $1 AND s.id = x.session_id AND s.user_id = x.user_id`,
    [
      orgId,
      calls.map((row) => row.userId),
      calls.map((row) => row.sessionKey),
      calls.map((row) => row.inputTokens),
      calls.map((row) => row.outputTokens),
      calls.map((row) => row.cacheReadTokens),
      calls.map((row) => row.cacheWriteTokens),
      calls.map((row) => row.thinkingTokens),
    ],
  );
}

/** Sessions of this service have ids of version 7; other clients' session ids are mostly hashes, which have version 8. */
function mayBeOurs(sessionKey: string | null): boolean {
  return sessionKey?.charAt(14) === '7';
}
