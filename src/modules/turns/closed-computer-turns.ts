import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/time/clock.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { type Closing, type ClosingHandler, ComputerClosings } from '../computers/computer-closings.js';
import type { SessionEntity } from '../sessions/session.entity.js';
import type { SessionEvent } from '../sessions/session-events.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { TranscriptService } from '../sessions/transcript/transcript.service.js';
import { errorMessage } from './error-message.js';
import { TurnRecorder } from './turn-recorder.js';
import { dropped } from './turn.js';
import { TurnsRepository } from './turns.repository.js';

/** Ends the turns that wait for a computer that is deleted or made private; each message is answered with the reason. */
@Injectable()
export class ClosedComputerTurns implements ClosingHandler {
  constructor(
    private readonly turns: TurnsRepository,
    private readonly sessions: SessionsService,
    private readonly transcript: TranscriptService,
    private readonly recorder: TurnRecorder,
    private readonly clock: Clock,
    closings: ComputerClosings,
  ) {
    closings.add(this);
  }

  async lockWaiting(tx: SqlTransaction, orgId: string, computerId: string): Promise<void> {
    for (const id of await this.turns.listWaitingSessions(tx, orgId, computerId, null)) {
      await this.sessions.lock(tx, orgId, id);
    }
  }

  hasRunning(tx: SqlTransaction, orgId: string, computerId: string): Promise<boolean> {
    return this.turns.hasRunning(tx, orgId, computerId);
  }

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
      const grown = { ...session, messageCount: session.messageCount + addedMessages };
      const turn = { messageId, startedAt: null };
      const written = await this.transcript.put(tx, grown, turn, [errorMessage(messageId, reason)], at);
      addedMessages += written.addedMessages;
      events.push(...written.events);
    }
    this.recorder.record(tx, session, dropped(session, at), { at, addedMessages, events });
  }
}
