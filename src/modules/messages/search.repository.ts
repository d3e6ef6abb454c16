import { Injectable } from '@nestjs/common';
import type { Position } from '../../http/paging/paging.js';
import { OrgDatabase } from '../../database/org-database.js';
import { SqlParameters } from '../../database/sql-parameters.js';
import type { MessageRole } from '../sessions/transcript/message.entity.js';

export interface FoundMessage {
  readonly sessionId: string;
  readonly messageId: string;
  readonly createdAt: Date;
}

export interface FoundText {
  readonly messageId: string;
  readonly title: string | null;
  readonly role: MessageRole;
  /** null: the page has reached its size before this message. */
  readonly text: string | null;
}

export interface ScanResult {
  readonly found: FoundMessage[];
  /** null: there are no more messages. */
  readonly end: Position | null;
}

/** A scan ends at `messages`, or at `bytes` of their compressed tsvectors. */
export interface ScanSize {
  readonly messages: number;
  readonly bytes: number;
}

interface ScannedMessage extends FoundMessage {
  isFound: boolean;
  isEndOfMessages: boolean;
}

const MAX_TEXT = 100_000;
/** Bounds the text of one page, except for its first message. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** Scans a user's messages from the newest on: under row-level security no GIN index is used (`@@` is not leakproof). */
@Injectable()
export class SearchRepository {
  constructor(private readonly db: OrgDatabase) {}

  /** Newest first, from behind `after` until `limit` messages are found or `size` is reached. */
  async scan(
    orgId: string,
    userId: string,
    words: string,
    { after, limit, size, statementMs }: { after: Position | null; limit: number; size: ScanSize; statementMs: number },
  ): Promise<ScanResult> {
    const p = new SqlParameters();
    const query = `websearch_to_tsquery('simple', ${p.add(words)})`;
    // Every level passes on row by row, so that LIMIT ends the scan at the last wanted row.
    const rows = await this.db.readWithin<ScannedMessage>(
      orgId,
      { statementMs },
      `SELECT w."sessionId", w."messageId", w."createdAt", w."isFound", w."isEndOfMessages"
         FROM (SELECT s."sessionId", s."messageId", s."createdAt", s.search @@ ${query} AS "isFound",
                      s."isEndOfMessages", s."isEndOfMessages" OR s.is_cut OR s.n = ${p.add(size.messages)} AS is_last
                 FROM (SELECT m.session_id AS "sessionId", m.id AS "messageId", m.created_at AS "createdAt", m.search,
                              row_number() OVER scan AS n,
                              sum(pg_column_size(m.search)) OVER scan >= ${p.add(size.bytes)} AS is_cut,
                              sum(pg_column_size(m.search)) OVER scan - pg_column_size(m.search) AS bytes_before,
                              lead(m.id) OVER scan IS NULL AS "isEndOfMessages"
                         FROM (SELECT m.session_id, m.id, m.created_at, m.search FROM messages m
                                WHERE m.org_id = ${p.add(orgId)} AND m.user_id = ${p.add(userId)}
                                  ${p.behind(after, 'm.created_at, m.id', 'descending')}
                                ORDER BY m.created_at DESC, m.id DESC LIMIT ${p.add(size.messages + 1)}) m
                       WINDOW scan AS (ORDER BY m.created_at DESC, m.id DESC ROWS UNBOUNDED PRECEDING)) s
                WHERE s.n <= ${p.add(size.messages)} AND (s.n = 1 OR s.bytes_before < ${p.add(size.bytes)})
               OFFSET 0) w
        WHERE w."isFound" OR w.is_last
        LIMIT ${p.add(limit)}`,
      p.values,
    );
    const last = rows.at(-1);
    return {
      found: rows
        .filter(({ isFound }) => isFound)
        .map(({ sessionId, messageId, createdAt }) => ({ sessionId, messageId, createdAt })),
      end: !last || last.isEndOfMessages ? null : positionOf(last),
    };
  }

  /** In the order of `found`, until the page has reached its size. */
  listTexts(orgId: string, found: FoundMessage[], statementMs: number): Promise<FoundText[]> {
    return this.db.readWithin<FoundText>(
      orgId,
      { statementMs },
      `SELECT f."messageId", f.title, f.role,
              CASE WHEN f.bytes_before < ${MAX_PAGE_BYTES} THEN
                coalesce((SELECT left(string_agg(b.block ->> 'text', E'\\n'), ${MAX_TEXT})
                            FROM json_array_elements(f.content) AS b (block)
                           WHERE b.block ->> 'type' = 'text'), '') END AS text
         FROM (SELECT m.id AS "messageId", s.title, m.role, m.content, x.n,
                      sum(m.content_bytes) OVER (ORDER BY x.n) - m.content_bytes AS bytes_before
                 FROM unnest($2::uuid[], $3::uuid[]) WITH ORDINALITY AS x (session_id, id, n)
                 JOIN messages m ON m.org_id = $1 AND m.session_id = x.session_id AND m.id = x.id
                 JOIN sessions s ON s.org_id = $1 AND s.id = x.session_id) f
        ORDER BY f.n`,
      [orgId, found.map(({ sessionId }) => sessionId), found.map(({ messageId }) => messageId)],
    );
  }

  /** The words of the query without the negated ones. */
  async listShownWords(orgId: string, words: string): Promise<string[]> {
    const [row] = await this.db.read<{ tree: string }>(
      orgId,
      `SELECT querytree(websearch_to_tsquery('simple', $1)) AS tree`,
      [words],
    );
    return [...(row?.tree ?? '').matchAll(/'((?:[^']|'')*)'/g)].map(([, word = '']) => word.replaceAll("''", "'"));
  }
}

export function positionOf({ createdAt, messageId }: FoundMessage): Position {
  return [createdAt.toISOString(), messageId];
}
