import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which turn wrote a message, so that no other one can rewrite it. Unknown for those that were there before. */
export class TurnsOfMessages1769080002000 implements MigrationInterface {
  name = 'TurnsOfMessages1769080002000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE messages ADD COLUMN turn_id uuid`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE messages DROP COLUMN turn_id`);
  }
}
