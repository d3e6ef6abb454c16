import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { Principal } from '../../common/access/principal.js';
import { ConflictError, InvalidRequestError, NotFoundError } from '../../common/errors/domain-error.js';
import type { Page, PageRequest } from '../../common/http/paging.js';
import { Clock } from '../../common/time/clock.js';
import { inOrder, type SqlTransaction } from '../../database/sql-transaction.js';
import { ComputersService } from '../computers/computers.service.js';
import { UsageRecorder } from '../ingest/usage-recorder.js';
import { UsageService } from '../organization/usage/usage.service.js';
import type { SessionEvent } from '../sessions/session-events.js';
import type { SessionEntity, SessionStatus } from '../sessions/session.entity.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { type Attachment, toContentBlocks } from './attachments.js';
import type { MessageEntity, MessageRole } from './message.entity.js';
import { MessagesRepository } from './messages.repository.js';
import { type SearchHit, SearchRepository } from './search.repository.js';
import { TurnsRepository } from './turns.repository.js';
import { TURN_QUEUED, TURNS_CHANGED } from './turns.service.js';

const MAX_TITLE = 80;
const MAX_MINUS_SIGNS = 30;

export interface NewMessage {
  text: string;
  images?: Attachment[];
  files?: Attachment[];
  computerId?: string;
}

/** A message of a conversation that is over. */
export interface PastMessage {
  role: Extract<MessageRole, 'user' | 'assistant'>;
  text: string;
  at: Date;
}

export interface PostedMessage {
  messageId: string;
  status: SessionStatus;
}

/** The messages of a session, and the turns they start. */
@Injectable()
export class MessagesService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly hits: SearchRepository,
    private readonly turns: TurnsRepository,
    private readonly sessions: SessionsService,
    private readonly computers: ComputersService,
    private readonly credit: UsageService,
    private readonly usage: UsageRecorder,
    private readonly clock: Clock,
  ) {}

  async list(
    caller: Principal,
    sessionId: string,
    page: PageRequest,
    filter: { computerId?: string; role?: MessageRole },
  ): Promise<Page<MessageEntity>> {
    const session = await this.sessions.get(caller, sessionId, filter.computerId);
    return this.messages.listPage(caller.orgId, session.id, page, filter.role ?? null);
  }

  async get(caller: Principal, sessionId: string, messageId: string, computerId?: string): Promise<MessageEntity> {
    const session = await this.sessions.get(caller, sessionId, computerId);
    const message = await this.messages.findById(caller.orgId, session.id, messageId);
    if (!message) throw new NotFoundError('message', messageId);
    return message;
  }

  async search(caller: Principal, words: string, page: PageRequest): Promise<Page<SearchHit>> {
    // Each minus sign nests the query one level deeper, and Postgres gives up at some depth.
    if (words.split('-').length > MAX_MINUS_SIGNS + 1) {
      throw InvalidRequestError.ofField('q', `may have at most ${MAX_MINUS_SIGNS} minus signs`);
    }
    return this.hits.listPage(caller.orgId, caller.userId, words, page);
  }

  /** Stores the message and queues the turn that answers it, in one transaction with the session's counters. */
  async post(tx: SqlTransaction, caller: Principal, sessionId: string, input: NewMessage): Promise<PostedMessage> {
    const wanted = input.computerId?.toLowerCase();
    const [session, , found] = await inOrder([
      this.sessions.getForUpdate(tx, caller, sessionId),
      this.credit.requireCredit(tx, caller),
      wanted === undefined
        ? this.computers.findIdOfSession(tx, caller.orgId, sessionId)
        : this.computers.find(caller.orgId, wanted, tx).then((computer) => computer?.id ?? null),
    ]);
    const computerId = requireComputer(session, wanted, found);
    const attachments = toContentBlocks(input.images ?? [], input.files ?? [], uuidv7);
    // Clocks of replicas differ, but in a session time does not run backwards: turns begin in the order of their messages.
    const at = new Date(Math.max(this.clock.now().getTime(), session.updatedAt.getTime()));
    const message: MessageEntity = {
      orgId: caller.orgId,
      sessionId,
      id: uuidv7(),
      seq: session.messageCount + 1,
      userId: caller.userId,
      role: 'user',
      content: [{ type: 'text', text: input.text, id: uuidv7() }, ...attachments],
      details: {},
      createdAt: at,
      updatedAt: at,
    };
    const { orgId, userId } = caller;
    const status = session.status === 'idle' ? 'pending' : session.status;
    const events: SessionEvent[] = [{ type: 'message.created', messageId: message.id }];
    if (status !== session.status) events.push({ type: 'status.changed', status });
    const title = session.title ?? titleOf(input.text);
    this.messages.insert(tx, message, input.text);
    this.turns.insert(tx, { orgId, sessionId, messageId: message.id, computerId, createdAt: at });
    this.sessions.record(tx, session, { at, addedMessages: 1, status, computerId, title, events });
    await this.usage.record(tx, { orgId, userId, sessionId, type: 'user_message', at });
    tx.notify(TURN_QUEUED, { orgId, computerId });
    return { messageId: message.id, status };
  }

  /** Stores a conversation that took place earlier, in a session without any: nothing is left to be answered in it. */
  async importPast(tx: SqlTransaction, caller: Principal, sessionId: string, past: PastMessage[]): Promise<void> {
    const session = await this.sessions.getForUpdate(tx, caller, sessionId);
    const { orgId, userId } = caller;
    const ids: string[] = [];
    for (const [i, { role, text, at }] of past.entries()) {
      const id = uuidv7();
      const content = [{ type: 'text', text, id: uuidv7() }];
      const place = { orgId, sessionId, id, seq: session.messageCount + i + 1, userId };
      this.messages.insert(tx, { ...place, role, content, details: {}, createdAt: at, updatedAt: at }, text);
      await this.usage.record(tx, { orgId, userId, sessionId, type: `${role}_message`, at });
      ids.push(id);
    }
    const end = past.at(-1)?.at ?? session.updatedAt;
    this.sessions.record(tx, session, {
      at: end,
      addedMessages: past.length,
      completedAt: end,
      title: session.title ?? titleOf(past[0]?.text ?? ''),
      events: ids.map((messageId) => ({ type: 'message.created', messageId })),
    });
  }

  /** Ends the running turn and drops those that wait. Without any, nothing happens. */
  async interrupt(tx: SqlTransaction, caller: Principal, sessionId: string): Promise<SessionStatus> {
    const session = await this.sessions.getForUpdate(tx, caller, sessionId);
    if (session.status === 'idle') return session.status;
    const at = this.clock.now();
    await this.turns.endOpen(tx, caller.orgId, sessionId, 'cancelled', at);
    this.sessions.record(tx, session, {
      at,
      status: 'idle',
      completedAt: at,
      events: [{ type: 'status.changed', status: 'idle' }],
    });
    tx.notify(TURNS_CHANGED, { orgId: caller.orgId, computerId: session.computerId });
    return 'idle';
  }
}

/** The session's computer, or the wanted one, to which the session moves while nothing is queued or running. */
function requireComputer(session: SessionEntity, wanted: string | undefined, found: string | null): string {
  const moves = wanted !== undefined && wanted !== session.computerId;
  if (found === null && moves) throw new NotFoundError('computer', wanted);
  if (found === null) {
    throw new ConflictError('The computer of this session was deleted; name another one in computerId.');
  }
  if (moves && session.status !== 'idle') {
    throw new ConflictError('The session cannot move to another computer while a turn is queued or running.');
  }
  return found;
}

/** The first line of the first message, 80 characters at most; null when there is nothing to show in it. */
function titleOf(text: string): string | null {
  const line = text.trim().split(/\r?\n/, 1)[0]?.trim() ?? '';
  return line === '' ? null : [...line].slice(0, MAX_TITLE).join('');
}
