import { Injectable } from '@nestjs/common';
import { OrgDatabase } from '../../../database/org-database.js';
import type { MessageEntity } from '../transcript/message.entity.js';
import type { StreamedEvent } from './streamed-event.js';

/** Larger messages are announced by id only. */
const MAX_STREAMED_BYTES = 256 * 1024;
const MAX_BATCH_EVENTS = 100;
/** A batch ends after the message that reaches this; each reader holds one batch in memory. */
const MAX_BATCH_BYTES = 128 * 1024;

export interface EventBatch {
  readonly events: StreamedEvent[];
  readonly hasMore: boolean;
}

interface EventRow extends Omit<StreamedEvent, 'message'> {
  role: MessageEntity['role'] | null;
  content: MessageEntity['content'] | null;
  details: MessageEntity['details'];
  messageCreatedAt: Date;
  messageUpdatedAt: Date;
  isWithinSize: boolean;
}

@Injectable()
export class SessionStreamRepository {
  constructor(private readonly db: OrgDatabase) {}

  /** The number of the last event of an own session; null when there is no such session (any more). */
  async findLastSeq(orgId: string, userId: string, sessionId: string): Promise<number | null> {
    const [row] = await this.db.read<{ seq: number }>(
      orgId,
      `SELECT s.event_seq::float8 AS seq FROM sessions s WHERE s.org_id = $1 AND s.id = $2 AND s.user_id = $3`,
      [orgId, sessionId, userId],
    );
    return row?.seq ?? null;
  }

  async listAfter(orgId: string, sessionId: string, after: number): Promise<EventBatch> {
    const rows = await this.db.read<EventRow>(
      orgId,
      `SELECT b.seq, b.type, b.status, b."messageId", b.role, b."messageCreatedAt", b."messageUpdatedAt", b."isWithinSize",
              CASE WHEN b."isWithinSize" THEN b.details END AS details,
              CASE WHEN b."isWithinSize" AND b.bytes <= ${MAX_STREAMED_BYTES} THEN b.content END AS content
         FROM (SELECT e.seq::float8 AS seq, e.type, e.status, e.message_id AS "messageId", m.role, m.details, m.content,
                      m.created_at AS "messageCreatedAt", m.updated_at AS "messageUpdatedAt", m.content_bytes AS bytes,
                      coalesce(sum(CASE WHEN m.content_bytes <= ${MAX_STREAMED_BYTES} THEN m.content_bytes END) OVER (
                        ORDER BY e.seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) < ${MAX_BATCH_BYTES}
                        AS "isWithinSize"
                 FROM session_events e
                 LEFT JOIN messages m ON m.org_id = e.org_id AND m.session_id = e.session_id AND m.id = e.message_id
                WHERE e.org_id = $1 AND e.session_id = $2 AND e.seq > $3
                ORDER BY e.seq LIMIT ${MAX_BATCH_EVENTS}) b
        ORDER BY b.seq`,
      [orgId, sessionId, after],
    );
    const within = rows.filter((row) => row.isWithinSize);
    const hasMore = within.length < rows.length || rows.length === MAX_BATCH_EVENTS;
    return { events: within.map(toStreamedEvent), hasMore };
  }
}

function toStreamedEvent(row: EventRow): StreamedEvent {
  const { seq, type, status, messageId, role, content, details } = row;
  const message =
    messageId !== null && role !== null && content !== null
      ? { id: messageId, role, content, details, createdAt: row.messageCreatedAt, updatedAt: row.messageUpdatedAt }
      : null;
  return { seq, type, status, messageId, message };
}
