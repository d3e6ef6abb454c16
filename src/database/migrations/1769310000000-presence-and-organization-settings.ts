import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableRowLevelSecurity } from '../row-level-security.js';

/** Which computers are connected and through which replica, settings of organizations, and sessions of a whole organization. */
export class PresenceAndOrganizationSettings1769310000000 implements MigrationInterface {
  name = 'PresenceAndOrganizationSettings1769310000000';

  async up(db: QueryRunner): Promise<void> {
    // A replica that is not seen for a while is gone, and with it the connections of its agents.
    await db.query(`
      CREATE TABLE replicas (
        id      uuid PRIMARY KEY,
        seen_at timestamptz(3) NOT NULL
      )`);
    // agent_replica: null while the agent is not connected; then agent_seen_at is when it was last.
    await db.query(`
      ALTER TABLE computers
        ADD COLUMN agent_replica uuid,
        ADD COLUMN agent_seen_at timestamptz(3),
        ADD COLUMN agent_name    text,
        ADD COLUMN agent_version text`);
    await db.query(`
      CREATE TABLE organization_settings (
        org_id                 uuid PRIMARY KEY REFERENCES organizations (id),
        session_content_access text NOT NULL CHECK (session_content_access IN ('own', 'owners'))
      )`);
    await enableRowLevelSecurity(db, 'organization_settings');
    await db.query(`CREATE INDEX sessions_by_creation ON sessions (org_id, created_at, id)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP INDEX sessions_by_creation`);
    await db.query(`DROP TABLE organization_settings, replicas`);
    await db.query(`
      ALTER TABLE computers
        DROP COLUMN agent_replica, DROP COLUMN agent_seen_at, DROP COLUMN agent_name, DROP COLUMN agent_version`);
  }
}
