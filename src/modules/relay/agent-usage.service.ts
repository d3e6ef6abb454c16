import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { DomainError, InvalidRequestError } from '../../common/errors/domain-error.js';
import type { UsageReport } from '../../protocol/relay-protocol.js';
import { IngestService, type IngestResult } from '../ingest/ingest.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import type { AgentRef } from '../turns/turn.js';
import { TurnsService } from '../turns/turns.service.js';

/** The service records these itself; reported by an agent they would count twice. */
const RECORDED_HERE = ['session_started', 'user_message', 'assistant_message'];

@Injectable()
export class AgentUsageService {
  constructor(
    private readonly turns: TurnsService,
    private readonly sessions: SessionsService,
    private readonly ingest: IngestService,
  ) {}

  /** Usage counts for the owner of the session, so only a computer that has, or recently had, a turn of it may report. */
  async report(
    agent: AgentRef,
    sessionId: string,
    events: UsageReport[],
  ): Promise<Pick<IngestResult, 'accepted' | 'duplicates' | 'rejectedCount' | 'rejected'>> {
    const { orgId, computerId } = agent;
    const session = (await this.turns.hasHeld(agent, sessionId)) ? await this.sessions.find(orgId, sessionId) : null;
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
    // Agents tell what a whole turn used, not what each call did.
    const sent = events.map((event, index) => ({ index, value: { ...event, sessionId }, isSum: true }));
    return this.ingest.ingestAll(user, sent);
  }
}
