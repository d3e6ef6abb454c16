import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Marks the organization that `cli demo` fills. */
export class DemoOrganizations1769100000000 implements MigrationInterface {
  name = 'DemoOrganizations1769100000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE organizations ADD COLUMN is_demo boolean NOT NULL DEFAULT false`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE organizations DROP COLUMN is_demo`);
  }
}
