import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import type { Topics } from '../../database/notification-topics.js';
import { Notifications } from '../../database/notifications.js';
import { DirtyThings, StatusChanges } from './live-changes.js';
import type { LiveEvent } from './live-event.js';
import { LiveReader } from './live-reader.js';
import { LiveReads } from './live-reads.js';

/** A first change waits this long for others that belong to it, */
const GATHER_MS = 20;
/** and later ones this long, so that an organization costs a few reads a second, however many tabs it has. */
const PAUSE_MS = 200;
const RETRY_MS = 2_000;
const READ_AT_ONCE = 200;
/** With more, everybody reads everything again. */
const MAX_DIRTY = 2_000;
const MAX_LAG_MS = 1_000;
/** While notifications are late, readers are told to read again this often. */
const RESYNC_MS = 5_000;

/** The open streams of this process by organization, and what has to be read for them. */
@Injectable()
export class LiveHub implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger('Live');
  private readonly readers = new Map<string, Set<LiveReader>>();
  private readonly dirty = new Map<string, DirtyThings>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly statuses = new StatusChanges();
  private readonly lagCheck: NodeJS.Timeout;

  constructor(
    private readonly reads: LiveReads,
    notifications: Notifications,
  ) {
    notifications.on('session_changed', (change) => this.onSession(change));
    notifications.on('turn_queued', ({ orgId, computerId }) => this.onComputer(orgId, computerId));
    notifications.on('turns_changed', ({ orgId, computerId }) => this.onComputer(orgId, computerId));
    notifications.on('computer_changed', ({ orgId, computerId }) => this.onComputer(orgId, computerId));
    notifications.on('computer_deleted', ({ orgId, computerId }) => this.onComputer(orgId, computerId));
    notifications.on('credential_added', (change) => this.onKeys(change));
    notifications.on('credentials_changed', (change) => this.onKeys(change));
    notifications.on('telemetry_counted', (counted) => this.onTelemetry(counted));
    notifications.onInterruption(() => this.resyncAll());
    this.lagCheck = setInterval(() => notifications.lagMs > MAX_LAG_MS && this.resyncAll(), RESYNC_MS);
    this.lagCheck.unref();
  }

  open(caller: Principal): LiveReader {
    const reader = new LiveReader(caller);
    this.readers.set(caller.orgId, (this.readers.get(caller.orgId) ?? new Set()).add(reader));
    return reader;
  }

  close(reader: LiveReader): void {
    const { orgId } = reader.caller;
    const readers = this.readers.get(orgId);
    readers?.delete(reader);
    if (readers?.size !== 0) return;
    this.readers.delete(orgId);
    this.dirty.delete(orgId);
  }

  /** The server waits for open responses before it closes. */
  beforeApplicationShutdown(): void {
    for (const readers of this.readers.values()) for (const reader of readers) reader.end();
  }

  onModuleDestroy(): void {
    clearInterval(this.lagCheck);
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  private onSession(change: Topics['session_changed']): void {
    const isChange = this.statuses.isChange(change); // noted whoever watches
    const readers = this.readers.get(change.orgId);
    if (!isChange || !readers) return;
    const { orgId, sessionId, userId = null, computerId } = change;
    const isWatched = userId === null || [...readers].some(({ caller }) => caller.userId === userId);
    if (isWatched) this.dirtyOf(orgId).sessions.set(sessionId, userId);
    if (computerId !== undefined) this.dirtyOf(orgId).computers.add(computerId);
    this.gather(orgId);
  }

  private onComputer(orgId: string, computerId: string): void {
    if (!this.readers.has(orgId)) return;
    this.dirtyOf(orgId).computers.add(computerId);
    this.gather(orgId);
  }

  /** Owners see the keys of everybody. */
  private onKeys({ orgId, userId }: { orgId: string; userId?: string }): void {
    this.tell(orgId, { event: 'keys.changed', data: {} }, (reader) => {
      return reader.userId === userId || reader.role === Role.Owner;
    });
  }

  private onTelemetry({ orgId, sources }: Topics['telemetry_counted']): void {
    if (!this.readers.has(orgId)) return;
    for (const { userId, agent } of sources) {
      this.tell(orgId, { event: 'telemetry.seen', data: { agent } }, (reader) => reader.userId === userId);
    }
  }

  private dirtyOf(orgId: string): DirtyThings {
    const dirty = this.dirty.get(orgId) ?? new DirtyThings();
    this.dirty.set(orgId, dirty);
    return dirty;
  }

  /** While a timer is set, changes wait for it. */
  private gather(orgId: string): void {
    if ((this.dirty.get(orgId)?.size ?? 0) > MAX_DIRTY) {
      this.dirty.delete(orgId);
      this.tell(orgId, { event: 'resync', data: {} });
    }
    if (!this.timers.has(orgId) && this.dirty.has(orgId)) this.after(GATHER_MS, orgId, () => void this.flush(orgId));
  }

  private after(ms: number, orgId: string, work: () => void): void {
    const timer = setTimeout(work, ms);
    timer.unref();
    this.timers.set(orgId, timer);
  }

  private async flush(orgId: string): Promise<void> {
    let pauseMs = PAUSE_MS;
    try {
      await this.readDirty(orgId);
    } catch (error) {
      this.logger.debug(`Changes could not be read: ${String(error)}`);
      this.tell(orgId, { event: 'resync', data: {} });
      pauseMs = RETRY_MS;
    }
    if (this.dirty.get(orgId)?.size === 0) this.dirty.delete(orgId);
    this.after(pauseMs, orgId, () => {
      this.timers.delete(orgId);
      this.gather(orgId);
    });
  }

  private async readDirty(orgId: string): Promise<void> {
    const dirty = this.dirty.get(orgId);
    if (!dirty || !this.readers.has(orgId)) return;
    const sessions = dirty.takeSessions(READ_AT_ONCE);
    for (const { userId, ...event } of await this.reads.sessions(orgId, sessions)) {
      this.tell(orgId, event, (reader) => reader.userId === userId);
    }
    for (const event of await this.reads.computers(orgId, dirty.takeComputers(READ_AT_ONCE))) this.tell(orgId, event);
  }

  private tell(orgId: string, event: LiveEvent, isFor: (reader: Principal) => boolean = () => true): void {
    for (const reader of this.readers.get(orgId) ?? []) if (isFor(reader.caller)) reader.send(event);
  }

  private resyncAll(): void {
    this.statuses.clear();
    for (const orgId of this.readers.keys()) this.tell(orgId, { event: 'resync', data: {} });
  }
}
