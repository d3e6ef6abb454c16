import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { UtcDay } from '../../../common/time/utc-day.js';
import { takeMarks } from '../../ingest/dirty-days.js';
import { BulkDatabase } from '../../../database/bulk-database.js';
import { type Fragment, toFragment } from '../spliced-gzip.js';
import { ANY_PLAN, BEGIN_COMPUTATION, ONLY_HASHES, sourceOf } from './day-events.js';
import { INSERT_DOCUMENTS, INSERT_TOKEN_FRAGMENTS } from './documents/documents.sql.js';
import { SELECT_TOKEN_ROWS } from './documents/token-rows.sql.js';
import { INSERT_USER_DAYS } from './documents/user-rows.sql.js';
import { FactRules } from './facts/fact-rules.js';
import { writeFacts } from './facts/write-facts.js';
import {
  PUBLISH,
  RECORD_CHANGE,
  RECORD_COMPUTATION,
  REFRESH_ACTIVES,
  SELECT_GAPS,
  SELECT_LATE,
  SELECT_WEIGHTS,
} from './publication.sql.js';
import { pauseAfter } from './pauses.js';

const MONTH_DAYS = 30;
const TOKEN_ROWS_AT_ONCE = 8;

export interface Rebuilt {
  readonly computed: number;
  readonly recovered: string[];
}

/** Computes days from their events. A rebuild is one transaction, so an interruption leaves the old rows intact. */
@Injectable()
export class DayRebuildRepository implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();

  constructor(
    private readonly bulk: BulkDatabase,
    private readonly factRules: FactRules,
  ) {}

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Also updates weekly and monthly users of later days, up to `lastDay`. Skips a day whose events are gone. */
  async rebuildDay(
    { orgIds: asked, onlyDirty }: { orgIds: string[]; onlyDirty: boolean },
    day: UtcDay,
    lastDay: UtcDay,
    now: Date,
  ): Promise<Rebuilt> {
    const rules = await this.factRules.of(asked, day);
    return this.bulk.transaction(
      BEGIN_COMPUTATION,
      async (client) => {
        const startedMs = performance.now();
        // A mark set after this snapshot stays, and the day is computed once more.
        const dirty = await deleteDirtyMarks(client, asked, day);
        const orgIds = onlyDirty ? dirty : asked;
        const source = await sourceOf(client, day);
        if (orgIds.length === 0 || source === null) return { computed: 0, recovered: [] };
        const late = await listOrgs(client, SELECT_LATE, [orgIds, `${day}`]);
        const version = await nextVersion(client);
        await client.query(ONLY_HASHES);
        await writeFacts(client, { orgIds, version, source, rules });
        await insertDocuments(client, orgIds, day, version);
        await client.query(ANY_PLAN);
        const texts = orgIds.map((orgId) => rules.textOf(orgId, version));
        await client.query(PUBLISH, [`${day}`, version, orgIds, now, texts]);
        await refreshActives(client, orgIds, day, lastDay, version, now);
        await client.query(RECORD_CHANGE, [orgIds, version]);
        const pauses = await pausesOf(client, [`${day}`, version, orgIds], late, performance.now() - startedMs);
        const recovered = await listOrgs(client, RECORD_COMPUTATION, [`${day}`, version, now, orgIds, pauses]);
        return { computed: orgIds.length, recovered };
      },
      this.stopping.signal,
    );
  }

  async fillQuietDays(orgIds: string[], from: UtcDay, lastDay: UtcDay, now: Date): Promise<void> {
    await this.bulk.transaction(
      BEGIN_COMPUTATION,
      async (client) => {
        const version = await nextVersion(client);
        await client.query(REFRESH_ACTIVES, [`${from}`, `${lastDay}`, orgIds, version, now, `${lastDay}`]);
        await client.query(RECORD_CHANGE, [orgIds, version]);
      },
      this.stopping.signal,
    );
  }
}

async function nextVersion(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ version: string }>(`SELECT nextval('analytics_versions') AS version`);
  return rows[0]?.version ?? '';
}

/** Returns the organizations that had a mark; the others were computed by another replica meanwhile. */
function deleteDirtyMarks(client: PoolClient, orgIds: string[], day: UtcDay): Promise<string[]> {
  return listOrgs(
    client,
    `WITH gone AS (${takeMarks('m.org_id = ANY ($1::uuid[]) AND m.day = $2')})
     SELECT DISTINCT g.org_id AS "orgId" FROM gone g`,
    [orgIds, `${day}`],
  );
}

/** From the facts of the version. */
async function insertDocuments(client: PoolClient, orgIds: string[], day: UtcDay, version: string): Promise<void> {
  for (const sql of [INSERT_USER_DAYS, ...INSERT_DOCUMENTS]) await client.query(sql, [`${day}`, version, orgIds]);
  await insertTokenFragments(client, orgIds, day, version);
}

async function insertTokenFragments(client: PoolClient, orgIds: string[], day: UtcDay, version: string): Promise<void> {
  await client.query(`DECLARE token_rows NO SCROLL CURSOR FOR ${SELECT_TOKEN_ROWS}`, [`${day}`, version, orgIds]);
  for (;;) {
    const { rows } = await client.query<{ orgId: string; row: string }>(`FETCH ${TOKEN_ROWS_AT_ONCE} FROM token_rows`);
    if (rows.length === 0) break;
    const fragments: Fragment[] = await Promise.all(rows.map(({ row }) => toFragment(Buffer.from(row))));
    await client.query(INSERT_TOKEN_FRAGMENTS, [
      `${day}`,
      version,
      rows.map(({ orgId }) => orgId),
      fragments.map(({ bytes }) => bytes),
      fragments.map(({ plainBytes }) => plainBytes),
      fragments.map(({ plainCrc }) => plainCrc),
    ]);
  }
  await client.query('CLOSE token_rows');
}

/** Refreshes the days on which an activity of `day` counts, and adds missing rows. */
async function refreshActives(
  client: PoolClient,
  orgIds: string[],
  day: UtcDay,
  lastDay: UtcDay,
  version: string,
  now: Date,
): Promise<void> {
  const refresh = (from: UtcDay | string, to: UtcDay, ofOrgs: string[]) =>
    client.query(REFRESH_ACTIVES, [`${from}`, `${to}`, ofOrgs, version, now, `${lastDay}`]);
  const { rows: gaps } = await client.query<{ orgId: string; from: string }>(SELECT_GAPS, [orgIds, `${day}`]);
  for (const { orgId, from } of gaps) await refresh(from, day.plus(-1), [orgId]);
  const affected = day.plus(MONTH_DAYS - 1);
  await refresh(day, affected, orgIds);
  if (!affected.isBefore(lastDay)) return;
  const incomplete = await listOrgs(
    client,
    `SELECT o.org_id AS "orgId" FROM unnest($1::uuid[]) AS o (org_id)
      WHERE (SELECT count(*) FROM analytics_days d
              WHERE d.org_id = o.org_id AND d.day > $2::date AND d.day <= $3::date) < $3::date - $2::date`,
    [orgIds, `${affected}`, `${lastDay}`],
  );
  if (incomplete.length > 0) await refresh(affected.next(), lastDay, incomplete);
}

/** Null: the next late event is counted at once. */
async function pausesOf(
  client: PoolClient,
  key: [day: string, version: string, orgIds: string[]],
  late: string[],
  tookMs: number,
): Promise<(number | null)[]> {
  const [, , orgIds] = key;
  if (late.length === 0) return orgIds.map(() => null);
  const { rows } = await client.query<{ orgId: string; weight: number }>(SELECT_WEIGHTS, key);
  const weights = new Map(rows.map(({ orgId, weight }) => [orgId, weight]));
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const isLate = new Set(late);
  return orgIds.map((orgId) =>
    isLate.has(orgId) ? Math.round(pauseAfter((tookMs * (weights.get(orgId) ?? 0)) / Math.max(total, 1))) : null,
  );
}

async function listOrgs(client: PoolClient, sql: string, parameters: unknown[]): Promise<string[]> {
  const { rows } = await client.query<{ orgId: string }>(sql, parameters);
  return rows.map(({ orgId }) => orgId);
}
