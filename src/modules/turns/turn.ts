import { ConflictError } from '../../common/errors/domain-error.js';
import type { StatusEvent } from '../sessions/session-events.js';
import type { SessionSettings } from '../sessions/session-settings.js';
import type { SessionEntity, SessionStatus } from '../sessions/session.entity.js';
import type { ContentBlock } from '../sessions/transcript/message.entity.js';
import type { TurnEntity } from './turn.entity.js';

const MAX_ATTEMPTS = 2;

export type TurnRef = Pick<TurnEntity, 'sessionId' | 'messageId' | 'attempt'>;

/** The agent of a computer, by the connection over which it takes turns. */
export interface AgentRef {
  readonly orgId: string;
  readonly computerId: string;
  readonly connectionId: string;
}

/** A turn that an agent has begun, with what is needed of its session. */
export interface BegunTurn extends TurnRef {
  content: ContentBlock[];
  userId: string;
  settings: SessionSettings;
  trusted: boolean;
}

/** The attempt has ended, or belongs to another computer. */
export class StaleTurnError extends ConflictError {
  constructor() {
    super('This attempt at the turn is over.');
  }
}

/** A tool may have had effects, which a second attempt would repeat. */
export function mayRetry({ attempt, hasToolMessage }: Pick<TurnEntity, 'attempt' | 'hasToolMessage'>): boolean {
  return attempt < MAX_ATTEMPTS && !hasToolMessage;
}

export function isOverdue({ leaseUntil }: Pick<TurnEntity, 'leaseUntil'>, now: Date): boolean {
  return leaseUntil !== null && leaseUntil < now;
}

/** What a turn does to its session. The functions below are the only place that decides it. */
export interface SessionChange {
  status: SessionStatus;
  completedAt: Date | null;
  events: StatusEvent[];
  /** The notification that the agent of the computer needs, unless it knows already. */
  wake: 'turn_queued' | 'turns_changed' | null;
}

type SessionState = Pick<SessionEntity, 'status' | 'completedAt'>;

/** `isBegun`: an agent with a free slot began the turn of an idle session at once. */
export function queued(session: SessionState, isBegun: boolean): SessionChange {
  if (isBegun) return change('running', null, null, ['pending', 'running']);
  if (session.status === 'idle') return change('pending', session.completedAt, 'turn_queued');
  return change(session.status, session.completedAt, 'turn_queued', []);
}

export function begun(): SessionChange {
  return change('running', null, null);
}

/** By its agent; `hasQueued`: another turn of the session waits. */
export function ended(at: Date, hasQueued: boolean): SessionChange {
  return change(hasQueued ? 'pending' : 'idle', at, null);
}

/** Its agent is gone, and it is not retried. */
export function expired(at: Date, hasQueued: boolean): SessionChange {
  return { ...ended(at, hasQueued), wake: 'turns_changed' };
}

/** Its agent is gone, and it is back in the queue. */
export function retried(session: SessionState): SessionChange {
  return change('pending', session.completedAt, 'turns_changed');
}

export function interrupted(at: Date): SessionChange {
  return change('idle', at, 'turns_changed');
}

/** The queued turns ended because their computer was closed; a running one goes on. */
export function dropped(session: SessionState, at: Date): SessionChange {
  if (session.status === 'running') return change('running', session.completedAt, null, []);
  return change('idle', at, null);
}

function change(
  status: SessionStatus,
  completedAt: Date | null,
  wake: SessionChange['wake'],
  passed: SessionStatus[] = [status],
): SessionChange {
  return { status, completedAt, events: passed.map((to) => ({ type: 'status.changed', status: to })), wake };
}
