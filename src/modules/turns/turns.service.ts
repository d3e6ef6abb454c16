import { Injectable, Logger } from '@nestjs/common';
import { newId } from '../../common/new-id.js';
import { isConnectionLoss } from '../../common/errors/database-errors.js';
import { ConflictError, ForbiddenError, UnavailableError } from '../../common/errors/domain-error.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/durations.js';
import { OrgDatabase } from '../../database/org-database.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { type Closing, type ClosingHandler, ComputerClosings } from '../computers/computer-closings.js';
import { ControlsService } from '../organization/controls/controls.service.js';
import type { EnterpriseControls } from '../organization/controls/enterprise-controls.js';
import { type SessionSettings, settingsForTurn } from '../sessions/session-settings.js';
import type { SessionEvent } from '../sessions/session-events.js';
import type { SessionEntity, SessionStatus } from '../sessions/session.entity.js';
import { SessionsService } from '../sessions/sessions.service.js';
import type { ContentBlock } from '../messages/message.entity.js';
import { TurnControls } from './turn-controls.js';
import { type AgentMessage, AgentMessages } from './agent-messages.js';
import {
  type NextOfQueue,
  type NextTurn,
  type TurnAttempt,
  TurnsRepository,
  type TurnTaker,
} from './turns.repository.js';

/** A lost turn is offered once more. */
const MAX_ATTEMPTS = 2;
/** So long after a turn its computer may still report what it used. */
const USAGE_AFTER_MS = DAY_MS;
const MAX_STUCK = 1_000;

/** A turn that was begun, with what its agent has to know. */
export interface StartedTurn extends TurnAttempt {
  /** Whose it is. */
  userId: string;
  content: ContentBlock[];
  settings: SessionSettings;
  /** What the organization has decided about agents. */
  controls: object;
}

/** The turn that was begun, unless it had to end at once; and whether others wait for the same computer. */
export interface StartedNext {
  turn: StartedTurn | null;
  othersWait: boolean;
}

/** The attempt is over, or was never this computer's. */
export class StaleTurnError extends ConflictError {
  constructor() {
    super('This attempt at the turn is over.');
  }
}

/** The durable queue of turns: agents take them, write while they work, and end them. */
@Injectable()
export class TurnsService implements ClosingHandler {
  private readonly logger = new Logger('Turns');
  /** Lost turns that could not be seen to so far. */
  private readonly stuck = new Set<string>();

  constructor(
    private readonly db: OrgDatabase,
    private readonly turns: TurnsRepository,
    private readonly messages: AgentMessages,
    private readonly sessions: SessionsService,
    private readonly controls: ControlsService,
    private readonly travelling: TurnControls,
    private readonly clock: Clock,
    closings: ComputerClosings,
  ) {
    closings.add(this);
  }

  /** The oldest turn that waits for this computer, begun; null when there is none. */
  async startNext(taker: TurnTaker, leaseMs: number): Promise<StartedNext | null> {
    for (;;) {
      const controls = await this.controls.forAgents(taker.orgId); // before anything is begun: it may fail
      const at = this.clock.now();
      const next = await this.turns.startNext(taker, at, new Date(at.getTime() + leaseMs));
      if (!next) return null;
      if (next !== 'gone') return { turn: await this.readyIfOpen(taker, next, controls), othersWait: next.othersWait };
    }
  }

  /** What the agent needs for a turn that was begun; null when it has to end, because of its model or of a secret. */
  async prepare(taker: TurnTaker, next: NextTurn): Promise<StartedTurn | null> {
    return this.ready(taker, next, await this.controls.forAgents(taker.orgId));
  }

  /** The computer may have become private to somebody else after the turn was queued again. */
  private readyIfOpen(taker: TurnTaker, next: NextOfQueue, controls: EnterpriseControls): Promise<StartedTurn | null> {
    return next.isOpen ? this.ready(taker, next, controls) : this.refuse(taker, next, CLOSED);
  }

  private async ready(taker: TurnTaker, next: NextTurn, controls: EnterpriseControls): Promise<StartedTurn | null> {
    const { content, userId, sessionId, messageId, attempt } = next;
    const settings = effectiveSettings(next, controls);
    if (settings instanceof ForbiddenError) return this.refuse(taker, next, settings.detail);
    const travelling = await this.travelling.of(taker, next, settings, controls);
    if ('problem' in travelling) return this.refuse(taker, next, travelling.problem);
    return { sessionId, messageId, attempt, userId, content, settings, controls: travelling.controls };
  }

  private async refuse(taker: TurnTaker, { sessionId, messageId, attempt }: NextTurn, reason: string): Promise<null> {
    const turn = { sessionId, messageId, attempt };
    await this.end(taker, turn, 'error', [errorMessage(messageId, reason)]);
    return null;
  }

  /** Whether a computer works on the session, or has done so in the last 24 hours. */
  hasHeld({ orgId, computerId }: TurnTaker, sessionId: string): Promise<boolean> {
    const since = new Date(this.clock.now().getTime() - USAGE_AFTER_MS);
    return this.turns.hasHeld(orgId, computerId, sessionId, since);
  }

  async lockWaiting(tx: SqlTransaction, orgId: string, computerId: string): Promise<void> {
    for (const id of await this.turns.listWaitingSessions(tx, orgId, computerId, null)) {
      await this.sessions.lock(tx, orgId, id);
    }
  }

  /** What waits for a computer that closes will never be answered there: each message is told so. */
  async endWaiting(tx: SqlTransaction, { orgId, computerId, exceptUserId, reason }: Closing): Promise<void> {
    for (const id of await this.turns.listWaitingSessions(tx, orgId, computerId, exceptUserId)) {
      const session = await this.sessions.lock(tx, orgId, id);
      if (session) await this.endQueued(tx, session, reason);
    }
  }

  private async endQueued(tx: SqlTransaction, session: SessionEntity, reason: string): Promise<void> {
    const at = this.clock.now();
    const unanswered = await this.turns.endQueued(tx, session.orgId, session.id, 'error', at);
    const events: SessionEvent[] = [];
    let addedMessages = 0;
    for (const messageId of unanswered) {
      const added = { ...session, messageCount: session.messageCount + addedMessages };
      const change = await this.messages.put(tx, added, messageId, [errorMessage(messageId, reason)], at);
      addedMessages += change.addedMessages;
      events.push(...change.events);
    }
    const isRunning = session.status === 'running';
    this.sessions.record(tx, session, {
      at,
      addedMessages,
      ...(isRunning ? {} : { status: 'idle', completedAt: at }),
      events: isRunning ? events : [...events, { type: 'status.changed', status: 'idle' }],
    });
  }

  /** Extends the leases of these turns, and returns those that are not this computer's any more. */
  async renew({ orgId, computerId }: TurnTaker, turns: TurnAttempt[], leaseMs: number): Promise<TurnAttempt[]> {
    if (turns.length === 0) return [];
    const leaseUntil = new Date(this.clock.now().getTime() + leaseMs);
    const kept = new Set((await this.turns.renew(orgId, computerId, turns, leaseUntil)).map(turnKey));
    return turns.filter((turn) => !kept.has(turnKey(turn)));
  }

  listRunning({ orgId, computerId }: TurnTaker): Promise<TurnAttempt[]> {
    return this.turns.listRunning(orgId, computerId);
  }

  /** Stores messages of a turn while it runs. Sent again, they change nothing. */
  async putMessages({ orgId, computerId }: TurnTaker, turn: TurnAttempt, sent: AgentMessage[]): Promise<void> {
    await this.db.transaction(orgId, async (tx) => {
      const session = await this.lockRunning(tx, orgId, computerId, turn);
      const at = this.clock.now();
      const change = await this.put(tx, session, turn, sent, at);
      if (change.events.length > 0) this.sessions.record(tx, session, { at, ...change });
    });
  }

  /**
   * Ends a turn together with its last messages. Said again, it changes nothing. Returns what the session does now: while
   * it is pending, its next turn waits.
   */
  end(
    { orgId, computerId }: TurnTaker,
    turn: TurnAttempt,
    reason: string,
    sent: AgentMessage[],
  ): Promise<SessionStatus> {
    return this.db.transaction(orgId, async (tx) => {
      const { session, state } = await this.lockWithTurn(tx, orgId, turn);
      if (!session || state?.attempt !== turn.attempt || state.computerId !== computerId) throw new StaleTurnError();
      if (state.status === 'ended') return session.status;
      if (state.status !== 'running') throw new StaleTurnError();
      return this.endTurn(tx, session, turn, reason, sent, this.clock.now());
    });
  }

  /** The agent cannot go on, or is gone: the turn is offered once more, unless a tool has been at work. */
  async lose({ orgId, computerId }: TurnTaker, turn: TurnAttempt): Promise<void> {
    await this.db.transaction(orgId, async (tx) => {
      const session = await this.lockRunning(tx, orgId, computerId, turn);
      await this.loseTurn(tx, session, turn);
    });
  }

  /** Does so with turns whose lease ran out, of whatever organization; returns how many there were. */
  async loseExpired(limit: number): Promise<number> {
    const now = this.clock.now();
    const expired = await this.turns.listExpired(now, limit === 0 ? 0 : limit + this.stuck.size);
    const isStuck = (turn: TurnAttempt) => this.stuck.has(turnKey(turn));
    let lost = 0;
    for (const turn of [...expired.filter((turn) => !isStuck(turn)), ...expired.filter(isStuck)]) {
      if (await this.loseIfExpired(turn, now)) lost++;
    }
    return lost;
  }

  /** Whether it could be done. The one that cannot must not hold up those behind it. */
  private async loseIfExpired(turn: TurnAttempt & { orgId: string }, now: Date): Promise<boolean> {
    try {
      await this.db.transaction(turn.orgId, async (tx) => {
        const session = await this.sessions.lock(tx, turn.orgId, turn.sessionId);
        // It may have been renewed, ended or seen to by another replica meanwhile.
        if (session && (await this.turns.hasExpired(tx, turn.orgId, turn, now))) await this.loseTurn(tx, session, turn);
      });
      this.stuck.delete(turnKey(turn));
      return true;
    } catch (error) {
      if (isConnectionLoss(error) || error instanceof UnavailableError) throw error; // it concerns all of them
      if (this.stuck.size < MAX_STUCK) this.stuck.add(turnKey(turn));
      this.logger.error(`The lost turn ${turn.messageId} of session ${turn.sessionId} stays: ${String(error)}`);
      return false;
    }
  }

  private async loseTurn(tx: SqlTransaction, session: SessionEntity, turn: TurnAttempt): Promise<void> {
    const { orgId, computerId } = session;
    const at = this.clock.now();
    const state = await this.turns.find(tx, orgId, turn.sessionId, turn.messageId);
    if (turn.attempt < MAX_ATTEMPTS && state?.hasToolMessage === false) {
      this.turns.queueAgain(tx, orgId, turn);
      const status = 'pending';
      this.sessions.record(tx, session, { at, status, events: [{ type: 'status.changed', status }] });
    } else {
      await this.endTurn(tx, session, turn, 'process_exit', [errorMessage(turn.messageId, LOST)], at);
    }
    tx.notify('turns_changed', { orgId, computerId });
  }

  private async endTurn(
    tx: SqlTransaction,
    session: SessionEntity,
    turn: TurnAttempt,
    reason: string,
    sent: AgentMessage[],
    at: Date,
  ): Promise<SessionStatus> {
    const { orgId } = session;
    const [change, hasQueued] = await Promise.all([
      this.put(tx, session, turn, sent, at),
      this.turns.hasQueued(tx, orgId, session.id),
    ]);
    this.turns.end(tx, orgId, turn, reason, at);
    const status: SessionStatus = hasQueued ? 'pending' : 'idle';
    const events = [...change.events, { type: 'status.changed' as const, status }];
    this.sessions.record(tx, session, { ...change, at, status, completedAt: at, events });
    return status;
  }

  private async put(tx: SqlTransaction, session: SessionEntity, turn: TurnAttempt, sent: AgentMessage[], at: Date) {
    if (sent.some(({ role }) => role === 'tool')) this.turns.noteToolMessage(tx, session.orgId, turn);
    return this.messages.put(tx, session, turn.messageId, sent, at);
  }

  private async lockRunning(
    tx: SqlTransaction,
    orgId: string,
    computerId: string,
    turn: TurnAttempt,
  ): Promise<SessionEntity> {
    const { session, state } = await this.lockWithTurn(tx, orgId, turn);
    const isCurrent = state?.status === 'running' && state.attempt === turn.attempt && state.computerId === computerId;
    if (!session || !isCurrent) throw new StaleTurnError();
    return session;
  }

  private async lockWithTurn(tx: SqlTransaction, orgId: string, { sessionId, messageId }: TurnAttempt) {
    const [session, state] = await Promise.all([
      this.sessions.lock(tx, orgId, sessionId),
      this.turns.find(tx, orgId, sessionId, messageId),
    ]);
    return { session, state };
  }
}

const CLOSED =
  'The computer of this session became private before this message was answered. Name another one in computerId.';
const LOST = 'The agent on this computer was lost while it worked on this message.';

export function turnKey({ sessionId, messageId, attempt }: TurnAttempt): string {
  return `${sessionId} ${messageId} ${attempt}`;
}

/** What the service says itself in answer to a message. */
function errorMessage(messageId: string, text: string): AgentMessage {
  const details = { isError: true, parentId: messageId };
  return { id: newId(), role: 'assistant', content: [{ type: 'text', text, id: newId() }], details };
}

/** The settings with what the organization has decided since they were made. */
function effectiveSettings(
  { settings, userId }: NextTurn,
  controls: EnterpriseControls,
): SessionSettings | ForbiddenError {
  try {
    return settingsForTurn(settings, controls, userId);
  } catch (error) {
    if (error instanceof ForbiddenError) return error;
    throw error;
  }
}
