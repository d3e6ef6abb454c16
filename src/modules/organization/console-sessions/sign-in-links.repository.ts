import { Injectable } from '@nestjs/common';
import { BulkDatabase } from '../../../database/bulk-database.js';
import { OrgDatabase } from '../../../database/org-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';

/** One row of "sign_in_links": the hash of a secret, never the secret. */
export interface SignInLink {
  orgId: string;
  id: string;
  secretHash: Buffer;
  userId: string;
  createdAt: Date;
  expiresAt: Date;
}

@Injectable()
export class SignInLinksRepository {
  constructor(
    private readonly db: OrgDatabase,
    private readonly bulk: BulkDatabase,
  ) {}

  insert(tx: SqlTransaction, link: SignInLink): void {
    tx.enqueue(
      `INSERT INTO sign_in_links (org_id, id, secret_hash, user_id, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [link.orgId, link.id, link.secretHash, link.userId, link.createdAt, link.expiresAt],
    );
  }

  /** Deletes it: of several that try, one gets it. */
  async take(orgId: string, secretHash: Buffer): Promise<SignInLink | null> {
    const [link] = await this.db.write<SignInLink>(
      orgId,
      `DELETE FROM sign_in_links l WHERE l.org_id = $1 AND l.secret_hash = $2
       RETURNING l.org_id AS "orgId", l.id, l.secret_hash AS "secretHash", l.user_id AS "userId",
                 l.created_at AS "createdAt", l.expires_at AS "expiresAt"`,
      [orgId, secretHash],
    );
    return link ?? null;
  }

  deleteOfUser(tx: SqlTransaction, orgId: string, userId: string): void {
    tx.enqueue(`DELETE FROM sign_in_links l WHERE l.org_id = $1 AND l.user_id = $2`, [orgId, userId]);
  }

  /** Of all organizations: there are few. */
  async deleteExpired(before: Date): Promise<void> {
    await this.bulk.upkeep(`DELETE FROM sign_in_links l WHERE l.expires_at <= $1 RETURNING 1`, [before]);
  }
}
