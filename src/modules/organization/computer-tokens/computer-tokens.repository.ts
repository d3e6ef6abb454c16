import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OrgDatabase } from '../../../database/org-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { CredentialDirectoryRepository } from '../credential-directory/credential-directory.repository.js';

/** One row of "computer_tokens": the hash of a token, never the token. */
export interface ComputerToken {
  orgId: string;
  computerId: string;
  id: string;
  /** The token acts for this user, who registered the computer. */
  userId: string;
  tokenHash: Buffer;
  createdAt: Date;
}

/** A plain hash suffices for 256 random bits. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

type EndedToken = Pick<ComputerToken, 'id' | 'userId'>;

@Injectable()
export class ComputerTokensRepository {
  constructor(
    private readonly db: OrgDatabase,
    private readonly directory: CredentialDirectoryRepository,
  ) {}

  /** A token is valid only while its computer belongs to the same user. */
  async findByHash(tokenHash: Buffer): Promise<ComputerToken | null> {
    const entry = await this.directory.find([tokenHash]);
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
    this.directory.insert(tx, tokenHash, { orgId, id });
  }

  async deleteOfComputer(tx: SqlTransaction, orgId: string, computerId: string): Promise<EndedToken | null> {
    const [ended] = await this.delete(tx, orgId, 't.computer_id = $2', computerId);
    return ended ?? null;
  }

  async deleteOfUser(tx: SqlTransaction, orgId: string, userId: string): Promise<void> {
    await this.delete(tx, orgId, 't.user_id = $2', userId);
  }

  private async delete(tx: SqlTransaction, orgId: string, condition: string, value: string): Promise<EndedToken[]> {
    const ended = await tx.query<EndedToken & Pick<ComputerToken, 'tokenHash'>>(
      `DELETE FROM computer_tokens t WHERE t.org_id = $1 AND ${condition}
       RETURNING t.id, t.user_id AS "userId", t.token_hash AS "tokenHash"`,
      [orgId, value],
    );
    this.directory.delete(
      tx,
      orgId,
      ended.map((token) => token.tokenHash),
    );
    return ended;
  }
}
