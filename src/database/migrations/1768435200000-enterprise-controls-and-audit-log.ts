import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableRowLevelSecurity } from '../row-level-security.js';

/** What an organization has decided, who decided it, and every other administrative change. */
export class EnterpriseControlsAndAuditLog1768435200000 implements MigrationInterface {
  name = 'EnterpriseControlsAndAuditLog1768435200000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE enterprise_controls (
        org_id     uuid NOT NULL,
        revision   integer NOT NULL CHECK (revision > 0),
        settings   jsonb NOT NULL,
        user_id    uuid NOT NULL,
        user_email text NOT NULL,
        user_name  text NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        PRIMARY KEY (org_id, revision)
      )`);
    await enableRowLevelSecurity(db, 'enterprise_controls');

    await db.query(`
      CREATE TABLE audit_log (
        org_id      uuid NOT NULL,
        id          uuid NOT NULL,
        at          timestamptz(3) NOT NULL,
        actor_id    uuid,
        actor_email text,
        action      text NOT NULL,
        target      text NOT NULL,
        before      jsonb,
        after       jsonb,
        request_id  text,
        PRIMARY KEY (org_id, id)
      )`);
    await db.query(`CREATE INDEX audit_log_by_time ON audit_log (org_id, at, id)`);
    await enableRowLevelSecurity(db, 'audit_log');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE audit_log, enterprise_controls`);
  }
}
