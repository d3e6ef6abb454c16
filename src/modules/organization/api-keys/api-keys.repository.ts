import { Injectable } from '@nestjs/common';
import { type Page, type PageRequest, toPage } from '../../../http/paging/paging.js';
import { OrgDatabase } from '../../../database/org-database.js';
import { SqlParameters } from '../../../database/sql-parameters.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { CredentialDirectoryRepository } from '../credential-directory/credential-directory.repository.js';
import { ApiKeyEntity } from './api-key.entity.js';

const COLUMNS = `k.org_id AS "orgId", k.id, k.user_id AS "userId", k.name, k.prefix, k.scope, k.key_hash AS "keyHash",
  k.created_by AS "createdBy", k.created_at AS "createdAt", k.expires_at AS "expiresAt",
  k.last_used_at AS "lastUsedAt"`;

export interface ListedApiKey extends ApiKeyEntity {
  readonly userEmail: string;
}

@Injectable()
export class ApiKeysRepository {
  constructor(
    private readonly db: OrgDatabase,
    private readonly directory: CredentialDirectoryRepository,
  ) {}

  async findByHash(keyHashes: readonly Buffer[]): Promise<ApiKeyEntity | null> {
    const entry = await this.directory.find(keyHashes);
    return entry ? this.findById(entry.orgId, entry.id) : null;
  }

  async findById(orgId: string, keyId: string): Promise<ApiKeyEntity | null> {
    const [key] = await this.db.read<ApiKeyEntity>(
      orgId,
      `SELECT ${COLUMNS} FROM api_keys k WHERE k.org_id = $1 AND k.id = $2`,
      [orgId, keyId],
    );
    return key ?? null;
  }

  /** Newest first. `userId` null: of all users. */
  async listPage(orgId: string, page: PageRequest, userId: string | null): Promise<Page<ListedApiKey>> {
    const p = new SqlParameters();
    const rows = await this.db.read<ListedApiKey>(
      orgId,
      `SELECT ${COLUMNS}, u.email AS "userEmail"
         FROM api_keys k JOIN users u ON u.org_id = k.org_id AND u.id = k.user_id
        WHERE k.org_id = ${p.add(orgId)}
          ${p.when(userId, (id) => `k.user_id = ${id}`)}
          ${p.behind(page.after, 'k.created_at, k.id', 'descending')}
        ORDER BY k.created_at DESC, k.id DESC LIMIT ${p.add(page.limit + 1)}`,
      p.values,
    );
    return toPage(rows, page.limit, (key) => [key.createdAt.toISOString(), key.id]);
  }

  async countOfUser(tx: SqlTransaction, orgId: string, userId: string): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM api_keys k WHERE k.org_id = $1 AND k.user_id = $2`,
      [orgId, userId],
    );
    return row?.count ?? 0;
  }

  async insert(tx: SqlTransaction, key: ApiKeyEntity): Promise<void> {
    await tx.manager.insert(ApiKeyEntity, key);
    this.directory.insert(tx, key.keyHash, key);
  }

  async delete(tx: SqlTransaction, key: ApiKeyEntity): Promise<void> {
    await tx.manager.delete(ApiKeyEntity, { orgId: key.orgId, id: key.id });
    this.directory.delete(tx, key.orgId, [key.keyHash]);
  }

  async deleteOfUser(tx: SqlTransaction, orgId: string, userId: string): Promise<void> {
    const deleted = await tx.query<{ keyHash: Buffer }>(
      `DELETE FROM api_keys k WHERE k.org_id = $1 AND k.user_id = $2 RETURNING k.key_hash AS "keyHash"`,
      [orgId, userId],
    );
    this.directory.delete(
      tx,
      orgId,
      deleted.map((key) => key.keyHash),
    );
  }

  /** Writes at most once an hour. */
  async updateLastUsed(tx: SqlTransaction, orgId: string, keyId: string, hour: Date): Promise<void> {
    await tx.query(
      `UPDATE api_keys k SET last_used_at = $3
        WHERE k.org_id = $1 AND k.id = $2 AND (k.last_used_at IS NULL OR k.last_used_at < $3)`,
      [orgId, keyId, hour],
    );
  }
}
