import { Injectable } from '@nestjs/common';
import { type Page, type PageRequest, toPage } from '../../http/paging/paging.js';
import { OrgDatabase } from '../../database/org-database.js';
import { SqlParameters } from '../../database/sql-parameters.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import type { SessionEntity } from '../sessions/session.entity.js';
import type { MessageEntity, MessageRole } from './message.entity.js';

const COLUMNS = `m.org_id AS "orgId", m.session_id AS "sessionId", m.id, m.seq, m.user_id AS "userId", m.role, m.content,
  m.details, m.created_at AS "createdAt", m.updated_at AS "updatedAt"`;

/** A page stops early rather than carry many large attachments at once. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
/** As much of a message as can be found; more than a full-text vector can hold is of no use. */
const MAX_SEARCHED_CHARACTERS = 100_000;

export interface MessageState {
  role: MessageRole;
  isSame: boolean;
  isOfTurn: boolean;
}

/** Every statement on messages. */
@Injectable()
export class MessagesRepository {
  constructor(private readonly db: OrgDatabase) {}

  async findById(orgId: string, sessionId: string, messageId: string): Promise<MessageEntity | null> {
    const [message] = await this.db.read<MessageEntity>(
      orgId,
      `SELECT ${COLUMNS} FROM messages m WHERE m.org_id = $1 AND m.session_id = $2 AND m.id = $3`,
      [orgId, sessionId, messageId],
    );
    return message ?? null;
  }

  /** Newest first. A page may be shorter than asked for when its messages are large. */
  async listPage(
    orgId: string,
    sessionId: string,
    page: PageRequest,
    role: MessageRole | null,
  ): Promise<Page<MessageEntity>> {
    const p = new SqlParameters();
    const rows = await this.db.read<MessageEntity & { isWithinSize: boolean }>(
      orgId,
      `SELECT p."orgId", p."sessionId", p.id, p.seq, p."userId", p.role, p.details, p."createdAt", p."updatedAt",
              p."isWithinSize", CASE WHEN p."isWithinSize" THEN p.content END AS content
         FROM (SELECT ${COLUMNS},
                      coalesce(sum(m.content_bytes) OVER (
                        ORDER BY m.seq DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) <= ${MAX_PAGE_BYTES}
                        AS "isWithinSize"
                 FROM messages m
                WHERE m.org_id = ${p.add(orgId)} AND m.session_id = ${p.add(sessionId)}
                  ${p.when(role, (value) => `m.role = ${value}`)}
                  ${p.behind(page.after, 'm.seq', 'descending')}
                ORDER BY m.seq DESC LIMIT ${p.add(page.limit + 1)}) p`,
      p.values,
    );
    const fitting = rows.filter((row) => row.isWithinSize).length;
    return toPage(rows, Math.min(page.limit, fitting), (message) => [String(message.seq)]);
  }

  insert(tx: SqlTransaction, message: MessageEntity, searchText: string): void {
    tx.enqueue(
      `INSERT INTO messages (org_id, session_id, id, seq, user_id, role, content, details, search, created_at, updated_at,
                             turn_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, to_tsvector('simple', $9), $10, $11, $12)`,
      [
        ...[message.orgId, message.sessionId, message.id, message.seq, message.userId, message.role],
        ...[JSON.stringify(message.content), JSON.stringify(message.details)],
        ...[searchable(searchText), message.createdAt, message.updatedAt, message.turnId ?? null],
      ],
      'insert-message',
    );
  }

  /**
   * Which of these messages exist, with what role, whether they are as they were sent now, and whether this turn wrote them.
   * Of a message that was written before turns were noted it is known from what it answers, or from when it was written.
   */
  async listStates(
    tx: SqlTransaction,
    { orgId, id: sessionId }: SessionEntity,
    turnId: string,
    sent: Pick<MessageEntity, 'id' | 'content' | 'details'>[],
  ): Promise<Map<string, MessageState>> {
    if (sent.length === 0) return new Map();
    const rows = await tx.query<MessageState & { id: string }>(
      `SELECT m.id, m.role, m.content::text = x.content AND m.details::text = x.details AS "isSame",
              coalesce(m.turn_id = $6::uuid, m.details ->> 'parentId' = $6::text OR m.created_at >= t.started_at, false)
                AS "isOfTurn"
         FROM unnest($3::uuid[], $4::text[], $5::text[]) AS x (id, content, details)
         JOIN messages m ON m.org_id = $1 AND m.session_id = $2 AND m.id = x.id
         LEFT JOIN turns t ON t.org_id = $1 AND t.session_id = $2 AND t.message_id = $6::uuid`,
      [
        ...[orgId, sessionId, sent.map((message) => message.id)],
        sent.map((message) => JSON.stringify(message.content)),
        sent.map((message) => JSON.stringify(message.details)),
        turnId,
      ],
      'message-states',
    );
    return new Map(rows.map(({ id, ...state }) => [id, state]));
  }

  update(
    tx: SqlTransaction,
    { orgId, id: sessionId }: SessionEntity,
    message: Pick<MessageEntity, 'id' | 'content' | 'details' | 'updatedAt'>,
    searchText: string,
  ): void {
    tx.enqueue(
      `UPDATE messages m SET content = $4, details = $5, search = to_tsvector('simple', $6), updated_at = $7
        WHERE m.org_id = $1 AND m.session_id = $2 AND m.id = $3`,
      [
        ...[orgId, sessionId, message.id, JSON.stringify(message.content), JSON.stringify(message.details)],
        ...[searchable(searchText), message.updatedAt],
      ],
      'update-message',
    );
  }
}

function searchable(text: string): string {
  return text.slice(0, MAX_SEARCHED_CHARACTERS).toWellFormed();
}
