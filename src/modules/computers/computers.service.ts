import { Injectable, Logger } from '@nestjs/common';
import { newId } from '../../common/new-id.js';
import type { Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { isUniqueViolation } from '../../common/errors/database-errors.js';
import { ConflictError, ForbiddenError, InvalidRequestError, NotFoundError } from '../../common/errors/domain-error.js';
import { Clock } from '../../common/time/clock.js';
import { isUuid } from '../../common/validation/predicates.js';
import { AppConfig } from '../../config/app-config.js';
import { OrgDatabase } from '../../database/org-database.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { AuditLogService } from '../organization/audit/audit-log.service.js';
import {
  ComputerTokensRepository,
  tokenCredential,
} from '../organization/computer-tokens/computer-tokens.repository.js';
import { ControlsService } from '../organization/controls/controls.service.js';
import { ComputerClosings } from './computer-closings.js';
import { ComputerEntity, isOpenTo, nameKey, type ProvisioningStep } from './computer.entity.js';
import { ComputersRepository, type SessionComputer } from './computers.repository.js';

export interface NewComputer {
  name: string;
  providerType?: ComputerEntity['providerType'];
  hostname?: string;
  remoteUser?: string;
}

/** What an agent says about itself when it connects. */
export interface AgentIntroduction {
  connectionId: string;
  hostname?: string;
  /** Why it cannot run sessions; absent: it can. */
  problem?: string;
}

export interface ComputerChanges {
  name?: string;
  remoteUser?: string;
}

/** The machines on which an organization's sessions run. */
@Injectable()
export class ComputersService {
  private readonly logger = new Logger('Computers');

  constructor(
    private readonly config: AppConfig,
    private readonly db: OrgDatabase,
    private readonly computers: ComputersRepository,
    private readonly tokens: ComputerTokensRepository,
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

  /** A computer on which this user may run sessions. */
  async getUsable(tx: SqlTransaction, caller: Principal, computerId: string): Promise<ComputerEntity> {
    const computer = await this.get(caller.orgId, computerId, tx);
    requireOpen(computer, caller.userId);
    return computer;
  }

  /** The wanted computer, or else that of the session; null when it does not exist, or no longer. */
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

  /** Adds a machine of the organization's own, private to the caller; it becomes active when its agent first connects. */
  async register(tx: SqlTransaction, caller: Principal, input: NewComputer): Promise<ComputerEntity> {
    requireUsableName(input.name);
    await this.requireProvider(caller, input.providerType ?? 'byom');
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
    this.audit(tx, caller, 'computer.registered', computer.id, undefined, auditedState(computer));
    return computer;
  }

  /** Throws when a user has as many computers as one may have. */
  async requireRoomFor(tx: SqlTransaction, orgId: string, userId: string): Promise<void> {
    const { maxComputersPerUser } = this.config.bounds;
    await this.computers.lockUser(tx, orgId, userId); // two at once are counted one after the other
    if ((await this.computers.countOfUser(tx, orgId, userId)) < maxComputersPerUser) return;
    throw new ConflictError(`A user may have at most ${maxComputersPerUser} computers (MAX_COMPUTERS_PER_USER).`);
  }

  /** What is as it was leaves no trace. */
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
      this.audit(tx, caller, 'computer.changed', computerId, auditedState(computer), auditedState(changed));
      return changed;
    });
  }

  /** Sessions of a deleted computer stay; they can be moved to another one. What waits in them ends with an error. */
  async delete(caller: Principal, computerId: string): Promise<void> {
    await this.db.transaction(caller.orgId, async (tx) => {
      requireChangeable(caller, await this.get(caller.orgId, computerId, tx));
      await this.closings.lockWaiting(tx, caller.orgId, computerId);
      const computer = await this.getChangeable(tx, caller, computerId);
      if (await this.computers.isRunningTurn(tx, caller.orgId, computerId)) {
        throw new ConflictError('A turn is running on this computer; interrupt it or wait for its end.');
      }
      const reason = `The computer "${computer.name}" was deleted before this message was answered. Name another one in computerId.`;
      await this.closings.endWaiting(tx, { orgId: caller.orgId, computerId, exceptUserId: null, reason });
      const ended = await this.tokens.deleteOfComputer(tx, caller.orgId, computerId);
      await this.computers.delete(tx, caller.orgId, computerId);
      tx.notify('computer_deleted', { orgId: caller.orgId, computerId });
      if (ended) {
        const credentialId = tokenCredential(ended.id);
        tx.notify('credentials_changed', { orgId: caller.orgId, userId: ended.userId, credentialId });
      }
      this.audit(tx, caller, 'computer.deleted', computerId, auditedState(computer), undefined);
    });
  }

  /** Throws unless the caller may connect as the agent of this computer: the user who registered it, or its token. */
  async requireAgent(caller: Principal, computerId: string, tx?: SqlTransaction): Promise<void> {
    this.requireSpeaker(caller, await this.get(caller.orgId, computerId, tx));
    await this.requireProvider(caller, 'byom');
  }

  /** From now on this connection speaks for the computer; the one before is told to go. */
  connectAgent(caller: Principal, computerId: string, agent: AgentIntroduction): Promise<ComputerEntity> {
    return this.db.transaction(caller.orgId, async (tx) => {
      const computer = await this.computers.findForUpdate(tx, caller.orgId, computerId);
      if (!computer) throw new NotFoundError('computer', computerId);
      this.requireSpeaker(caller, computer);
      const connected: ComputerEntity = {
        ...computer,
        status: agent.problem === undefined ? 'active' : 'error',
        provisioningSteps: computer.provisioningSteps.map((step) =>
          step.id === 'connect-agent' ? connectStep(step, agent.problem, this.clock.now().getTime()) : step,
        ),
        hostname: agent.hostname ?? computer.hostname,
      };
      const { connectionId } = agent;
      this.computers.updateAgent(tx, connected, connectionId);
      tx.notify('agent_connected', { orgId: caller.orgId, computerId, connectionId });
      return connected;
    });
  }

  /** The connection that speaks for a computer; null when there never was one. */
  findAgentConnection(orgId: string, computerId: string): Promise<string | null> {
    return this.computers.findAgentConnection(orgId, computerId);
  }

  /** Says so in the log too: until access was decided per computer, owners and managers could connect as any agent. */
  private requireSpeaker(caller: Principal, { id, name, registeredBy }: ComputerEntity): void {
    if (caller.computerId !== undefined && caller.computerId !== id) {
      throw new ForbiddenError('This token speaks for another computer.');
    }
    if (registeredBy === caller.userId) return;
    this.logger.warn(
      `Computer ${id}: the agent of user ${caller.userId} was refused; user ${registeredBy} registered it.`,
    );
    throw new ForbiddenError(
      `Only the user who registered the computer "${name}" may connect as its agent. ` +
        'Choose another name, or let an owner give it to you.',
    );
  }

  private async requireProvider(caller: Principal, provider: ComputerEntity['providerType']): Promise<void> {
    if (provider === 'managed') {
      throw InvalidRequestError.ofField(
        'providerType',
        'managed computers need a provider, and none is built in; use byom',
      );
    }
    if ((await this.controls.current(caller.orgId)).byomComputersEnabled === false) {
      throw new ForbiddenError(
        'The policy byomComputersEnabled does not allow to add or connect computers of your own.',
      );
    }
  }

  /** Owners and managers may change any computer, members those that they registered. */
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

/** Throws when the computer is private to somebody else. */
export function requireOpen(computer: Pick<ComputerEntity, 'name' | 'access' | 'registeredBy'>, userId: string): void {
  if (isOpenTo(computer, userId)) return;
  throw new ForbiddenError(
    `The computer "${computer.name}" is private to the user who registered it. They, or an owner, can share it.`,
  );
}

function requireChangeable(caller: Principal, computer: ComputerEntity): void {
  if (caller.role === Role.Member && computer.registeredBy !== caller.userId) {
    throw new ForbiddenError('Members may change only computers that they registered.');
  }
}

/** These two are directions in a path, not names. */
function requireUsableName(name: string): void {
  if (name === '.' || name === '..') throw InvalidRequestError.ofField('name', 'must not be "." or ".."');
}

/** The step after an agent has connected: done, or failed with the reason. */
function connectStep(step: ProvisioningStep, problem: string | undefined, at: number): ProvisioningStep {
  const { id, name } = step;
  const startedAt = step.startedAt ?? at;
  if (problem !== undefined) return { id, name, status: 'failed', error: problem, startedAt };
  return { id, name, status: 'completed', startedAt, completedAt: step.completedAt ?? at };
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
