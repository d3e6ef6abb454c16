import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableRowLevelSecurity } from '../row-level-security.js';

/** A row that shows whether any figure of an organization has changed, and the rows of `/activity` as text. */
export class AnalyticsChanges1768780800000 implements MigrationInterface {
  name = 'AnalyticsChanges1768780800000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE analytics_changes (
        org_id  uuid PRIMARY KEY,
        version bigint NOT NULL
      )`);
    await enableRowLevelSecurity(db, 'analytics_changes');
    await db.query(`
      INSERT INTO analytics_changes (org_id, version)
      SELECT o.org_id, nextval('analytics_versions') FROM (SELECT DISTINCT d.org_id FROM analytics_days d) o`);

    // Generated, so that the text cannot differ from its figures. The date is put together from its parts because the
    // text of a date depends on a setting.
    await db.query(`
      ALTER TABLE analytics_days ADD COLUMN activity_row text NOT NULL GENERATED ALWAYS AS (
        '{"date":"' || extract(year FROM day)::integer
        || '-' || lpad(extract(month FROM day)::integer::text, 2, '0')
        || '-' || lpad(extract(day FROM day)::integer::text, 2, '0')
        || '","daily_active_users":' || daily_users
        || ',"weekly_active_users":' || weekly_users
        || ',"monthly_active_users":' || monthly_users
        || ',"daily_active_users_by_client":{"terminal-ui":' || terminal_ui_users
        || ',"web":' || web_users
        || ',"non-interactive-cli":' || headless_users
        || '},"sessions":' || sessions
        || ',"messages":' || user_messages + assistant_messages
        || ',"user_messages":' || user_messages || '}') STORED`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE analytics_days DROP COLUMN activity_row`);
    await db.query(`DROP TABLE analytics_changes`);
  }
}
