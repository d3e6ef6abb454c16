import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which connection of a computer is current, and what is needed to expire a turn whose agent disappeared. */
export class AgentConnections1768867200000 implements MigrationInterface {
  name = 'AgentConnections1768867200000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE computers ADD COLUMN agent_connection uuid`);
    await db.query(`ALTER TABLE turns ADD COLUMN has_tool_message boolean NOT NULL DEFAULT false`);
    await db.query(`CREATE UNIQUE INDEX turns_running ON turns (org_id, session_id) WHERE status = 'running'`);
    await db.query(`CREATE INDEX turns_leased ON turns (lease_until) WHERE status = 'running'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP INDEX turns_leased, turns_running`);
    await db.query(`ALTER TABLE turns DROP COLUMN has_tool_message`);
    await db.query(`ALTER TABLE computers DROP COLUMN agent_connection`);
  }
}
