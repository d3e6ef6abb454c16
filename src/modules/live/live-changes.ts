import { boundedCache } from '../../common/bounded-cache.js';
import type { Topics } from '../../database/notification-topics.js';

const MAX_SESSIONS = 50_000;

/**
 * Finds the notifications that change the status of a session: most are about messages. Knows the last status of each
 * session, whether or not anybody watches; one that was forgotten counts as changed.
 */
export class StatusChanges {
  private readonly statuses = boundedCache<string>(MAX_SESSIONS);

  isChange({ sessionId, status }: Topics['session_changed']): boolean {
    if (status === undefined) {
      this.statuses.delete(sessionId);
      return true;
    }
    if (this.statuses.get(sessionId) === status) return false;
    this.statuses.set(sessionId, status);
    return true;
  }

  /** Notifications may have been missed. */
  clear(): void {
    this.statuses.clear();
  }
}

/** What has to be read again for the readers of an organization. */
export class DirtyThings {
  /** With the user of the session, where the notification says so. */
  readonly sessions = new Map<string, string | null>();
  readonly computers = new Set<string>();

  get size(): number {
    return this.sessions.size + this.computers.size;
  }

  takeSessions(max: number): [id: string, userId: string | null][] {
    const taken = [...this.sessions].slice(0, max);
    for (const [id] of taken) this.sessions.delete(id);
    return taken;
  }

  takeComputers(max: number): string[] {
    const taken = [...this.computers].slice(0, max);
    for (const id of taken) this.computers.delete(id);
    return taken;
  }
}
