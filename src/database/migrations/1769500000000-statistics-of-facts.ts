import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['user_facts', 'user_model_facts', 'day_facts', 'day_model_facts', 'name_facts'];

/** A version belongs to one day. Without knowing that, the planner expects a hundredth of the rows of a range. */
export class StatisticsOfFacts1769500000000 implements MigrationInterface {
  name = 'StatisticsOfFacts1769500000000';

  async up(db: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await db.query(`CREATE STATISTICS ${table}_of_version (dependencies) ON day, version FROM ${table}`);
    }
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of TABLES) await db.query(`DROP STATISTICS ${table}_of_version`);
  }
}
