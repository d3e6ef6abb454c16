import { Injectable } from '@nestjs/common';
import type { Role } from '../../common/access/role.enum.js';
import { OrgDatabase } from '../../database/org-database.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { ComputerEntity, nameKey } from './computer.entity.js';
import type { SessionComputer } from './session-computer.js';

const COLUMNS = `c.org_id AS "orgId", c.id, c.name, c.name_key AS "nameKey", c.provider_type AS "providerType", c.hostname,
  c.remote_user AS "remoteUser", c.status, c.provisioning_steps AS "provisioningSteps",
  c.registered_by AS "registeredBy", c.access, c.trusted, c.created_at AS "createdAt"`;

export type ComputerNames = Pick<ComputerEntity, 'id' | 'name' | 'hostname' | 'remoteUser'>;

export interface ComputerUser {
  role: Role;
  isActive: boolean;
}

/** The connection of a computer's agent, and the replica that holds its socket. */
export interface ConnectedAgentRow {
  readonly connectionId: string;
  readonly replica: string;
  readonly seenAt: Date;
  readonly name: string;
  readonly version: string;
}

@Injectable()
export class ComputersRepository {
  constructor(private readonly db: OrgDatabase) {}

  /** Newest first. */
  list(orgId: string): Promise<ComputerEntity[]> {
    return this.db.read(
      orgId,
      `SELECT ${COLUMNS} FROM computers c WHERE c.org_id = $1 ORDER BY c.created_at DESC, c.id DESC`,
      [orgId],
    );
  }

  async findById(orgId: string, computerId: string, tx?: SqlTransaction): Promise<ComputerEntity | null> {
    const [computer] = await (tx ?? this.db.reader(orgId)).query<ComputerEntity>(
      `SELECT ${COLUMNS} FROM computers c WHERE c.org_id = $1 AND c.id = $2`,
      [orgId, computerId],
    );
    return computer ?? null;
  }

  /** FOR KEY SHARE keeps it from being deleted or made private before a turn that is queued for it is committed. */
  async findForSession(
    tx: SqlTransaction,
    orgId: string,
    sessionId: string,
    wanted: string | null,
  ): Promise<SessionComputer | null> {
    const [computer] = await tx.query<SessionComputer>(
      `SELECT c.id, c.name, c.access, c.trusted, c.registered_by AS "registeredBy",
              c.agent_connection AS "agentConnection"
         FROM sessions s JOIN computers c ON c.org_id = s.org_id AND c.id = coalesce($3, s.computer_id)
        WHERE s.org_id = $1 AND s.id = $2 FOR KEY SHARE OF c`,
      [orgId, sessionId, wanted],
      'find-computer-for-session',
    );
    return computer ?? null;
  }

  async findByName(orgId: string, name: string): Promise<ComputerEntity | null> {
    const [computer] = await this.db.read<ComputerEntity>(
      orgId,
      `SELECT ${COLUMNS} FROM computers c WHERE c.org_id = $1 AND c.name_key = $2`,
      [orgId, nameKey(name)],
    );
    return computer ?? null;
  }

  async findAgentConnection(orgId: string, computerId: string): Promise<string | null> {
    const [computer] = await this.db.read<{ agentConnection: string | null }>(
      orgId,
      `SELECT c.agent_connection AS "agentConnection" FROM computers c WHERE c.org_id = $1 AND c.id = $2`,
      [orgId, computerId],
    );
    return computer?.agentConnection ?? null;
  }

  async findForUpdate(tx: SqlTransaction, orgId: string, computerId: string): Promise<ComputerEntity | null> {
    const [computer] = await tx.query<ComputerEntity>(
      `SELECT ${COLUMNS} FROM computers c WHERE c.org_id = $1 AND c.id = $2 FOR UPDATE`,
      [orgId, computerId],
    );
    return computer ?? null;
  }

  async lockUser(tx: SqlTransaction, orgId: string, userId: string): Promise<ComputerUser | null> {
    const [user] = await tx.query<ComputerUser>(
      `SELECT u.role, u.deactivated_at IS NULL AS "isActive" FROM users u
        WHERE u.org_id = $1 AND u.id = $2 FOR NO KEY UPDATE`,
      [orgId, userId],
    );
    return user ?? null;
  }

  async countOfUser(tx: SqlTransaction, orgId: string, userId: string): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM computers c WHERE c.org_id = $1 AND c.registered_by = $2`,
      [orgId, userId],
    );
    return row?.count ?? 0;
  }

  async insert(tx: SqlTransaction, computer: ComputerEntity): Promise<void> {
    await tx.manager.insert(ComputerEntity, computer);
  }

  async update(
    tx: SqlTransaction,
    orgId: string,
    computerId: string,
    changes: Partial<Pick<ComputerEntity, 'name' | 'nameKey' | 'remoteUser' | 'access' | 'trusted' | 'registeredBy'>>,
  ): Promise<void> {
    await tx.manager.update(ComputerEntity, { orgId, id: computerId }, changes);
  }

  updateAgent(
    tx: SqlTransaction,
    { orgId, id, status, provisioningSteps, hostname }: ComputerEntity,
    { connectionId, replica, seenAt, name, version }: ConnectedAgentRow,
  ): void {
    tx.enqueue(
      `UPDATE computers c SET agent_connection = $3, status = $4, provisioning_steps = $5, hostname = $6,
              agent_replica = $7, agent_seen_at = $8, agent_name = $9, agent_version = $10
        WHERE c.org_id = $1 AND c.id = $2`,
      [
        ...[orgId, id, connectionId, status, JSON.stringify(provisioningSteps), hostname],
        ...[replica, seenAt, name, version],
      ],
    );
  }

  /** The computer gets no turns until an agent connects again. */
  forgetAgent(tx: SqlTransaction, orgId: string, computerId: string): void {
    tx.enqueue(
      `UPDATE computers c SET agent_connection = NULL, agent_replica = NULL WHERE c.org_id = $1 AND c.id = $2`,
      [orgId, computerId],
    );
  }

  async delete(tx: SqlTransaction, orgId: string, computerId: string): Promise<void> {
    await tx.manager.delete(ComputerEntity, { orgId, id: computerId });
  }

  listNamesOfUser(tx: SqlTransaction, orgId: string, userId: string): Promise<ComputerNames[]> {
    return tx.query(
      `SELECT c.id, c.name, c.hostname, c.remote_user AS "remoteUser" FROM computers c
        WHERE c.org_id = $1 AND c.registered_by = $2`,
      [orgId, userId],
    );
  }

  updateNames(tx: SqlTransaction, orgId: string, { id, name, hostname, remoteUser }: ComputerNames): void {
    tx.enqueue(
      `UPDATE computers c SET name = $3, name_key = $4, hostname = $5, remote_user = $6
        WHERE c.org_id = $1 AND c.id = $2`,
      [orgId, id, name, nameKey(name), hostname, remoteUser],
    );
  }
}
