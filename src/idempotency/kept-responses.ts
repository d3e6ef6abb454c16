import { containsAny } from '../database/contains-any.js';
import type { SqlTransaction } from '../database/sql-transaction.js';

/** Forgets what was answered to a user. */
export async function deleteKeptResponses(tx: SqlTransaction, orgId: string, userId: string): Promise<void> {
  await tx.query(`DELETE FROM idempotency_keys k WHERE k.org_id = $1 AND k.user_id = $2`, [orgId, userId]);
}

/** Changes the kept responses that contain one of the words, which are in lower case. */
export async function mapKeptResponses(
  tx: SqlTransaction,
  orgId: string,
  words: readonly string[],
  map: (value: unknown) => unknown,
): Promise<void> {
  const kept = await tx.query<{ userId: string; route: string; key: string; response: unknown }>(
    `SELECT k.user_id AS "userId", k.route, k.key, k.response FROM idempotency_keys k
      WHERE k.org_id = $1 AND ${containsAny('k.response::text', '$2')}`,
    [orgId, words],
  );
  for (const { userId, route, key, response } of kept) {
    tx.enqueue(
      `UPDATE idempotency_keys k SET response = $5
        WHERE k.org_id = $1 AND k.user_id = $2 AND k.route = $3 AND k.key = $4`,
      [orgId, userId, route, key, JSON.stringify(map(response))],
    );
  }
}
