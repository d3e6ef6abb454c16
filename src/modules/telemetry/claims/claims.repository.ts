import { Injectable } from '@nestjs/common';
import { BulkDatabase } from '../../../database/bulk-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { SystemDatabase } from '../../../database/system-database.js';
import type { IntakeAgent } from '../../ingest/intake/intake-agents.js';
import type { ClaimState, ClaimSums } from './claim-state.js';

export interface ClaimKey {
  readonly day: string;
  readonly agent: IntakeAgent;
  /** Who sent it. */
  readonly userId: string;
  readonly key: string;
}

export interface StoredClaim extends ClaimKey {
  readonly state: ClaimState;
  readonly before: ClaimState | null;
}

export type ChangedClaim = ClaimKey & { readonly state: ClaimState };
export type ClaimDay = Pick<ClaimKey, 'day' | 'agent'> & ClaimSums;

const DELETE_BATCH = 5_000;
const KEYS = `unnest($2::date[], $3::text[], $4::uuid[], $5::uuid[]) AS k (day, agent, user_id, key)`;

/** All statements take their rows in the order of the key, against deadlocks. */
@Injectable()
export class ClaimsRepository {
  constructor(
    private readonly db: SystemDatabase,
    private readonly bulk: BulkDatabase,
  ) {}

  transaction<T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  /** Adds those that are missing, as long as their sender has fewer than `max` of the day and agent. */
  insertMissing(tx: SqlTransaction, orgId: string, keys: readonly ClaimKey[], empty: ClaimState, max: number): void {
    tx.enqueue(
      `WITH counted AS (
         SELECT s.day, s.agent, s.user_id, (
                SELECT count(*) FROM telemetry_claims c
                 WHERE c.org_id = $1 AND c.day = s.day AND c.agent = s.agent AND c.user_id = s.user_id) AS claims
           FROM (SELECT DISTINCT k.day, k.agent, k.user_id FROM ${KEYS}) s)
       INSERT INTO telemetry_claims (org_id, day, agent, user_id, key, state)
       SELECT $1, n.day, n.agent, n.user_id, n.key, $6::jsonb
         FROM (SELECT k.*, row_number() OVER (PARTITION BY k.day, k.agent, k.user_id ORDER BY k.key) AS place FROM ${KEYS}) n
         JOIN counted o ON o.day = n.day AND o.agent = n.agent AND o.user_id = n.user_id AND o.claims + n.place <= $7
        ORDER BY n.day, n.agent, n.user_id, n.key
       ON CONFLICT (org_id, day, agent, user_id, key) DO NOTHING`,
      [orgId, ...columnsOf(keys), JSON.stringify(empty), max],
    );
  }

  /** Locks those that exist. */
  listForUpdate(tx: SqlTransaction, orgId: string, keys: readonly ClaimKey[]): Promise<StoredClaim[]> {
    return tx.query(
      `SELECT c.day::text AS day, c.agent, c.user_id AS "userId", c.key, c.state, b.state AS before
         FROM ${KEYS}
         JOIN telemetry_claims c
           ON c.org_id = $1 AND c.day = k.day AND c.agent = k.agent AND c.user_id = k.user_id AND c.key = k.key
         LEFT JOIN telemetry_claims b
           ON b.org_id = $1 AND b.day = k.day - 1 AND b.agent = k.agent AND b.user_id = k.user_id AND b.key = k.key
        ORDER BY c.day, c.agent, c.user_id, c.key FOR UPDATE OF c`,
      [orgId, ...columnsOf(keys)],
    );
  }

  update(tx: SqlTransaction, orgId: string, claims: readonly ChangedClaim[]): void {
    tx.enqueue(
      `UPDATE telemetry_claims c SET state = k.state
         FROM unnest($2::date[], $3::text[], $4::uuid[], $5::uuid[], $6::jsonb[]) AS k (day, agent, user_id, key, state)
        WHERE c.org_id = $1 AND c.day = k.day AND c.agent = k.agent AND c.user_id = k.user_id AND c.key = k.key`,
      [orgId, ...columnsOf(claims), claims.map(({ state }) => JSON.stringify(state))],
    );
  }

  addToDays(tx: SqlTransaction, orgId: string, days: readonly ClaimDay[], now: Date): void {
    const columns = (['day', 'agent', 'numbered', 'numberedSeen', 'claimed', 'claimedSeen'] as const).map((name) =>
      days.map((day) => day[name]),
    );
    tx.enqueue(
      `INSERT INTO claim_days AS d (org_id, day, agent, numbered, numbered_seen, claimed, claimed_seen, changed_at)
       SELECT $1, x.day, x.agent, x.numbered, x.numbered_seen, x.claimed, x.claimed_seen, $2
         FROM unnest($3::date[], $4::text[], $5::numeric[], $6::numeric[], $7::numeric[], $8::numeric[])
              AS x (day, agent, numbered, numbered_seen, claimed, claimed_seen)
        ORDER BY x.day, x.agent
       ON CONFLICT (org_id, day, agent) DO UPDATE
          SET numbered = d.numbered + excluded.numbered, numbered_seen = d.numbered_seen + excluded.numbered_seen,
              claimed = d.claimed + excluded.claimed, claimed_seen = d.claimed_seen + excluded.claimed_seen,
              changed_at = greatest(d.changed_at, excluded.changed_at)`,
      [orgId, now, ...columns],
    );
  }

  async deleteBefore(day: string): Promise<void> {
    await this.bulk.upkeep(`DELETE FROM claim_days d WHERE d.day < $1::date`, [day]);
    for (let deleted = DELETE_BATCH; deleted === DELETE_BATCH;) {
      const rows = await this.bulk.upkeep(
        `DELETE FROM telemetry_claims c USING (
           SELECT o.org_id, o.day, o.agent, o.user_id, o.key FROM telemetry_claims o WHERE o.day < $1::date
            LIMIT ${DELETE_BATCH}) o
          WHERE c.org_id = o.org_id AND c.day = o.day AND c.agent = o.agent AND c.user_id = o.user_id AND c.key = o.key
         RETURNING 1`,
        [day],
      );
      deleted = rows.length;
    }
  }
}

function columnsOf(keys: readonly ClaimKey[]): unknown[][] {
  return (['day', 'agent', 'userId', 'key'] as const).map((name) => keys.map((key) => key[name]));
}
