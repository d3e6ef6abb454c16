import { Injectable } from '@nestjs/common';
import type { Principal, RequestClient } from '../../../common/access/principal.js';
import {
  DomainError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
} from '../../../common/errors/domain-error.js';
import type { Page, PageRequest } from '../../../http/paging/paging.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { MAX_MESSAGE_BYTES } from '../../../protocol/relay-protocol.js';
import { UsageRecorder } from '../../ingest/usage-recorder.js';
import type { SessionEvent } from '../session-events.js';
import type { SessionEntity } from '../session.entity.js';
import { SessionsService } from '../sessions.service.js';
import type { ContentBlock, MessageEntity, MessageRole, ShownMessage } from './message.entity.js';
import { type MessageState, TranscriptRepository, type WritingTurn } from './transcript.repository.js';

export interface NewMessage {
  id: string;
  role: Extract<MessageRole, 'user' | 'assistant'>;
  content: ContentBlock[];
  at: Date;
  /** Through which it was posted; default: that of the session. */
  client?: RequestClient;
}

/** Sent again with the same id, it replaces the earlier one. */
export interface AgentMessage {
  id: string;
  role: Extract<MessageRole, 'assistant' | 'tool' | 'system'>;
  content: ContentBlock[];
  details: MessageEntity['details'];
}

export interface TranscriptChange {
  addedMessages: number;
  events: SessionEvent[];
}

/** The messages of a session, in order. Whoever writes holds the lock on the session. */
@Injectable()
export class TranscriptService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly messages: TranscriptRepository,
    private readonly usage: UsageRecorder,
  ) {}

  async list(
    caller: Principal,
    sessionId: string,
    page: PageRequest,
    filter: { computerId?: string; role?: MessageRole },
  ): Promise<Page<ShownMessage>> {
    const session = await this.sessions.get(caller, sessionId, filter.computerId);
    return this.messages.listPage(caller.orgId, session.id, page, filter.role ?? null);
  }

  /** For callers that have decided themselves who may read it. */
  listOfAnyone(
    orgId: string,
    sessionId: string,
    page: PageRequest,
    role: MessageRole | undefined,
  ): Promise<Page<ShownMessage>> {
    return this.messages.listPage(orgId, sessionId, page, role ?? null);
  }

  async get(caller: Principal, sessionId: string, messageId: string, computerId?: string): Promise<ShownMessage> {
    const session = await this.sessions.get(caller, sessionId, computerId);
    const message = await this.messages.findById(caller.orgId, session.id, messageId);
    if (!message) throw new NotFoundError('message', messageId);
    return message;
  }

  async append(tx: SqlTransaction, session: SessionEntity, messages: NewMessage[]): Promise<TranscriptChange> {
    for (const [i, { at, client = session.client, ...message }] of messages.entries()) {
      const seq = session.messageCount + i + 1;
      const stored = { ...message, seq, details: {}, createdAt: at, updatedAt: at, turnId: null };
      await this.insert(tx, { ...session, client }, stored);
    }
    const events = messages.map(({ id }) => ({ type: 'message.created' as const, messageId: id }));
    return { addedMessages: messages.length, events };
  }

  /** Idempotent. */
  async put(
    tx: SqlTransaction,
    session: SessionEntity,
    turn: WritingTurn,
    sent: AgentMessage[],
    at: Date,
  ): Promise<TranscriptChange> {
    const latest = [...new Map(sent.map((message) => [message.id, message])).values()];
    const known = await this.messages.listStates(tx, session, turn, latest);
    const events: SessionEvent[] = [];
    let addedMessages = 0;
    for (const message of latest) {
      requireFittingSize(message);
      const state = known.get(message.id);
      if (!state) {
        const seq = session.messageCount + ++addedMessages;
        await this.insert(tx, session, { ...message, seq, createdAt: at, updatedAt: at, turnId: turn.messageId });
        events.push({ type: 'message.created', messageId: message.id });
      } else if (!isRepetition(message, state)) {
        this.messages.update(tx, session, { ...message, updatedAt: at }, searchTextOf(message.content));
        events.push({ type: 'message.updated', messageId: message.id });
      }
    }
    return { addedMessages, events };
  }

  private async insert(
    tx: SqlTransaction,
    { orgId, id: sessionId, userId, client }: SessionEntity,
    message: Omit<MessageEntity, 'orgId' | 'sessionId' | 'userId'>,
  ): Promise<void> {
    this.messages.insert(tx, { orgId, sessionId, userId, ...message }, searchTextOf(message.content));
    const { role, createdAt: at } = message;
    if (role !== 'user' && role !== 'assistant') return;
    await this.usage.record(tx, { orgId, userId, sessionId, type: `${role}_message`, at, client });
  }
}

/** Throws when the turn may not change the message. */
function isRepetition({ id, role }: AgentMessage, state: MessageState): boolean {
  if (state.role !== role) {
    throw InvalidRequestError.ofField('messages.role', `is "${state.role}" in the message ${id}`);
  }
  if (!state.isSame && !state.isOfTurn) {
    throw new ForbiddenError(`The message ${id} is of another turn; a turn changes only its own.`);
  }
  return state.isSame;
}

function requireFittingSize({ id, content }: AgentMessage): void {
  if (Buffer.byteLength(JSON.stringify(content)) <= MAX_MESSAGE_BYTES) return;
  throw new DomainError('payload_too_large', `The message ${id} has more than ${MAX_MESSAGE_BYTES} bytes.`);
}

function searchTextOf(content: ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text : '')).join('\n');
}
