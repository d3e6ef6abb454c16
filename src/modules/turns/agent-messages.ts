import { Injectable } from '@nestjs/common';
import { DomainError, ForbiddenError, InvalidRequestError } from '../../common/errors/domain-error.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { UsageRecorder } from '../ingest/usage-recorder.js';
import type { SessionEvent } from '../sessions/session-events.js';
import type { SessionEntity } from '../sessions/session.entity.js';
import type { ContentBlock, MessageEntity, MessageRole } from '../messages/message.entity.js';
import { MessagesRepository } from '../messages/messages.repository.js';

/** A message of an agent as it is now; the same id again replaces what was there. */
export interface AgentMessage {
  id: string;
  role: Extract<MessageRole, 'assistant' | 'tool' | 'system'>;
  content: ContentBlock[];
  /** The optional fields of a message. */
  details: Record<string, unknown>;
}

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Writes what agents say into a session that is locked. */
@Injectable()
export class AgentMessages {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly usage: UsageRecorder,
  ) {}

  /** Stores new messages, replaces those of the same turn that changed, and returns what happened in terms of the session. */
  async put(
    tx: SqlTransaction,
    session: SessionEntity,
    turnId: string,
    sent: AgentMessage[],
    at: Date,
  ): Promise<{ addedMessages: number; events: SessionEvent[] }> {
    // Of a message that is sent twice at once, the later one counts.
    const latest = [...new Map(sent.map((message) => [message.id, message])).values()];
    const known = await this.messages.listStates(tx, session, turnId, latest);
    const events: SessionEvent[] = [];
    let addedMessages = 0;
    for (const message of latest) {
      requireFittingSize(message);
      const state = known.get(message.id);
      if (!state) {
        const seq = session.messageCount + ++addedMessages;
        await this.insert(tx, session, turnId, message, seq, at);
        events.push({ type: 'message.created', messageId: message.id });
      } else if (state.role !== message.role) {
        throw InvalidRequestError.ofField('messages.role', `is "${state.role}" in the message ${message.id}`);
      } else if (!state.isSame && !state.isOfTurn) {
        throw new ForbiddenError(`The message ${message.id} is of another turn; a turn changes only its own.`);
      } else if (!state.isSame) {
        this.messages.update(tx, session, { ...message, updatedAt: at }, searchTextOf(message));
        events.push({ type: 'message.updated', messageId: message.id });
      }
    }
    return { addedMessages, events };
  }

  private async insert(
    tx: SqlTransaction,
    session: SessionEntity,
    turnId: string,
    message: AgentMessage,
    seq: number,
    at: Date,
  ) {
    const { orgId, id: sessionId, userId } = session;
    const entity: MessageEntity = { orgId, sessionId, seq, userId, ...message, createdAt: at, updatedAt: at, turnId };
    this.messages.insert(tx, entity, searchTextOf(message));
    if (message.role !== 'assistant') return;
    await this.usage.record(tx, { orgId, userId, sessionId, type: 'assistant_message', at });
  }
}

function requireFittingSize({ id, content }: AgentMessage): void {
  if (Buffer.byteLength(JSON.stringify(content)) <= MAX_MESSAGE_BYTES) return;
  throw new DomainError('payload_too_large', `The message ${id} has more than ${MAX_MESSAGE_BYTES} bytes.`);
}

function searchTextOf({ content }: AgentMessage): string {
  return content.map((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text : '')).join('\n');
}
