import { Injectable } from '@nestjs/common';
import { newId } from '../../common/new-id.js';
import type { Principal } from '../../common/access/principal.js';
import { ConflictError, NotFoundError } from '../../common/errors/domain-error.js';
import type { Page, PageRequest } from '../../http/paging/paging.js';
import { Clock } from '../../common/time/clock.js';
import { awaitAll } from '../../common/await-all.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { AppConfig } from '../../config/app-config.js';
import type { SessionComputer } from '../computers/computers.repository.js';
import { ComputersService, requireOpen } from '../computers/computers.service.js';
import { UsageRecorder } from '../ingest/usage-recorder.js';
import { UsageService } from '../organization/credit-limits/usage.service.js';
import type { SessionEntity, SessionStatus } from '../sessions/session.entity.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { type Attachment, toContentBlocks } from './attachments.js';
import { ConnectedAgents } from '../turns/connected-agents.js';
import type { MessageEntity, MessageRole } from './message.entity.js';
import { MessagesRepository } from './messages.repository.js';
import { TurnsRepository } from '../turns/turns.repository.js';

const MAX_TITLE = 80;

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
    private readonly config: AppConfig,
    private readonly messages: MessagesRepository,
    private readonly turns: TurnsRepository,
    private readonly agents: ConnectedAgents,
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

  /** Stores the message and queues the turn that answers it, in one transaction with the session's counters. */
  async post(tx: SqlTransaction, caller: Principal, sessionId: string, input: NewMessage): Promise<PostedMessage> {
    const wanted = input.computerId?.toLowerCase() ?? null;
    const [session, , found] = await awaitAll([
      this.sessions.getForUpdate(tx, caller, sessionId),
      this.credit.requireCredit(tx, caller),
      this.computers.findForSession(tx, caller.orgId, sessionId, wanted),
    ]);
    const computer = requireComputer(session, wanted, found);
    await this.requireRoomInQueue(tx, session);
    const attachments = toContentBlocks(input.images ?? [], input.files ?? [], newId);
    // Clocks of replicas differ, but in a session time does not run backwards: turns begin in the order of their messages.
    const at = new Date(Math.max(this.clock.now().getTime(), session.updatedAt.getTime()));
    const message: MessageEntity = {
      orgId: caller.orgId,
      sessionId,
      id: newId(),
      seq: session.messageCount + 1,
      userId: caller.userId,
      role: 'user',
      content: [{ type: 'text', text: input.text, id: newId() }, ...attachments],
      details: {},
      createdAt: at,
      updatedAt: at,
    };
    const { orgId, userId } = caller;
    this.messages.insert(tx, message, input.text);
    const status = this.addTurn(tx, session, message, computer, titleOf(input.text));
    await this.usage.record(tx, { orgId, userId, sessionId, type: 'user_message', at });
    return { messageId: message.id, status };
  }

  private async requireRoomInQueue(tx: SqlTransaction, session: SessionEntity): Promise<void> {
    if (session.status === 'idle') return;
    const { maxQueuedTurns } = this.config.bounds;
    if ((await this.turns.countQueued(tx, session, maxQueuedTurns)) < maxQueuedTurns) return;
    throw new ConflictError(
      `At most ${maxQueuedTurns} messages of a session may wait for an answer (MAX_QUEUED_TURNS); wait, or interrupt it.`,
    );
  }

  /** Begins the turn at once if the agent is connected here and has time; else it is queued. Returns the session's status. */
  private addTurn(
    tx: SqlTransaction,
    session: SessionEntity,
    { id: messageId, content, createdAt: at }: MessageEntity,
    { id: computerId, agentConnection, trusted }: SessionComputer,
    newTitle: string | null,
  ): SessionStatus {
    const { orgId, id: sessionId, userId, settings } = session;
    const slot = session.status === 'idle' ? this.agents.reserve(agentConnection) : null;
    const next = { sessionId, messageId, attempt: 1, content, userId, settings, trusted };
    if (slot) tx.afterEnd((isCommitted) => (isCommitted ? slot.use(next) : slot.giveBack()));
    const leaseUntil = slot && new Date(at.getTime() + slot.leaseMs);
    this.turns.insert(tx, { orgId, sessionId, messageId, computerId, createdAt: at, leaseUntil });
    const passed: SessionStatus[] = session.status === 'idle' ? ['pending', ...(slot ? ['running' as const] : [])] : [];
    const status = passed.at(-1) ?? session.status;
    this.sessions.record(tx, session, {
      at,
      addedMessages: 1,
      status,
      computerId,
      title: session.title ?? newTitle,
      ...(slot ? { completedAt: null } : {}),
      events: [
        { type: 'message.created', messageId },
        ...passed.map((status) => ({ type: 'status.changed' as const, status })),
      ],
    });
    if (!slot) tx.notify('turn_queued', { orgId, computerId });
    return status;
  }

  /** Stores a conversation that took place earlier, in a session without any: nothing is left to be answered in it. */
  async importPast(tx: SqlTransaction, caller: Principal, sessionId: string, past: PastMessage[]): Promise<void> {
    const session = await this.sessions.getForUpdate(tx, caller, sessionId);
    const { orgId, userId } = caller;
    const ids: string[] = [];
    for (const [i, { role, text, at }] of past.entries()) {
      const id = newId();
      const content = [{ type: 'text', text, id: newId() }];
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
    tx.notify('turns_changed', { orgId: caller.orgId, computerId: session.computerId });
    return 'idle';
  }
}

/** The session's computer, or the wanted one, to which the session moves while nothing is queued or running. */
function requireComputer(
  session: SessionEntity,
  wanted: string | null,
  found: SessionComputer | null,
): SessionComputer {
  const moves = wanted !== null && wanted !== session.computerId;
  if (!found && moves) throw new NotFoundError('computer', wanted);
  if (!found) {
    throw new ConflictError('The computer of this session was deleted; name another one in computerId.');
  }
  requireOpen(found, session.userId);
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
