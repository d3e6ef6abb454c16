import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableRowLevelSecurity } from '../row-level-security.js';

/** The dated prices with which an organization overrides the lists of the product and the operator. */
export class Prices1769200002000 implements MigrationInterface {
  name = 'Prices1769200002000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE organization_prices (
        org_id     uuid PRIMARY KEY REFERENCES organizations (id),
        revision   bigint NOT NULL,
        prices     jsonb NOT NULL,
        updated_at timestamptz(3) NOT NULL
      )`);
    await enableRowLevelSecurity(db, 'organization_prices');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE organization_prices`);
  }
}
