import { Injectable } from '@nestjs/common';
import { newId } from '../../common/new-id.js';
import { clientOf, type Principal } from '../../common/access/principal.js';
import { ConflictError, NotFoundError } from '../../common/errors/domain-error.js';
import { Clock } from '../../common/time/clock.js';
import { awaitAll } from '../../common/await-all.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { requireOpen } from '../computers/computer-rules.js';
import { ComputersService } from '../computers/computers.service.js';
import type { SessionComputer } from '../computers/session-computer.js';
import { CreditLimitsService } from '../organization/credit-limits/credit-limits.service.js';
import type { SessionEntity, SessionStatus } from '../sessions/session.entity.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { type NewMessage, TranscriptService } from '../sessions/transcript/transcript.service.js';
import { TurnsService } from '../turns/turns.service.js';
import { type Attachment, toContentBlocks } from './attachments.js';

const MAX_TITLE = 80;

export interface PostedText {
  text: string;
  images?: Attachment[];
  files?: Attachment[];
  computerId?: string;
}

export interface PastMessage {
  role: NewMessage['role'];
  text: string;
  at: Date;
}

export interface PostedMessage {
  messageId: string;
  status: SessionStatus;
}

@Injectable()
export class MessagesService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly transcript: TranscriptService,
    private readonly turns: TurnsService,
    private readonly computers: ComputersService,
    private readonly credit: CreditLimitsService,
    private readonly clock: Clock,
  ) {}

  /** Stores the message and queues the turn that answers it, in one transaction. */
  async post(tx: SqlTransaction, caller: Principal, sessionId: string, input: PostedText): Promise<PostedMessage> {
    const wanted = input.computerId?.toLowerCase() ?? null;
    const [session, , found] = await awaitAll([
      this.sessions.getForUpdate(tx, caller, sessionId),
      this.credit.requireCredit(tx, caller),
      this.computers.findForSession(tx, caller.orgId, sessionId, wanted),
    ]);
    const computer = requireComputer(session, wanted, found);
    await this.turns.requireRoomInQueue(tx, session);
    const attachments = toContentBlocks(input.images ?? [], input.files ?? [], newId);
    const content = [{ type: 'text', text: input.text, id: newId() }, ...attachments];
    const message: NewMessage = {
      id: newId(),
      role: 'user',
      content,
      at: this.timeIn(session),
      client: clientOf(caller),
    };
    const written = await this.transcript.append(tx, session, [message]);
    const title = session.title ?? titleOf(input.text);
    const status = this.turns.queue(tx, session, { message, written, computer, title });
    return { messageId: message.id, status };
  }

  /** Stores a conversation that has ended: nothing in it waits for an answer. */
  async importPast(tx: SqlTransaction, caller: Principal, sessionId: string, past: PastMessage[]): Promise<void> {
    const session = await this.sessions.getForUpdate(tx, caller, sessionId);
    const messages = past.map(({ role, text, at }) => {
      return { id: newId(), role, content: [{ type: 'text', text, id: newId() }], at };
    });
    const written = await this.transcript.append(tx, session, messages);
    const end = past.at(-1)?.at ?? session.updatedAt;
    const title = session.title ?? titleOf(past[0]?.text ?? '');
    this.sessions.record(tx, session, { at: end, completedAt: end, title, ...written });
  }

  /** Turns begin in the order of these times, and the clocks of replicas differ: never before the last change. */
  private timeIn({ updatedAt }: SessionEntity): Date {
    return new Date(Math.max(this.clock.now().getTime(), updatedAt.getTime()));
  }
}

/** The session's computer, or the wanted one, to which only an idle session may move. */
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

function titleOf(text: string): string | null {
  const line = text.trim().split(/\r?\n/, 1)[0]?.trim() ?? '';
  return line === '' ? null : [...line].slice(0, MAX_TITLE).join('');
}
