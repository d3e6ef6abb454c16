import { Injectable } from '@nestjs/common';
import { SystemDatabase } from '../../../database/system-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import type { Topic } from '../../../database/notification-topics.js';

export interface Replica {
  readonly id: string;
  readonly seenAt: Date;
}

const CHANGED: Topic = 'computer_changed';

/** Marks computers as connected through another replica, or through none, and announces that. */
const announced = (update: string) => `
  WITH changed AS (${update} RETURNING c.org_id, c.id)
  SELECT pg_notify('${CHANGED}', json_build_object('orgId', x.org_id, 'computerId', x.id)::text) FROM changed x`;

/** As the database owner: replicas belong to no organization, and their agents to many. */
@Injectable()
export class ReplicasRepository {
  constructor(private readonly system: SystemDatabase) {}

  list(): Promise<Replica[]> {
    return this.system.query(`SELECT r.id, r.seen_at AS "seenAt" FROM replicas r`);
  }

  /** False when the replica is not in the table (any more). */
  async renew({ id, seenAt }: Replica): Promise<boolean> {
    const renewed = await this.system.query(`UPDATE replicas r SET seen_at = $2 WHERE r.id = $1 RETURNING r.id`, [
      id,
      seenAt,
    ]);
    return renewed.length > 0;
  }

  /** `connections`: those of its agents, which may have been marked as gone. */
  join({ id, seenAt }: Replica, connections: readonly string[]): Promise<void> {
    return this.system.transaction(async (tx) => {
      tx.enqueue(`INSERT INTO replicas (id, seen_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`, [id, seenAt]);
      if (connections.length === 0) return;
      await tx.query(
        announced(`UPDATE computers c SET agent_replica = $1 WHERE c.agent_connection = ANY ($2::uuid[])`),
        [id, connections],
      );
    });
  }

  /** Computers that are marked as connected through the replica although their connection is none of these. */
  async releaseOthers({ id, seenAt }: Replica, connections: readonly string[]): Promise<void> {
    await this.system.query(
      announced(`UPDATE computers c SET agent_replica = NULL, agent_seen_at = $2
                  WHERE c.agent_replica = $1 AND c.agent_connection <> ALL ($3::uuid[])`),
      [id, seenAt, connections],
    );
  }

  /** Its agents were last seen when it was. */
  remove(replica: Replica): Promise<void> {
    return this.system.transaction((tx) => this.removeIn(tx, replica));
  }

  private async removeIn(tx: SqlTransaction, { id, seenAt }: Replica): Promise<void> {
    // A replica that has come back in the meantime stays.
    const removed = await tx.query(`DELETE FROM replicas r WHERE r.id = $1 AND r.seen_at <= $2 RETURNING r.id`, [
      id,
      seenAt,
    ]);
    if (removed.length === 0) return;
    await tx.query(
      announced(`UPDATE computers c SET agent_replica = NULL, agent_seen_at = greatest(c.agent_seen_at, $2)
                  WHERE c.agent_replica = $1`),
      [id, seenAt],
    );
  }
}
