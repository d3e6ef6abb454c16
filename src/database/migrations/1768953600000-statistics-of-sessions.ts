import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['messages', 'turns', 'session_events'];

/**
 * Tells the planner that a session belongs to one organization. Otherwise it takes the two for independent,
 * underestimates the rows of a session, and scans all of them to find one by key.
 */
export class StatisticsOfSessions1768953600000 implements MigrationInterface {
  name = 'StatisticsOfSessions1768953600000';

  async up(db: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await db.query(`CREATE STATISTICS ${table}_of_session (dependencies) ON org_id, session_id FROM ${table}`);
      await db.query(`ANALYZE ${table}`);
    }
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of TABLES) await db.query(`DROP STATISTICS ${table}_of_session`);
  }
}
