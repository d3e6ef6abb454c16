import type { Presence } from './presence.service.js';

/** As it is shown, in lists and in event streams. */
export interface PresenceBody {
  computerId: string;
  name: string;
  online: boolean;
  lastSeenAt?: string;
  agent?: { name: string; version: string };
  runningTurns: number;
  waitingTurns: number;
  registeredBy: string;
  access: 'private' | 'organization';
  trusted: boolean;
}

export function toPresenceBody(presence: Presence): PresenceBody {
  const { id, name, isOnline, seenAt, agentName, agentVersion, runningTurns, waitingTurns } = presence;
  const { registeredBy, access, trusted } = presence;
  return {
    computerId: id,
    name,
    online: isOnline,
    ...(seenAt === null ? {} : { lastSeenAt: seenAt.toISOString() }),
    ...(agentName === null || agentVersion === null ? {} : { agent: { name: agentName, version: agentVersion } }),
    runningTurns,
    waitingTurns,
    registeredBy,
    access,
    trusted,
  };
}
