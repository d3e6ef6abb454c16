import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import type { SessionActivity } from '../sessions/session-activity.js';
import type { SessionEvent } from '../sessions/session-events.js';
import type { SessionEntity } from '../sessions/session.entity.js';
import { SessionsService } from '../sessions/sessions.service.js';
import type { SessionChange } from './turn.js';

/** What happens in the session together with the turn; its events come before those of the turn. */
export interface Alongside extends Pick<SessionActivity, 'at' | 'addedMessages' | 'computerId' | 'title'> {
  events?: SessionEvent[];
}

/** Writes what a turn did to its session, which the caller has locked, and wakes the agent of its computer. */
@Injectable()
export class TurnRecorder {
  constructor(private readonly sessions: SessionsService) {}

  record(tx: SqlTransaction, session: SessionEntity, change: SessionChange, alongside: Alongside): void {
    const { status, completedAt, wake } = change;
    const events = [...(alongside.events ?? []), ...change.events];
    this.sessions.record(tx, session, { ...alongside, status, completedAt, events });
    const { orgId } = session;
    if (wake !== null) tx.notify(wake, { orgId, computerId: alongside.computerId ?? session.computerId });
  }
}
