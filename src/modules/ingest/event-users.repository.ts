import { Injectable } from '@nestjs/common';
import { OrgDatabase } from '../../database/org-database.js';

@Injectable()
export class EventUsersRepository {
  constructor(private readonly db: OrgDatabase) {}

  /** Includes deactivated users: their events may come late. */
  listByIdOrEmail(
    orgId: string,
    ids: string[],
    emailKeys: string[],
  ): Promise<{ id: string; emailKey: string | null }[]> {
    return this.db.read(
      orgId,
      `SELECT u.id, u.email_key AS "emailKey" FROM users u
        WHERE u.org_id = $1 AND (u.id = ANY ($2::uuid[]) OR u.email_key = ANY ($3::text[])) ORDER BY u.id`,
      [orgId, ids, emailKeys],
    );
  }
}
