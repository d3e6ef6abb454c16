import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableRowLevelSecurity } from '../row-level-security.js';

/** What evaluations of repositories found. */
export class ReadinessReports1768694400000 implements MigrationInterface {
  name = 'ReadinessReports1768694400000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE readiness_reports (
        org_id                 uuid NOT NULL,
        id                     uuid NOT NULL,
        repo_url               text NOT NULL,
        repo_key               text NOT NULL,
        apps                   json NOT NULL,
        report                 json NOT NULL,
        commit_hash            text,
        branch                 text,
        has_local_changes      boolean,
        has_non_remote_commits boolean,
        model_used             json,
        agent_version          text,
        created_at             timestamptz(3) NOT NULL,
        content_bytes          integer NOT NULL
                               GENERATED ALWAYS AS (octet_length(apps::text) + octet_length(report::text)) STORED,
        PRIMARY KEY (org_id, id)
      )`);
    await db.query(`CREATE INDEX readiness_reports_by_creation ON readiness_reports (org_id, created_at, id)`);
    await db.query(`CREATE INDEX readiness_reports_of_repo ON readiness_reports (org_id, repo_key, created_at, id)`);
    await enableRowLevelSecurity(db, 'readiness_reports');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE readiness_reports`);
  }
}
