import type { SessionStatus } from './session.entity.js';

export type StatusEvent = { type: 'status.changed'; status: SessionStatus };
export type MessageEvent = { type: 'message.created' | 'message.updated'; messageId: string };
export type SessionEvent = MessageEvent | StatusEvent;
