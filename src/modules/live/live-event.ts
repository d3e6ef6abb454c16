import type { PresenceBody } from '../computers/presence/presence-body.js';
import type { SessionStatus } from '../sessions/session.entity.js';

/** One line of the stream of a tab. It tells the present state, so it may be repeated and only the last one counts. */
export type LiveEvent =
  | { event: 'ready' | 'resync' | 'keys.changed'; data: Record<string, never> }
  | { event: 'session.changed'; data: LiveSession }
  | { event: 'session.deleted'; data: { sessionId: string } }
  | { event: 'computer.changed'; data: PresenceBody }
  | { event: 'computer.deleted'; data: { computerId: string } }
  | { event: 'telemetry.seen'; data: { agent: string } };

export interface LiveSession {
  sessionId: string;
  status: SessionStatus;
  computerId: string;
  title?: string;
}

/** What the event is about: a later one about the same replaces it. */
export function subjectOf({ event, data }: LiveEvent): string {
  if ('sessionId' in data) return `session ${data.sessionId}`;
  if ('computerId' in data) return `computer ${data.computerId}`;
  return 'agent' in data ? `${event} ${data.agent}` : event;
}
