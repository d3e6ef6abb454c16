import { Injectable } from '@nestjs/common';
import { toPresenceBody } from '../computers/presence/presence-body.js';
import { PresenceService } from '../computers/presence/presence.service.js';
import type { SessionEntity } from '../sessions/session.entity.js';
import { SessionsService } from '../sessions/sessions.service.js';
import type { LiveEvent } from './live-event.js';

type SessionLiveEvent = LiveEvent & { readonly userId: string };

/** The present state of what has changed, for all readers of an organization at once. */
@Injectable()
export class LiveReads {
  constructor(
    private readonly ownSessions: SessionsService,
    private readonly presence: PresenceService,
  ) {}

  /** With the user who may know. Of a deleted session the notification says whose it was. */
  async sessions(orgId: string, wanted: readonly [id: string, userId: string | null][]): Promise<SessionLiveEvent[]> {
    if (wanted.length === 0) return [];
    const rows = await this.ownSessions.listById(
      orgId,
      wanted.map(([id]) => id),
    );
    const found = new Map(rows.map((session) => [session.id, session]));
    return wanted.flatMap(([sessionId, userId]): SessionLiveEvent[] => {
      const session = found.get(sessionId);
      if (session) return [toSessionChanged(session)];
      return userId === null ? [] : [{ userId, event: 'session.deleted', data: { sessionId } }];
    });
  }

  async computers(orgId: string, ids: readonly string[]): Promise<LiveEvent[]> {
    if (ids.length === 0) return [];
    const rows = await this.presence.listOf(orgId, ids);
    const found = new Map(rows.map((presence) => [presence.id, presence]));
    return ids.map((computerId): LiveEvent => {
      const presence = found.get(computerId);
      if (presence) return { event: 'computer.changed', data: toPresenceBody(presence) };
      return { event: 'computer.deleted', data: { computerId } };
    });
  }
}

function toSessionChanged({ id, userId, status, computerId, title }: SessionEntity): SessionLiveEvent {
  const data = { sessionId: id, status, computerId, ...(title === null ? {} : { title }) };
  return { userId, event: 'session.changed', data };
}
