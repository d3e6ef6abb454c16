import { Injectable } from '@nestjs/common';
import { type Page, type PageRequest, toPage } from '../../../http/paging/paging.js';
import { OrgDatabase } from '../../../database/org-database.js';
import { SqlParameters } from '../../../database/sql-parameters.js';
import { conditionsOf, type SessionFilter } from '../session-filter.js';
import type { SessionEntity } from '../session.entity.js';

/** What others may know of a session: neither its title nor its messages. */
export interface SessionMetadata extends Omit<SessionEntity, 'orgId' | 'title' | 'settings'> {
  readonly userEmail: string | null;
  /** null: the computer was deleted. */
  readonly computerName: string | null;
  readonly model: string | null;
}

@Injectable()
export class OrganizationSessionsRepository {
  constructor(private readonly db: OrgDatabase) {}

  /** Newest first. */
  async listPage(orgId: string, filter: SessionFilter, page: PageRequest): Promise<Page<SessionMetadata>> {
    const p = new SqlParameters();
    const rows = await this.db.read<SessionMetadata>(
      orgId,
      `SELECT s.id, s.user_id AS "userId", u.email AS "userEmail", s.computer_id AS "computerId",
              c.name AS "computerName", s.status, s.settings ->> 'model' AS model, s.message_count AS "messageCount",
              s.input_tokens AS "inputTokens", s.output_tokens AS "outputTokens",
              s.cache_creation_tokens AS "cacheCreationTokens", s.cache_read_tokens AS "cacheReadTokens",
              s.thinking_tokens AS "thinkingTokens", s.created_at AS "createdAt", s.updated_at AS "updatedAt",
              s.completed_at AS "completedAt"
         FROM sessions s
         LEFT JOIN users u ON u.org_id = s.org_id AND u.id = s.user_id
         LEFT JOIN computers c ON c.org_id = s.org_id AND c.id = s.computer_id
        WHERE s.org_id = ${p.add(orgId)} ${conditionsOf(p, filter)}
          ${p.behind(page.after, 's.created_at, s.id', 'descending')}
        ORDER BY s.created_at DESC, s.id DESC LIMIT ${p.add(page.limit + 1)}`,
      p.values,
    );
    return toPage(rows, page.limit, (session) => [session.createdAt.toISOString(), session.id]);
  }
}
