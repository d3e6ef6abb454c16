import { Injectable } from '@nestjs/common';
import { OrgDatabase } from '../../../database/org-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';

export interface StoredPrices {
  revision: number;
  /** As they were sent. */
  prices: object[];
  updatedAt: Date;
}

const CURRENT = `SELECT p.revision::float8 AS revision, p.prices, p.updated_at AS "updatedAt"
   FROM organization_prices p WHERE p.org_id = $1`;

/** Every statement that changes the prices of an organization. */
@Injectable()
export class PricesRepository {
  constructor(private readonly db: OrgDatabase) {}

  async find(orgId: string): Promise<StoredPrices | null> {
    const [current] = await this.db.read<StoredPrices>(orgId, CURRENT, [orgId]);
    return current ?? null;
  }

  async findIn(tx: SqlTransaction, orgId: string): Promise<StoredPrices | null> {
    const [current] = await tx.query<StoredPrices>(CURRENT, [orgId]);
    return current ?? null;
  }

  /** Serializes changes of an organization. */
  async lock(tx: SqlTransaction, orgId: string): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('organization_prices ' || $1, 0))`, [orgId]);
  }

  async upsert(tx: SqlTransaction, orgId: string, { revision, prices, updatedAt }: StoredPrices): Promise<void> {
    await tx.query(
      `INSERT INTO organization_prices (org_id, revision, prices, updated_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (org_id) DO UPDATE
          SET revision = excluded.revision, prices = excluded.prices, updated_at = excluded.updated_at`,
      [orgId, revision, JSON.stringify(prices), updatedAt],
    );
  }
}
