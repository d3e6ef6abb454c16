import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableRowLevelSecurity } from '../row-level-security.js';

/** How far the demo is filled, and who fills it. */
export class DemoFills1769320000000 implements MigrationInterface {
  name = 'DemoFills1769320000000';

  async up(db: QueryRunner): Promise<void> {
    // worker: null while nobody fills it. One that is not seen for a while is gone, and somebody else goes on.
    await db.query(`
      CREATE TABLE demo_fills (
        org_id      uuid PRIMARY KEY REFERENCES organizations (id),
        worker      uuid,
        seen_at     timestamptz(3) NOT NULL,
        phase       text NOT NULL DEFAULT '',
        share       float8 NOT NULL DEFAULT 0 CHECK (share BETWEEN 0 AND 1),
        has_charts  boolean NOT NULL DEFAULT false,
        finished_at timestamptz(3),
        failure     text
      )`);
    await enableRowLevelSecurity(db, 'demo_fills');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE demo_fills`);
  }
}
