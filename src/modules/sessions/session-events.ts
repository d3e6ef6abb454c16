import type { SessionStatus } from './session.entity.js';

/** The wake-up after something happened in a session: `{orgId, sessionId}`. */
export const SESSION_CHANGED = 'session_changed';

/** Something that happened in a session. */
export type SessionEvent =
  | { type: 'message.created' | 'message.updated'; messageId: string }
  | { type: 'status.changed'; status: SessionStatus };
