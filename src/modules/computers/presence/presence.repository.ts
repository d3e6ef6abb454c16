import { Injectable } from '@nestjs/common';
import { OrgDatabase } from '../../../database/org-database.js';
import type { Topic } from '../../../database/notification-topics.js';
import { SqlParameters } from '../../../database/sql-parameters.js';
import type { ComputerEntity } from '../computer.entity.js';

export interface PresenceRow {
  readonly id: string;
  readonly name: string;
  readonly registeredBy: string;
  readonly access: ComputerEntity['access'];
  readonly trusted: boolean;
  readonly agentName: string | null;
  readonly agentVersion: string | null;
  /** null: not connected. */
  readonly replica: string | null;
  readonly seenAt: Date | null;
  readonly runningTurns: number;
  readonly waitingTurns: number;
}

const CHANGED: Topic = 'computer_changed';

@Injectable()
export class PresenceRepository {
  constructor(private readonly db: OrgDatabase) {}

  /** Newest first; `ids`: only these. */
  list(orgId: string, ids: readonly string[] | null): Promise<PresenceRow[]> {
    const p = new SqlParameters();
    const org = p.add(orgId);
    const only = (column: string) => (ids === null ? '' : `AND ${column} = ANY (${chosen})`);
    const chosen = ids === null ? '' : `${p.add(ids)}::uuid[]`;
    return this.db.read(
      orgId,
      `SELECT c.id, c.name, c.registered_by AS "registeredBy", c.access, c.trusted, c.agent_name AS "agentName",
              c.agent_version AS "agentVersion", c.agent_replica AS replica, c.agent_seen_at AS "seenAt",
              coalesce(t.running, 0) AS "runningTurns", coalesce(t.waiting, 0) AS "waitingTurns"
         FROM computers c
         LEFT JOIN (SELECT t.org_id, t.computer_id, count(*) FILTER (WHERE t.status = 'running')::int AS running,
                           count(*) FILTER (WHERE t.status = 'queued')::int AS waiting
                      FROM turns t WHERE t.org_id = ${org} AND t.status <> 'ended' ${only('t.computer_id')}
                     GROUP BY t.org_id, t.computer_id) t ON t.org_id = c.org_id AND t.computer_id = c.id
        WHERE c.org_id = ${org} ${only('c.id')}
        ORDER BY c.created_at DESC, c.id DESC`,
      p.values,
    );
  }

  /** Only while this connection is the agent of the computer. */
  async markOffline(orgId: string, computerId: string, connectionId: string, at: Date): Promise<void> {
    await this.db.write(
      orgId,
      `WITH changed AS (
         UPDATE computers c SET agent_replica = NULL, agent_seen_at = $4
          WHERE c.org_id = $1 AND c.id = $2 AND c.agent_connection = $3 RETURNING c.org_id, c.id)
       SELECT pg_notify('${CHANGED}', json_build_object('orgId', x.org_id, 'computerId', x.id)::text) FROM changed x`,
      [orgId, computerId, connectionId, at],
    );
  }
}
