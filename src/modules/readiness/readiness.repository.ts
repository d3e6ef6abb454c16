import { Injectable } from '@nestjs/common';
import type { Position } from '../../http/paging/paging.js';
import { OrgDatabase } from '../../database/org-database.js';
import { SqlParameters } from '../../database/sql-parameters.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { ReadinessReportEntity } from './readiness-report.entity.js';

const COLUMNS = `r.org_id AS "orgId", r.id, r.repo_url AS "repoUrl", r.repo_key AS "repoKey", r.apps, r.report,
  r.commit_hash AS "commitHash", r.branch, r.has_local_changes AS "hasLocalChanges",
  r.has_non_remote_commits AS "hasNonRemoteCommits", r.model_used AS "modelUsed", r.agent_version AS "agentVersion",
  r.created_at AS "createdAt"`;

/** A page ends early when its reports are very large; 500 of the usual size fit. */
const MAX_PAGE_BYTES = 32 * 1024 * 1024;

export interface ReportPage {
  readonly limit: number;
  readonly after: Position | null;
  readonly repoKey: string | null;
}

@Injectable()
export class ReadinessRepository {
  constructor(private readonly db: OrgDatabase) {}

  async findById(orgId: string, reportId: string): Promise<ReadinessReportEntity | null> {
    const [report] = await this.db.read<ReadinessReportEntity>(
      orgId,
      `SELECT ${COLUMNS} FROM readiness_reports r WHERE r.org_id = $1 AND r.id = $2`,
      [orgId, reportId],
    );
    return report ?? null;
  }

  /** The position of a report in the list. */
  async findPosition(orgId: string, reportId: string): Promise<Position | null> {
    const [report] = await this.db.read<Pick<ReadinessReportEntity, 'id' | 'createdAt'>>(
      orgId,
      `SELECT r.id, r.created_at AS "createdAt" FROM readiness_reports r WHERE r.org_id = $1 AND r.id = $2`,
      [orgId, reportId],
    );
    return report ? [report.createdAt.toISOString(), report.id] : null;
  }

  async findPrevious({
    orgId,
    repoKey,
    createdAt,
    id,
  }: ReadinessReportEntity): Promise<Pick<ReadinessReportEntity, 'id' | 'report'> | null> {
    const [report] = await this.db.read<Pick<ReadinessReportEntity, 'id' | 'report'>>(
      orgId,
      `SELECT r.id, r.report FROM readiness_reports r
        WHERE r.org_id = $1 AND r.repo_key = $2 AND (r.created_at, r.id) < ($3, $4)
        ORDER BY r.created_at DESC, r.id DESC LIMIT 1`,
      [orgId, repoKey, createdAt, id],
    );
    return report ?? null;
  }

  /** Newest first. May return fewer than the limit when reports are large, but at least one while there are more. */
  async listPage(orgId: string, { limit, after, repoKey }: ReportPage): Promise<ReadinessReportEntity[]> {
    const p = new SqlParameters();
    return this.db.read<ReadinessReportEntity>(
      orgId,
      `SELECT p.*
         FROM (SELECT ${COLUMNS},
                      coalesce(sum(r.content_bytes) OVER (
                        ORDER BY r.created_at DESC, r.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
                        AS "bytesBefore"
                 FROM readiness_reports r
                WHERE r.org_id = ${p.add(orgId)}
                  ${p.when(repoKey, (key) => `r.repo_key = ${key}`)}
                  ${p.behind(after, 'r.created_at, r.id', 'descending')}
                ORDER BY r.created_at DESC, r.id DESC LIMIT ${p.add(limit)}) p
        WHERE p."bytesBefore" <= ${MAX_PAGE_BYTES}
        ORDER BY p."createdAt" DESC, p.id DESC`,
      p.values,
    );
  }

  async insert(tx: SqlTransaction, report: ReadinessReportEntity): Promise<void> {
    await tx.manager.insert(ReadinessReportEntity, report);
  }
}
