import { Injectable, Logger } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { Clock } from '../../../common/time/clock.js';
import { PresenceRepository, type PresenceRow } from './presence.repository.js';
import { ReplicasService } from './replicas.service.js';

export interface Presence extends Omit<PresenceRow, 'replica'> {
  readonly isOnline: boolean;
}

interface Connection {
  readonly orgId: string;
  readonly computerId: string;
  readonly connectionId: string;
}

@Injectable()
export class PresenceService {
  private readonly logger = new Logger('Presence');

  constructor(
    private readonly rows: PresenceRepository,
    private readonly replicas: ReplicasService,
    private readonly clock: Clock,
  ) {}

  list(caller: Principal): Promise<Presence[]> {
    return this.listOf(caller.orgId, null);
  }

  /** `ids`: only these; those that do not exist are left out. */
  async listOf(orgId: string, ids: readonly string[] | null): Promise<Presence[]> {
    const rows = await this.rows.list(orgId, ids);
    const alive = await this.replicas.listAlive([...new Set(rows.flatMap(({ replica }) => replica ?? []))]);
    return rows.map(({ replica, ...row }) => {
      const seenAt = replica === null ? undefined : alive.get(replica);
      return { ...row, isOnline: seenAt !== undefined, seenAt: latest(row.seenAt, seenAt) };
    });
  }

  /** The socket of an agent has closed. */
  async leave({ orgId, computerId, connectionId }: Connection): Promise<void> {
    this.replicas.release(connectionId);
    try {
      await this.rows.markOffline(orgId, computerId, connectionId, this.clock.now());
    } catch (error) {
      this.replicas.noteUnmarked();
      this.logger.warn(`Computer ${computerId} could not be marked as offline: ${String(error)}`);
    }
  }
}

function latest(one: Date | null, other: Date | undefined): Date | null {
  if (one === null || other === undefined) return one ?? other ?? null;
  return one > other ? one : other;
}
