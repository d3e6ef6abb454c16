import type { SessionStatus } from './session.entity.js';

/** Something that happened in a session. */
export type SessionEvent =
  | { type: 'message.created' | 'message.updated'; messageId: string }
  | { type: 'status.changed'; status: SessionStatus };
