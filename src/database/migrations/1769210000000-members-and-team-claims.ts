import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For the list of members, which has deactivated ones too; and the last team claim of a user's SSO tokens. */
export class MembersAndTeamClaims1769210000000 implements MigrationInterface {
  name = 'MembersAndTeamClaims1769210000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE users ADD COLUMN team_claim text, ADD COLUMN team_claimed_at timestamptz(3)`);
    await db.query(`CREATE INDEX members_by_creation ON users (org_id, created_at, id)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP INDEX members_by_creation`);
    await db.query(`ALTER TABLE users DROP COLUMN team_claim, DROP COLUMN team_claimed_at`);
  }
}
