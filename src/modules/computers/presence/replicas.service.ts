import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { newId } from '../../../common/new-id.js';
import { SharedReads } from '../../../common/shared-reads.js';
import { Clock } from '../../../common/time/clock.js';
import { DatabaseService } from '../../../database/database.service.js';
import { type Replica, ReplicasRepository } from './replicas.repository.js';

const BEAT_MS = 5_000;
/** A replica that was not seen for this long has lost its agents. */
const MAX_SILENCE_MS = 20_000;

/**
 * The replicas that hold the sockets of agents. Each writes one row every few seconds, however many agents it has; the
 * computers of a replica that stops doing so are offline.
 */
@Injectable()
export class ReplicasService implements OnModuleInit, OnApplicationShutdown {
  readonly ownId = newId();
  private readonly logger = new Logger('Replicas');
  private readonly connections = new Set<string>();
  private readonly reads = new SharedReads<void>();
  private known = new Map<string, Date>();
  private beat: Promise<void> | null = null;
  private beatAtMs: number | null = null;
  private hasUnmarked = false;
  private isStopping = false;

  constructor(
    private readonly replicas: ReplicasRepository,
    private readonly database: DatabaseService,
    private readonly scheduler: SchedulerRegistry,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const timer = setInterval(() => void this.beatNow(), BEAT_MS);
    timer.unref();
    this.scheduler.addInterval('replica-heartbeat', timer);
  }

  /** The agents of this replica go to another one, or are offline from now on. */
  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.beat;
    if (this.beatAtMs === null || !this.database.isOpen) return;
    await this.replicas.remove({ id: this.ownId, seenAt: this.clock.now() }).catch((error: unknown) => {
      this.logger.warn(`The agents of this replica could not be marked as offline: ${String(error)}`);
    });
  }

  /** A connection that is the agent of a computer; call it before the computer is marked. */
  async hold(connectionId: string): Promise<void> {
    this.connections.add(connectionId);
    if (this.beatAtMs === null) await this.beatNow();
  }

  release(connectionId: string): void {
    this.connections.delete(connectionId);
  }

  /** A released connection is still marked in the database: put right with the next heartbeat. */
  noteUnmarked(): void {
    this.hasUnmarked = true;
  }

  /** When each of these replicas was last seen; one that is gone is left out. */
  async listAlive(ids: readonly string[]): Promise<Map<string, Date>> {
    // One that has just joined, or has come back, is not known yet.
    if (ids.some((id) => !this.isAlive(id))) await this.reads.read('', () => this.read());
    return new Map([...this.known].filter(([id]) => ids.includes(id) && this.isAlive(id)));
  }

  beatNow(): Promise<void> {
    if (this.isStopping || !this.database.isOpen) return Promise.resolve();
    this.beat ??= this.runBeat()
      .catch((error: unknown) => this.logger.warn(`The heartbeat of this replica failed: ${String(error)}`))
      .finally(() => (this.beat = null));
    return this.beat;
  }

  private async runBeat(): Promise<void> {
    const own: Replica = { id: this.ownId, seenAt: this.clock.now() };
    if (!(await this.replicas.renew(own))) await this.replicas.join(own, [...this.connections]);
    // After an outage of the database the others have not had the time to renew theirs.
    const isSteady = this.beatAtMs !== null && performance.now() - this.beatAtMs < 2 * BEAT_MS;
    const isFirst = this.beatAtMs === null;
    this.beatAtMs = performance.now();
    await this.read();
    if (this.hasUnmarked) await this.markReleased(own);
    if (isSteady || isFirst) await this.removeDead();
  }

  private isAlive(id: string): boolean {
    const seenAt = this.known.get(id);
    return seenAt !== undefined && seenAt.getTime() >= this.clock.now().getTime() - MAX_SILENCE_MS;
  }

  private async markReleased(own: Replica): Promise<void> {
    this.hasUnmarked = false;
    try {
      await this.replicas.releaseOthers(own, [...this.connections]);
    } catch (error) {
      this.hasUnmarked = true;
      throw error;
    }
  }

  private async removeDead(): Promise<void> {
    for (const [id, seenAt] of this.known) if (!this.isAlive(id)) await this.replicas.remove({ id, seenAt });
  }

  private async read(): Promise<void> {
    this.known = new Map((await this.replicas.list()).map(({ id, seenAt }) => [id, seenAt]));
  }
}
