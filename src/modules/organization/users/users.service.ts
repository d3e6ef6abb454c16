import { Injectable } from '@nestjs/common';
import { newId } from '../../../common/new-id.js';
import type { Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { isUniqueViolation } from '../../../common/errors/database-errors.js';
import { ConflictError, NotFoundError } from '../../../common/errors/domain-error.js';
import type { Page, PageRequest } from '../../../http/paging/paging.js';
import { Clock } from '../../../common/time/clock.js';
import { OrgDatabase } from '../../../database/org-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';
import { type Actor, AuditLogService } from '../audit/audit-log.service.js';
import { ComputerTokensRepository } from '../computer-tokens/computer-tokens.repository.js';
import { ConsoleSessionsRepository } from '../console-sessions/console-sessions.repository.js';
import { SignInLinksRepository } from '../console-sessions/sign-in-links.repository.js';
import { ControlsService } from '../controls/controls.service.js';
import { emailKey, UserEntity } from './user.entity.js';
import { UsersRepository } from './users.repository.js';

export interface NewUser {
  email: string;
  role: Role;
  firstName?: string;
  lastName?: string;
}

export interface UserChanges {
  role?: Role;
  state?: 'active';
}

/** The users of an organization and their roles. An organization always has an owner. */
@Injectable()
export class UsersService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly users: UsersRepository,
    private readonly apiKeys: ApiKeysRepository,
    private readonly computerTokens: ComputerTokensRepository,
    private readonly consoleSessions: ConsoleSessionsRepository,
    private readonly signInLinks: SignInLinksRepository,
    private readonly controls: ControlsService,
    private readonly auditLog: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /** A member sees only themselves where `restrictMemberVisibility` is set. */
  async list(caller: Principal, page: PageRequest): Promise<Page<UserEntity>> {
    return this.users.listPage(caller.orgId, page, (await this.seesOnlyThemselves(caller)) ? caller.userId : null);
  }

  async get(caller: Principal, userId: string): Promise<UserEntity> {
    const isHidden = userId !== caller.userId && (await this.seesOnlyThemselves(caller));
    const user = isHidden ? null : await this.users.findById(caller.orgId, userId);
    if (!user) throw new NotFoundError('user', userId);
    return user;
  }

  findByEmail(orgId: string, email: string): Promise<UserEntity | null> {
    return this.users.findByEmail(orgId, email);
  }

  async getByEmail(orgId: string, email: string): Promise<UserEntity> {
    const user = await this.users.findByEmail(orgId, email);
    if (!user) throw new NotFoundError('user', email);
    return user;
  }

  async getFirstOwner(orgId: string): Promise<UserEntity> {
    const owner = await this.users.findFirstOwner(orgId);
    if (!owner) throw new NotFoundError('owner of the organization', orgId);
    return owner;
  }

  /** `actor` null: a first sign-in, or an operator. */
  async create(
    tx: SqlTransaction,
    orgId: string,
    actor: Actor,
    input: NewUser,
    createdAt = this.clock.now(),
  ): Promise<UserEntity> {
    const user: UserEntity = {
      orgId,
      id: newId(),
      email: input.email,
      emailKey: emailKey(input.email),
      role: input.role,
      firstName: input.firstName ?? '',
      lastName: input.lastName ?? '',
      metadata: {},
      createdAt,
      deactivatedAt: null,
      lastSignInAt: null,
      teamClaim: null,
      teamClaimedAt: null,
    };
    try {
      await this.users.insert(tx, user);
    } catch (error) {
      if (isUniqueViolation(error)) throw new ConflictError('A user with this e-mail address exists already.');
      throw error;
    }
    const after = { email: user.email, role: user.role };
    this.auditLog.record(tx, orgId, actor, { action: 'user.created', target: user.id, after });
    return user;
  }

  update(orgId: string, actor: Actor, userId: string, changes: UserChanges): Promise<UserEntity> {
    return this.change(orgId, actor, userId, 'user.changed', async (tx, user, owners) => {
      if (user.email === null) throw new ConflictError('This user was erased.');
      const role = changes.role ?? user.role;
      if (role !== Role.Owner) requireAnotherOwner(owners, userId);
      const deactivatedAt = changes.state === 'active' ? null : user.deactivatedAt;
      await this.users.update(tx, orgId, userId, { role, deactivatedAt });
      return { ...user, role, deactivatedAt };
    });
  }

  /** Deletes the user's API keys, computer tokens and console sessions; their SSO tokens are refused. Repeatable. */
  async deactivate(orgId: string, actor: Actor, userId: string): Promise<void> {
    await this.change(orgId, actor, userId, 'user.deactivated', async (tx, user, owners) => {
      requireAnotherOwner(owners, userId);
      await this.apiKeys.deleteOfUser(tx, orgId, userId);
      await this.computerTokens.deleteOfUser(tx, orgId, userId);
      await this.consoleSessions.deleteOthers(tx, orgId, userId, null);
      this.signInLinks.deleteOfUser(tx, orgId, userId);
      const deactivatedAt = user.deactivatedAt ?? this.clock.now();
      await this.users.update(tx, orgId, userId, { deactivatedAt });
      return { ...user, deactivatedAt };
    });
  }

  private async seesOnlyThemselves(caller: Principal): Promise<boolean> {
    return caller.role === Role.Member && (await this.controls.current(caller.orgId)).restrictMemberVisibility === true;
  }

  private change(
    orgId: string,
    actor: Actor,
    userId: string,
    action: string,
    work: (tx: SqlTransaction, user: UserEntity, owners: string[]) => Promise<UserEntity>,
  ): Promise<UserEntity> {
    return this.db.transaction(orgId, async (tx) => {
      // Owners are locked before the user, always in this order, against deadlocks.
      const owners = await this.users.listOwnersForUpdate(tx, orgId);
      const user = await this.users.findForUpdate(tx, orgId, userId);
      if (!user) throw new NotFoundError('user', userId);
      const changed = await work(tx, user, owners);
      const [before, after] = [auditedState(user), auditedState(changed)];
      this.auditLog.record(tx, orgId, actor, { action, target: userId, before, after });
      tx.notify('credentials_changed', { orgId, userId });
      return changed;
    });
  }
}

function auditedState({ role, deactivatedAt }: UserEntity): object {
  return { role, state: deactivatedAt ? 'deactivated' : 'active' };
}

function requireAnotherOwner(owners: string[], userId: string): void {
  if (owners.length === 1 && owners[0] === userId) {
    throw new ConflictError('This is the last owner of the organization; make somebody else an owner first.');
  }
}
