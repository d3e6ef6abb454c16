import { Injectable } from '@nestjs/common';
import { OrgDatabase } from '../../../database/org-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';

export const SESSION_CONTENT_ACCESS = ['own', 'owners'] as const;

export interface OrganizationSettings {
  /** Who may read the messages of a session besides its user. */
  sessionContentAccess: (typeof SESSION_CONTENT_ACCESS)[number];
}

@Injectable()
export class OrganizationSettingsRepository {
  constructor(private readonly db: OrgDatabase) {}

  async find(orgId: string, tx?: SqlTransaction): Promise<OrganizationSettings | null> {
    const [settings] = await (tx ?? this.db.reader(orgId)).query<OrganizationSettings>(
      `SELECT s.session_content_access AS "sessionContentAccess" FROM organization_settings s WHERE s.org_id = $1`,
      [orgId],
    );
    return settings ?? null;
  }

  /** Serializes changes, also the first one. */
  async lock(tx: SqlTransaction, orgId: string, defaults: OrganizationSettings): Promise<void> {
    await tx.query(
      `INSERT INTO organization_settings AS s (org_id, session_content_access) VALUES ($1, $2)
       ON CONFLICT (org_id) DO UPDATE SET session_content_access = s.session_content_access`,
      [orgId, defaults.sessionContentAccess],
    );
  }

  update(tx: SqlTransaction, orgId: string, { sessionContentAccess }: OrganizationSettings): void {
    tx.enqueue(`UPDATE organization_settings s SET session_content_access = $2 WHERE s.org_id = $1`, [
      orgId,
      sessionContentAccess,
    ]);
  }
}
