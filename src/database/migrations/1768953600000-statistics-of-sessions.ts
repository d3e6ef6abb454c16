import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['messages', 'turns', 'session_events'];

/**
 * Tells the planner that a session belongs to one organization. Without that it takes the two for independent, believes
 * that hardly anything is in a session, and finds a row by its key by reading all of them.
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
