import { Injectable } from '@nestjs/common';
import { type Page, type PageRequest, toPage } from '../../../http/paging/paging.js';
import { OrgDatabase } from '../../../database/org-database.js';
import { SqlParameters } from '../../../database/sql-parameters.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import type { SessionEntity } from '../session.entity.js';
import type { MessageEntity, MessageRole, ShownMessage } from './message.entity.js';

const COLUMNS = `m.id, m.seq, m.role, m.content, m.details, m.created_at AS "createdAt", m.updated_at AS "updatedAt"`;

/** Bounds the attachments of one page. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
/** A tsvector has at most 1 MB. */
const MAX_SEARCHED_CHARACTERS = 100_000;

type ListedMessage = ShownMessage & Pick<MessageEntity, 'seq'>;

/** The turn that writes messages: the message it answers, and when its present attempt began. */
export interface WritingTurn {
  messageId: string;
  startedAt: Date | null;
}

export interface MessageState {
  role: MessageRole;
  isSame: boolean; // as what was sent
  isOfTurn: boolean;
}

@Injectable()
export class TranscriptRepository {
  constructor(private readonly db: OrgDatabase) {}

  async findById(orgId: string, sessionId: string, messageId: string): Promise<ShownMessage | null> {
    const [message] = await this.db.read<ShownMessage>(
      orgId,
      `SELECT ${COLUMNS} FROM messages m WHERE m.org_id = $1 AND m.session_id = $2 AND m.id = $3`,
      [orgId, sessionId, messageId],
    );
    return message ?? null;
  }

  /** Newest first. A page is shorter than its limit when its messages are large. */
  async listPage(
    orgId: string,
    sessionId: string,
    page: PageRequest,
    role: MessageRole | null,
  ): Promise<Page<ListedMessage>> {
    const p = new SqlParameters();
    const rows = await this.db.read<ListedMessage & { isWithinSize: boolean }>(
      orgId,
      `SELECT p.id, p.seq, p.role, p.details, p."createdAt", p."updatedAt", p."isWithinSize",
              CASE WHEN p."isWithinSize" THEN p.content END AS content
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
        ...[searchable(searchText), message.createdAt, message.updatedAt, message.turnId],
      ],
      'insert-message',
    );
  }

  /** Those that exist. Rows from before the column turn_id are attributed to a turn by `parentId` or by their time. */
  async listStates(
    tx: SqlTransaction,
    { orgId, id: sessionId }: SessionEntity,
    turn: WritingTurn,
    sent: Pick<MessageEntity, 'id' | 'content' | 'details'>[],
  ): Promise<Map<string, MessageState>> {
    if (sent.length === 0) return new Map();
    const rows = await tx.query<MessageState & { id: string }>(
      `SELECT m.id, m.role, m.content::text = x.content AND m.details::text = x.details AS "isSame",
              coalesce(m.turn_id = $6::uuid, m.details ->> 'parentId' = $6::text OR m.created_at >= $7, false)
                AS "isOfTurn"
         FROM unnest($3::uuid[], $4::text[], $5::text[]) AS x (id, content, details)
         JOIN messages m ON m.org_id = $1 AND m.session_id = $2 AND m.id = x.id`,
      [
        ...[orgId, sessionId, sent.map((message) => message.id)],
        sent.map((message) => JSON.stringify(message.content)),
        sent.map((message) => JSON.stringify(message.details)),
        ...[turn.messageId, turn.startedAt],
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
