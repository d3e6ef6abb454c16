import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OrgDatabase } from '../../../database/org-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { SystemDatabase } from '../../../database/system-database.js';

/** One row of "computer_tokens". The token itself is stored nowhere; its hash finds it. */
export interface ComputerToken {
  orgId: string;
  computerId: string;
  id: string;
  /** Who registered the computer, and so speaks through it. */
  userId: string;
  tokenHash: Buffer;
  createdAt: Date;
}

/** What is stored of a token. A plain hash suffices: it is 256 random bits, there is nothing to guess. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

type EndedToken = Pick<ComputerToken, 'id' | 'userId'>;

/** Every statement on computer tokens. They share the directory of the API keys: hashes of both never meet. */
@Injectable()
export class ComputerTokensRepository {
  constructor(
    private readonly db: OrgDatabase,
    private readonly system: SystemDatabase,
  ) {}

  /** Only as long as the computer exists and belongs to the user to whom the token was given. */
  async findByHash(tokenHash: Buffer): Promise<ComputerToken | null> {
    const [entry] = await this.system.query<{ orgId: string; id: string }>(
      `SELECT d.org_id AS "orgId", d.api_key_id AS id FROM api_key_directory d WHERE d.key_hash = $1`,
      [tokenHash],
    );
    return entry ? this.findById(entry.orgId, entry.id) : null;
  }

  async findById(orgId: string, tokenId: string): Promise<ComputerToken | null> {
    const [token] = await this.db.read<ComputerToken>(
      orgId,
      `SELECT t.org_id AS "orgId", t.computer_id AS "computerId", t.id, t.user_id AS "userId",
              t.token_hash AS "tokenHash", t.created_at AS "createdAt"
         FROM computer_tokens t
         JOIN computers c ON c.org_id = t.org_id AND c.id = t.computer_id AND c.registered_by = t.user_id
        WHERE t.org_id = $1 AND t.id = $2`,
      [orgId, tokenId],
    );
    return token ?? null;
  }

  insert(tx: SqlTransaction, { orgId, computerId, id, userId, tokenHash, createdAt }: ComputerToken): void {
    tx.enqueue(
      `INSERT INTO computer_tokens (org_id, computer_id, id, user_id, token_hash, created_at)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [orgId, computerId, id, userId, tokenHash, createdAt],
    );
    tx.enqueue(`INSERT INTO api_key_directory (key_hash, org_id, api_key_id) VALUES ($1, $2, $3)`, [
      tokenHash,
      orgId,
      id,
    ]);
  }

  /** Returns the token that has ended, if there was one. */
  async deleteOfComputer(tx: SqlTransaction, orgId: string, computerId: string): Promise<EndedToken | null> {
    const [ended] = await this.delete(tx, orgId, 't.computer_id = $2', computerId);
    return ended ?? null;
  }

  async deleteOfUser(tx: SqlTransaction, orgId: string, userId: string): Promise<void> {
    await this.delete(tx, orgId, 't.user_id = $2', userId);
  }

  private async delete(tx: SqlTransaction, orgId: string, condition: string, value: string): Promise<EndedToken[]> {
    return tx.query<EndedToken>(
      `WITH ended AS (
         DELETE FROM computer_tokens t WHERE t.org_id = $1 AND ${condition} RETURNING t.id, t.user_id, t.token_hash),
       entries AS (DELETE FROM api_key_directory d USING ended
                    WHERE d.org_id = $1 AND d.key_hash = ended.token_hash)
       SELECT ended.id, ended.user_id AS "userId" FROM ended`,
      [orgId, value],
    );
  }
}
