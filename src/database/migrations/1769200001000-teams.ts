import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableRowLevelSecurity } from '../row-level-security.js';

/** Teams with dated membership: at most one team a day and person, which the service checks under the lock of `team_changes`. */
export class Teams1769200001000 implements MigrationInterface {
  name = 'Teams1769200001000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE teams (
        org_id     uuid NOT NULL REFERENCES organizations (id),
        id         uuid NOT NULL,
        name       text NOT NULL,
        name_key   text NOT NULL,
        created_at timestamptz(3) NOT NULL,
        PRIMARY KEY (org_id, id),
        UNIQUE (org_id, name_key)
      )`);
    // The last day is included; null: until further notice.
    await db.query(`
      CREATE TABLE team_members (
        org_id   uuid NOT NULL,
        user_id  uuid NOT NULL,
        from_day date NOT NULL,
        to_day   date CHECK (to_day >= from_day),
        team_id  uuid NOT NULL,
        PRIMARY KEY (org_id, user_id, from_day),
        FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id),
        FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
      )`);
    await db.query(`CREATE INDEX team_members_of_team ON team_members (org_id, team_id)`);
    await db.query(`
      CREATE TABLE team_changes (
        org_id   uuid PRIMARY KEY,
        revision bigint NOT NULL
      )`);
    for (const table of TENANT_TABLES) await enableRowLevelSecurity(db, table);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE team_changes, team_members, teams`);
  }
}

const TENANT_TABLES = ['teams', 'team_members', 'team_changes'];
