import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often stored figures of an organization were changed by an erasure: part of the ETag of answers. */
export class Erasures1769070001000 implements MigrationInterface {
  name = 'Erasures1769070001000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE analytics_changes ADD COLUMN erasures bigint NOT NULL DEFAULT 0`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE analytics_changes DROP COLUMN erasures`);
  }
}
