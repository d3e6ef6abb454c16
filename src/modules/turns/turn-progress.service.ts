import { Injectable } from '@nestjs/common';
import { awaitAll } from '../../common/await-all.js';
import type { Principal } from '../../common/access/principal.js';
import { Clock } from '../../common/time/clock.js';
import { OrgDatabase } from '../../database/org-database.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import type { SessionEntity, SessionStatus } from '../sessions/session.entity.js';
import { SessionsService } from '../sessions/sessions.service.js';
import {
  type AgentMessage,
  type TranscriptChange,
  TranscriptService,
} from '../sessions/transcript/transcript.service.js';
import { errorMessage } from './error-message.js';
import { TurnRecorder } from './turn-recorder.js';
import {
  type AgentRef,
  ended,
  expired,
  interrupted,
  isOverdue,
  mayRetry,
  retried,
  type SessionChange,
  StaleTurnError,
  type TurnRef,
} from './turn.js';
import { TurnsRepository, type TurnState } from './turns.repository.js';

/** Running turns: what their agents write, and every way in which they end. */
@Injectable()
export class TurnProgressService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly turns: TurnsRepository,
    private readonly sessions: SessionsService,
    private readonly transcript: TranscriptService,
    private readonly recorder: TurnRecorder,
    private readonly clock: Clock,
  ) {}

  async putMessages({ orgId, computerId }: AgentRef, ref: TurnRef, sent: AgentMessage[]): Promise<void> {
    await this.db.transaction(orgId, async (tx) => {
      const { session, turn } = await this.lock(tx, orgId, ref);
      if (!session || !isRunning(ref, turn) || turn.computerId !== computerId) throw new StaleTurnError();
      const at = this.clock.now();
      const written = await this.write(tx, session, turn, sent, at);
      if (written.events.length > 0) this.sessions.record(tx, session, { at, ...written });
    });
  }

  /** Idempotent. Returns the status of the session: `pending` if its next turn waits. */
  end(agent: AgentRef, ref: TurnRef, reason: string, sent: AgentMessage[]): Promise<SessionStatus> {
    const { orgId, computerId } = agent;
    return this.db.transaction(orgId, async (tx) => {
      const { session, turn } = await this.lock(tx, orgId, ref);
      if (!session || turn?.attempt !== ref.attempt || turn.computerId !== computerId) throw new StaleTurnError();
      if (turn.status === 'ended') return session.status;
      if (turn.status !== 'running') throw new StaleTurnError();
      return this.endLocked(tx, session, turn, reason, sent, ended);
    });
  }

  /** The agent gave the turn up or lost it; nothing happens when the turn has ended meanwhile. */
  async expire({ orgId, computerId }: AgentRef, ref: TurnRef): Promise<void> {
    await this.db.transaction(orgId, async (tx) => {
      const { session, turn } = await this.lock(tx, orgId, ref);
      if (!session || !isRunning(ref, turn) || turn.computerId !== computerId) return;
      await this.expireLocked(tx, session, turn);
    });
  }

  /** False when the turn was renewed or ended meanwhile, here or by another replica. */
  expireIfOverdue(orgId: string, ref: TurnRef, now: Date): Promise<boolean> {
    return this.db.transaction(orgId, async (tx) => {
      const { session, turn } = await this.lock(tx, orgId, ref);
      if (!session || !isRunning(ref, turn) || !isOverdue(turn, now)) return false;
      await this.expireLocked(tx, session, turn);
      return true;
    });
  }

  async interrupt(tx: SqlTransaction, caller: Principal, sessionId: string): Promise<SessionStatus> {
    const session = await this.sessions.getForUpdate(tx, caller, sessionId);
    if (session.status === 'idle') return session.status;
    const at = this.clock.now();
    this.turns.endOpen(tx, caller.orgId, sessionId, 'cancelled', at);
    const change = interrupted(at);
    this.recorder.record(tx, session, change, { at });
    return change.status;
  }

  private async expireLocked(tx: SqlTransaction, session: SessionEntity, turn: TurnState): Promise<void> {
    if (mayRetry(turn)) {
      this.turns.queueAgain(tx, session.orgId, turn);
      this.recorder.record(tx, session, retried(session), { at: this.clock.now() });
    } else {
      await this.endLocked(tx, session, turn, 'process_exit', [errorMessage(turn.messageId, LOST)], expired);
    }
  }

  private async endLocked(
    tx: SqlTransaction,
    session: SessionEntity,
    turn: TurnState,
    reason: string,
    sent: AgentMessage[],
    changeBy: (at: Date, hasQueued: boolean) => SessionChange,
  ): Promise<SessionStatus> {
    const at = this.clock.now();
    const [written, hasQueued] = await awaitAll([
      this.write(tx, session, turn, sent, at),
      this.turns.hasQueued(tx, session.orgId, session.id),
    ]);
    this.turns.end(tx, session.orgId, turn, reason, at);
    const change = changeBy(at, hasQueued);
    this.recorder.record(tx, session, change, { at, ...written });
    return change.status;
  }

  private write(
    tx: SqlTransaction,
    session: SessionEntity,
    turn: TurnState,
    sent: AgentMessage[],
    at: Date,
  ): Promise<TranscriptChange> {
    if (sent.some(({ role }) => role === 'tool')) this.turns.noteToolMessage(tx, session.orgId, turn);
    return this.transcript.put(tx, session, turn, sent, at);
  }

  /** One round trip: the turn is read after the session was locked. */
  private async lock(tx: SqlTransaction, orgId: string, { sessionId, messageId }: TurnRef) {
    const [session, turn] = await awaitAll([
      this.sessions.lock(tx, orgId, sessionId),
      this.turns.find(tx, orgId, sessionId, messageId),
    ]);
    return { session, turn };
  }
}

const LOST = 'The agent on this computer was lost while it worked on this message.';

function isRunning({ attempt }: TurnRef, turn: TurnState | null): turn is TurnState {
  return turn?.status === 'running' && turn.attempt === attempt;
}
