import type { SessionStatus } from './session.entity.js';

/** The notification after something happened in a session: `{orgId, sessionId}`. */
export const SESSION_CHANGED = 'session_changed';

export type StatusEvent = { type: 'status.changed'; status: SessionStatus };
export type MessageEvent = { type: 'message.created' | 'message.updated'; messageId: string };
export type SessionEvent = MessageEvent | StatusEvent;
