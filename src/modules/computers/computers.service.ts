import { Injectable } from '@nestjs/common';
import { newId } from '../../common/new-id.js';
import type { Principal } from '../../common/access/principal.js';
import { isUniqueViolation } from '../../common/errors/database-errors.js';
import { ConflictError, NotFoundError } from '../../common/errors/domain-error.js';
import { Clock } from '../../common/time/clock.js';
import { isUuid } from '../../common/validation/predicates.js';
import { AppConfig } from '../../config/app-config.js';
import { OrgDatabase } from '../../database/org-database.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { AuditLogService } from '../organization/audit/audit-log.service.js';
import { ComputerTokensService } from '../organization/computer-tokens/computer-tokens.service.js';
import { ControlsService } from '../organization/controls/controls.service.js';
import { ComputerClosings } from './computer-closings.js';
import { type ComputerEntity, nameKey } from './computer.entity.js';
import {
  requireChangeable,
  requireOpen,
  requireOwnComputersAllowed,
  requireSupportedProvider,
  requireUsableName,
} from './computer-rules.js';
import { ComputersRepository } from './computers.repository.js';
import type { SessionComputer } from './session-computer.js';

export interface NewComputer {
  name: string;
  providerType?: ComputerEntity['providerType'];
  hostname?: string;
  remoteUser?: string;
}

export interface ComputerChanges {
  name?: string;
  remoteUser?: string;
}

@Injectable()
export class ComputersService {
  constructor(
    private readonly config: AppConfig,
    private readonly db: OrgDatabase,
    private readonly computers: ComputersRepository,
    private readonly tokens: ComputerTokensService,
    private readonly closings: ComputerClosings,
    private readonly controls: ControlsService,
    private readonly auditLog: AuditLogService,
    private readonly clock: Clock,
  ) {}

  list(caller: Principal): Promise<ComputerEntity[]> {
    return this.computers.list(caller.orgId);
  }

  async get(orgId: string, computerId: string, tx?: SqlTransaction): Promise<ComputerEntity> {
    const computer = isUuid(computerId) ? await this.computers.findById(orgId, computerId, tx) : null;
    if (!computer) throw new NotFoundError('computer', computerId);
    return computer;
  }

  async getUsable(tx: SqlTransaction, caller: Principal, computerId: string): Promise<ComputerEntity> {
    const computer = await this.get(caller.orgId, computerId, tx);
    requireOpen(computer, caller.userId);
    return computer;
  }

  /** The wanted computer, or else that of the session; null when it does not exist. */
  async findForSession(
    tx: SqlTransaction,
    orgId: string,
    sessionId: string,
    wanted: string | null,
  ): Promise<SessionComputer | null> {
    if (wanted !== null && !isUuid(wanted)) return null;
    return this.computers.findForSession(tx, orgId, sessionId, wanted);
  }

  async getByName(caller: Principal, name: string): Promise<ComputerEntity> {
    const computer = await this.computers.findByName(caller.orgId, name);
    if (!computer) throw new NotFoundError('computer', name);
    return computer;
  }

  /** It is private to the caller, and becomes active when its agent first connects. */
  async register(tx: SqlTransaction, caller: Principal, input: NewComputer): Promise<ComputerEntity> {
    requireUsableName(input.name);
    requireSupportedProvider(input.providerType ?? 'byom');
    requireOwnComputersAllowed(await this.controls.current(caller.orgId));
    await this.requireRoomFor(tx, caller.orgId, caller.userId);
    const now = this.clock.now();
    const at = now.getTime();
    const computer: ComputerEntity = {
      orgId: caller.orgId,
      id: newId(),
      name: input.name,
      nameKey: nameKey(input.name),
      providerType: 'byom',
      hostname: input.hostname ?? null,
      remoteUser: input.remoteUser ?? null,
      status: 'provisioning',
      provisioningSteps: [
        { id: 'create-computer', name: 'Creating computer', status: 'completed', startedAt: at, completedAt: at },
        { id: 'connect-agent', name: 'Connecting agent', status: 'pending' },
      ],
      registeredBy: caller.userId,
      access: 'private',
      trusted: false,
      createdAt: now,
    };
    await refuseTakenName(() => this.computers.insert(tx, computer));
    tx.notify('computer_changed', { orgId: caller.orgId, computerId: computer.id });
    this.audit(tx, caller, 'computer.registered', computer.id, undefined, auditedState(computer));
    return computer;
  }

  async requireRoomFor(tx: SqlTransaction, orgId: string, userId: string): Promise<void> {
    const { maxComputersPerUser } = this.config.bounds;
    await this.computers.lockUser(tx, orgId, userId); // serializes concurrent registrations
    if ((await this.computers.countOfUser(tx, orgId, userId)) < maxComputersPerUser) return;
    throw new ConflictError(`A user may have at most ${maxComputersPerUser} computers (MAX_COMPUTERS_PER_USER).`);
  }

  /** A change to the same values is not audited. */
  update(caller: Principal, computerId: string, changes: ComputerChanges): Promise<ComputerEntity> {
    if (changes.name !== undefined) requireUsableName(changes.name);
    return this.db.transaction(caller.orgId, async (tx) => {
      const computer = await this.getChangeable(tx, caller, computerId);
      const isSame =
        (changes.name ?? computer.name) === computer.name &&
        (changes.remoteUser ?? computer.remoteUser) === computer.remoteUser;
      if (isSame) return computer;
      const changed = {
        ...computer,
        name: changes.name ?? computer.name,
        nameKey: nameKey(changes.name ?? computer.name),
        remoteUser: changes.remoteUser ?? computer.remoteUser,
      };
      const { name, nameKey: key, remoteUser } = changed;
      await refuseTakenName(() =>
        this.computers.update(tx, caller.orgId, computerId, { name, nameKey: key, remoteUser }),
      );
      tx.notify('computer_changed', { orgId: caller.orgId, computerId });
      this.audit(tx, caller, 'computer.changed', computerId, auditedState(computer), auditedState(changed));
      return changed;
    });
  }

  /** Its sessions stay and can move to another computer; their queued turns end with an error. */
  async delete(caller: Principal, computerId: string): Promise<void> {
    await this.db.transaction(caller.orgId, async (tx) => {
      requireChangeable(caller, await this.get(caller.orgId, computerId, tx));
      await this.closings.lockWaiting(tx, caller.orgId, computerId);
      const computer = await this.getChangeable(tx, caller, computerId);
      if (await this.closings.hasRunning(tx, caller.orgId, computerId)) {
        throw new ConflictError('A turn is running on this computer; interrupt it or wait for its end.');
      }
      const reason = `The computer "${computer.name}" was deleted before this message was answered. Name another one in computerId.`;
      await this.closings.endWaiting(tx, { orgId: caller.orgId, computerId, exceptUserId: null, reason });
      tx.notify('computer_deleted', { orgId: caller.orgId, computerId }); // ahead of the token's end: it decides the close code
      await this.tokens.end(tx, caller.orgId, computerId);
      await this.computers.delete(tx, caller.orgId, computerId);
      this.audit(tx, caller, 'computer.deleted', computerId, auditedState(computer), undefined);
    });
  }

  private async getChangeable(tx: SqlTransaction, caller: Principal, computerId: string): Promise<ComputerEntity> {
    const computer = await this.computers.findForUpdate(tx, caller.orgId, computerId);
    if (!computer) throw new NotFoundError('computer', computerId);
    requireChangeable(caller, computer);
    return computer;
  }

  private audit(
    tx: SqlTransaction,
    caller: Principal,
    action: string,
    target: string,
    before: object | undefined,
    after: object | undefined,
  ): void {
    this.auditLog.record(tx, caller.orgId, caller, { action, target, before, after });
  }
}

async function refuseTakenName(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (isUniqueViolation(error)) throw new ConflictError('A computer with this name exists already.');
    throw error;
  }
}

function auditedState({ name, hostname, remoteUser }: ComputerEntity): object {
  return { name, hostname, remoteUser };
}
