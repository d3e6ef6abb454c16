import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '../../database/sql-transaction.js';

@Injectable()
export class SecretReleasesRepository {
  /** Returns the fingerprints that are new for this computer. */
  async insertNew(
    tx: SqlTransaction,
    orgId: string,
    computerId: string,
    fingerprints: Buffer[],
    at: Date,
  ): Promise<Buffer[]> {
    const rows = await tx.query<{ fingerprint: Buffer }>(
      `INSERT INTO released_secrets (org_id, computer_id, fingerprint, released_at)
       SELECT $1, $2, x.fingerprint, $4 FROM unnest($3::bytea[]) AS x (fingerprint)
       ON CONFLICT (org_id, computer_id, fingerprint) DO NOTHING
       RETURNING fingerprint`,
      [orgId, computerId, fingerprints, at],
    );
    return rows.map(({ fingerprint }) => fingerprint);
  }

  async findEmail(tx: SqlTransaction, orgId: string, userId: string): Promise<string | null> {
    const [user] = await tx.query<{ email: string | null }>(
      `SELECT u.email FROM users u WHERE u.org_id = $1 AND u.id = $2`,
      [orgId, userId],
    );
    return user?.email ?? null;
  }
}
