import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { DomainError, InvalidRequestError } from '../../common/errors/domain-error.js';
import { Clock } from '../../common/time/clock.js';
import { AppConfig } from '../../config/app-config.js';
import { type HelloParams, type HelloResult, RELAY_PROTOCOL, type UsageReport } from '../../protocol/relay-protocol.js';
import { ComputersService } from '../computers/computers.service.js';
import { IngestService, type IngestResult } from '../ingest/ingest.service.js';
import type { AgentMessage } from '../turns/agent-messages.js';
import type { NextTurn, TurnAttempt, TurnTaker } from '../turns/turns.repository.js';
import { type StartedNext, type StartedTurn, StaleTurnError, turnKey, TurnsService } from '../turns/turns.service.js';
import type { SessionStatus } from '../sessions/session.entity.js';
import { SessionsService } from '../sessions/sessions.service.js';

/** What the service records itself; an agent that reported it too would count it twice. */
const RECORDED_HERE = ['session_started', 'user_message', 'assistant_message'];

/** What a connected agent may ask for. */
@Injectable()
export class AgentRelay {
  readonly leaseMs: number;

  constructor(
    config: AppConfig,
    private readonly turns: TurnsService,
    private readonly sessions: SessionsService,
    private readonly computers: ComputersService,
    private readonly ingest: IngestService,
    private readonly clock: Clock,
  ) {
    this.leaseMs = config.turnLeaseSeconds * 1000;
  }

  /** An agent says hello: it speaks for the computer now, and the turns it does not know of were lost. */
  async welcome(
    taker: TurnTaker,
    caller: Principal,
    { turns, hostname, problem }: HelloParams,
  ): Promise<{ greeting: HelloResult; kept: TurnAttempt[] }> {
    const { connectionId, computerId } = taker;
    const introduction = { connectionId, hostname, problem };
    const { id, name, registeredBy } = await this.computers.connectAgent(caller, computerId, introduction);
    await this.loseUnmentioned(taker, turns);
    const lostTurns = await this.turns.renew(taker, turns, this.leaseMs);
    const lost = new Set(lostTurns.map(turnKey));
    const greeting = {
      protocol: RELAY_PROTOCOL,
      computer: { id, name, registeredBy },
      leaseSeconds: this.leaseMs / 1000,
      now: this.clock.now().getTime(),
      lostTurns,
    };
    return { greeting, kept: turns.filter((turn) => !lost.has(turnKey(turn))) };
  }

  private async loseUnmentioned(taker: TurnTaker, turns: TurnAttempt[]): Promise<void> {
    const mentioned = new Set(turns.map(turnKey));
    const unmentioned = (await this.turns.listRunning(taker)).filter((turn) => !mentioned.has(turnKey(turn)));
    // Asked behind the list: what a newer connection has begun by now is none of this one's.
    if (unmentioned.length === 0 || !(await this.isSpeaker(taker))) return;
    for (const turn of unmentioned) await this.loseTurn(taker, turn);
  }

  /** Whether no newer connection speaks for the computer. */
  async isSpeaker({ orgId, computerId, connectionId }: TurnTaker): Promise<boolean> {
    return (await this.computers.findAgentConnection(orgId, computerId)) === connectionId;
  }

  startNext(taker: TurnTaker): Promise<StartedNext | null> {
    return this.turns.startNext(taker, this.leaseMs);
  }

  prepare(taker: TurnTaker, turn: NextTurn): Promise<StartedTurn | null> {
    return this.turns.prepare(taker, turn);
  }

  listRunning(taker: TurnTaker): Promise<TurnAttempt[]> {
    return this.turns.listRunning(taker);
  }

  renew(taker: TurnTaker, turns: TurnAttempt[]): Promise<TurnAttempt[]> {
    return this.turns.renew(taker, turns, this.leaseMs);
  }

  putMessages(taker: TurnTaker, turn: TurnAttempt, messages: AgentMessage[]): Promise<void> {
    return this.turns.putMessages(taker, turn, messages);
  }

  endTurn(taker: TurnTaker, turn: TurnAttempt, reason: string, messages: AgentMessage[]): Promise<SessionStatus> {
    return this.turns.end(taker, turn, reason, messages);
  }

  /** A turn that was seen to meanwhile needs nothing more. */
  async loseTurn(taker: TurnTaker, turn: TurnAttempt): Promise<void> {
    await this.turns.lose(taker, turn).catch((error: unknown) => {
      if (!(error instanceof StaleTurnError)) throw error;
    });
  }

  /**
   * Usage counts for the user whose session it is, whoever runs the computer; so only for turns that the computer has, or
   * had in the last 24 hours.
   */
  async reportUsage(
    taker: TurnTaker,
    sessionId: string,
    events: UsageReport[],
  ): Promise<Pick<IngestResult, 'accepted' | 'duplicates' | 'rejectedCount' | 'rejected'>> {
    const { orgId, computerId } = taker;
    const session = (await this.turns.hasHeld(taker, sessionId)) ? await this.sessions.find(orgId, sessionId) : null;
    if (!session) {
      const detail = `This computer has had no turn of the session "${sessionId}" in the last 24 hours.`;
      throw new DomainError('not_found', detail);
    }
    const recordedHere = events.find(({ type }) => RECORDED_HERE.includes(type));
    if (recordedHere) {
      throw InvalidRequestError.ofField('events.type', `"${recordedHere.type}" is recorded by the service itself`);
    }
    const { userId } = session;
    const user: Principal = {
      orgId,
      userId,
      email: null,
      role: Role.Member,
      credential: { kind: 'internal', id: computerId },
      expiresAt: null,
    };
    const sent = events.map((event, index) => ({ index, value: { ...event, sessionId } }));
    return this.ingest.ingestAll(user, sent);
  }
}
