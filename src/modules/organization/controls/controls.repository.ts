import { Injectable } from '@nestjs/common';
import { type Page, type PageRequest, toPage } from '../../../http/paging/paging.js';
import { OrgDatabase } from '../../../database/org-database.js';
import { SqlParameters } from '../../../database/sql-parameters.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { SystemDatabase } from '../../../database/system-database.js';
import type { EnterpriseControls } from './enterprise-controls.js';

export interface ControlsRevision {
  revision: number;
  settings: EnterpriseControls;
  userId: string;
  userEmail: string;
  userName: string;
  updatedAt: Date;
}

const COLUMNS = `c.revision, c.settings, c.user_id AS "userId", c.user_email AS "userEmail", c.user_name AS "userName",
  c.updated_at AS "updatedAt"`;

export interface StoredControls {
  orgId: string;
  revision: number;
  settings: EnterpriseControls;
}

export interface SessionRetention {
  orgId: string;
  days: number;
}

/** Every statement on enterprise controls. Of a stored revision only the sealing and an erased author change. */
@Injectable()
export class ControlsRepository {
  constructor(
    private readonly db: OrgDatabase,
    private readonly system: SystemDatabase,
  ) {}

  async findCurrent(orgId: string): Promise<ControlsRevision | null> {
    const [current] = await this.db.read<ControlsRevision>(orgId, CURRENT, [orgId]);
    return current ?? null;
  }

  async findCurrentIn(tx: SqlTransaction, orgId: string): Promise<ControlsRevision | null> {
    const [current] = await tx.query<ControlsRevision>(CURRENT, [orgId]);
    return current ?? null;
  }

  /** Serializes changes of an organization. */
  async lock(tx: SqlTransaction, orgId: string): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('enterprise_controls ' || $1, 0))`, [orgId]);
  }

  /** Newest first. */
  async listPage(orgId: string, page: PageRequest): Promise<Page<ControlsRevision>> {
    const p = new SqlParameters();
    const rows = await this.db.read<ControlsRevision>(
      orgId,
      `SELECT ${COLUMNS} FROM enterprise_controls c
        WHERE c.org_id = ${p.add(orgId)} ${p.behind(page.after, 'c.revision', 'descending')}
        ORDER BY c.revision DESC LIMIT ${p.add(page.limit + 1)}`,
      p.values,
    );
    return toPage(rows, page.limit, ({ revision }) => [String(revision)]);
  }

  async insert(tx: SqlTransaction, orgId: string, revision: ControlsRevision): Promise<void> {
    await tx.query(
      `INSERT INTO enterprise_controls (org_id, revision, settings, user_id, user_email, user_name, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [
        ...[orgId, revision.revision, JSON.stringify(revision.settings), revision.userId],
        ...[revision.userEmail, revision.userName, revision.updatedAt],
      ],
    );
  }

  /** Revisions of all organizations, or only the current ones, by key. */
  listStored(
    { isCurrent }: { isCurrent: boolean },
    after: Pick<StoredControls, 'orgId' | 'revision'>,
    limit: number,
  ): Promise<StoredControls[]> {
    return this.system.query(
      `SELECT c.org_id AS "orgId", c.revision, c.settings FROM enterprise_controls c
        WHERE (c.org_id, c.revision) > ($1, $2) AND (NOT $3 OR NOT EXISTS (
              SELECT FROM enterprise_controls n WHERE n.org_id = c.org_id AND n.revision > c.revision))
        ORDER BY c.org_id, c.revision LIMIT $4`,
      [after.orgId, after.revision, isCurrent, limit],
    );
  }

  async updateSealing(tx: SqlTransaction, { orgId, revision, settings }: StoredControls): Promise<void> {
    await tx.query(`UPDATE enterprise_controls c SET settings = $3 WHERE c.org_id = $1 AND c.revision = $2`, [
      orgId,
      revision,
      JSON.stringify(settings),
    ]);
  }

  listSessionRetentions(): Promise<SessionRetention[]> {
    return this.system.query(
      `SELECT c.org_id AS "orgId", (c.settings ->> 'sessionRetentionDays')::int AS days
         FROM (SELECT DISTINCT ON (c.org_id) c.org_id, c.settings FROM enterprise_controls c
                ORDER BY c.org_id, c.revision DESC) c
        WHERE c.settings ? 'sessionRetentionDays'`,
    );
  }

  async eraseAuthor(tx: SqlTransaction, orgId: string, userId: string): Promise<void> {
    await tx.query(
      `UPDATE enterprise_controls c SET user_email = '', user_name = '' WHERE c.org_id = $1 AND c.user_id = $2`,
      [orgId, userId],
    );
  }
}

const CURRENT = `SELECT ${COLUMNS} FROM enterprise_controls c WHERE c.org_id = $1 ORDER BY c.revision DESC LIMIT 1`;
