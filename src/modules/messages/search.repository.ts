import { Injectable } from '@nestjs/common';
import { type Page, type PageRequest, toPage } from '../../common/http/paging.js';
import { OrgDatabase } from '../../database/org-database.js';
import { SqlParameters } from '../../database/sql-parameters.js';
import type { MessageRole } from './message.entity.js';

export interface SearchHit {
  sessionId: string;
  messageId: string;
  title: string | null;
  role: MessageRole;
  createdAt: Date;
  snippet: string;
}

const SNIPPET = 'StartSel=**, StopSel=**, MaxFragments=2, MaxWords=20, MinWords=8, FragmentDelimiter=" … "';
const MAX_SNIPPET_SOURCE = 100_000;

/**
 * Full-text search over a user's own messages. Walks their messages from the newest on and stops when the page is full: no
 * index on words is used, because under row-level security such an index could not be (its operator is not leakproof).
 */
@Injectable()
export class SearchRepository {
  constructor(private readonly db: OrgDatabase) {}

  /** Newest first. */
  async listPage(orgId: string, userId: string, words: string, page: PageRequest): Promise<Page<SearchHit>> {
    const p = new SqlParameters();
    const query = `websearch_to_tsquery('simple', ${p.add(words)})`;
    const rows = await this.db.read<SearchHit>(
      orgId,
      `SELECT h."sessionId", h."messageId", s.title, h.role, h."createdAt",
              ts_headline('simple', left(h.text, ${MAX_SNIPPET_SOURCE}), ${query}, '${SNIPPET}') AS snippet
         FROM (SELECT m.org_id, m.session_id AS "sessionId", m.id AS "messageId", m.role, m.created_at AS "createdAt",
                      (SELECT string_agg(b.block ->> 'text', E'\\n') FROM json_array_elements(m.content) AS b (block)
                        WHERE b.block ->> 'type' = 'text') AS text
                 FROM messages m
                WHERE m.org_id = ${p.add(orgId)} AND m.user_id = ${p.add(userId)} AND m.search @@ ${query}
                  ${p.behind(page.after, 'm.created_at, m.id', 'descending')}
                ORDER BY m.created_at DESC, m.id DESC LIMIT ${p.add(page.limit + 1)}) h
         JOIN sessions s ON s.org_id = h.org_id AND s.id = h."sessionId"
        ORDER BY h."createdAt" DESC, h."messageId" DESC`,
      p.values,
    );
    return toPage(rows, page.limit, (hit) => [hit.createdAt.toISOString(), hit.messageId]);
  }
}
