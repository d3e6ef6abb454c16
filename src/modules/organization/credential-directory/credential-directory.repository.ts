import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { SystemDatabase } from '../../../database/system-database.js';

/** Where a credential is stored. */
export interface DirectoryEntry {
  readonly orgId: string;
  readonly id: string;
}

/** Every statement on the directory of API keys and computer tokens: the one look-up made before the organization is known. */
@Injectable()
export class CredentialDirectoryRepository {
  constructor(private readonly system: SystemDatabase) {}

  async find(hashes: readonly Buffer[]): Promise<DirectoryEntry | null> {
    const [entry] = await this.system.query<DirectoryEntry>(
      `SELECT d.org_id AS "orgId", d.api_key_id AS id FROM api_key_directory d
        WHERE d.key_hash = ANY ($1::bytea[])`,
      [hashes],
    );
    return entry ?? null;
  }

  insert(tx: SqlTransaction, hash: Buffer, { orgId, id }: DirectoryEntry): void {
    tx.enqueue(`INSERT INTO api_key_directory (key_hash, org_id, api_key_id) VALUES ($1, $2, $3)`, [hash, orgId, id]);
  }

  delete(tx: SqlTransaction, orgId: string, hashes: readonly Buffer[]): void {
    tx.enqueue(`DELETE FROM api_key_directory d WHERE d.org_id = $1 AND d.key_hash = ANY ($2::bytea[])`, [
      orgId,
      hashes,
    ]);
  }
}
