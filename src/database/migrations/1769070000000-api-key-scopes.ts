import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an API key is limited to. */
export class ApiKeyScopes1769070000000 implements MigrationInterface {
  name = 'ApiKeyScopes1769070000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE api_keys ADD COLUMN scope text NOT NULL DEFAULT 'full' CHECK (scope IN ('full', 'telemetry'))`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE api_keys DROP COLUMN scope`);
  }
}
