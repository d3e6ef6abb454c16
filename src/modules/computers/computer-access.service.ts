import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { ConflictError, ForbiddenError, NotFoundError } from '../../common/errors/domain-error.js';
import { OrgDatabase } from '../../database/org-database.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { AuditLogService } from '../organization/audit/audit-log.service.js';
import { ComputerTokensService } from '../organization/computer-tokens/computer-tokens.service.js';
import { ComputerAgentsService } from './computer-agents.service.js';
import { ComputerClosings } from './computer-closings.js';
import type { ComputerEntity } from './computer.entity.js';
import { ComputersRepository } from './computers.repository.js';
import { ComputersService } from './computers.service.js';

export type ComputerAccess = Pick<ComputerEntity, 'access' | 'trusted' | 'registeredBy'>;

@Injectable()
export class ComputerAccessService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly computers: ComputersService,
    private readonly agents: ComputerAgentsService,
    private readonly rows: ComputersRepository,
    private readonly tokens: ComputerTokensService,
    private readonly closings: ComputerClosings,
    private readonly auditLog: AuditLogService,
  ) {}

  /** A field that is left out stays; sending an unchanged value needs no right to change it. */
  change(caller: Principal, computerId: string, change: Partial<ComputerAccess>): Promise<ComputerEntity> {
    return this.db.transaction(caller.orgId, async (tx) => {
      requireRight(caller, await this.computers.get(caller.orgId, computerId, tx), change);
      await this.closings.lockWaiting(tx, caller.orgId, computerId);
      const computer = await this.rows.findForUpdate(tx, caller.orgId, computerId);
      if (!computer) throw new NotFoundError('computer', computerId);
      requireRight(caller, computer, change);
      const changed = { ...computer, ...withoutUndefined(change) };
      const [before, after] = [accessOf(computer), accessOf(changed)];
      if (JSON.stringify(before) === JSON.stringify(after)) return computer;
      if (after.registeredBy !== before.registeredBy) await this.handOver(tx, computer, after.registeredBy);
      await this.rows.update(tx, caller.orgId, computerId, after);
      if (after.access === 'private') await this.close(tx, changed);
      tx.notify('computer_changed', { orgId: caller.orgId, computerId });
      this.auditLog.record(tx, caller.orgId, caller, {
        action: 'computer.access_changed',
        target: computerId,
        before,
        after,
      });
      return changed;
    });
  }

  /** A new token for the computer's agent, shown only here; the one before ends. */
  async issueToken(tx: SqlTransaction, caller: Principal, computerId: string): Promise<string> {
    const { orgId, userId } = caller;
    await this.rows.findForUpdate(tx, orgId, computerId);
    await this.agents.requireAgent(caller, computerId, tx);
    await this.requireActive(tx, orgId, userId);
    const { token, ...after } = await this.tokens.issue(tx, { orgId, computerId, userId });
    this.auditLog.record(tx, orgId, caller, { action: 'computer_token.created', target: computerId, after });
    return token;
  }

  private async handOver(tx: SqlTransaction, { orgId, id }: ComputerEntity, userId: string): Promise<void> {
    await this.requireActive(tx, orgId, userId);
    await this.computers.requireRoomFor(tx, orgId, userId);
    await this.tokens.end(tx, orgId, id);
    this.rows.forgetAgent(tx, orgId, id);
    tx.notify('computer_handed_over', { orgId, computerId: id });
  }

  private async requireActive(tx: SqlTransaction, orgId: string, userId: string): Promise<void> {
    const user = await this.rows.lockUser(tx, orgId, userId);
    if (!user) throw new NotFoundError('user', userId);
    if (user.isActive && user.role !== Role.Guest) return;
    throw new ConflictError('A computer cannot belong to a user who is deactivated or a guest.');
  }

  private close(tx: SqlTransaction, { orgId, id, name, registeredBy }: ComputerEntity): Promise<void> {
    return this.closings.endWaiting(tx, {
      orgId,
      computerId: id,
      exceptUserId: registeredBy,
      reason: `The computer "${name}" became private before this message was answered. Name another one in computerId.`,
    });
  }
}

function requireRight(caller: Principal, computer: ComputerEntity, change: Partial<ComputerAccess>): void {
  if (caller.role === Role.Owner) return;
  const isChanged = (field: keyof ComputerAccess) => change[field] !== undefined && change[field] !== computer[field];
  if (isChanged('trusted') || isChanged('registeredBy')) {
    throw new ForbiddenError('Only an owner may say whether a computer is trusted, and whose it is.');
  }
  if (isChanged('access') && computer.registeredBy !== caller.userId) {
    throw new ForbiddenError('Only the user who registered a computer, or an owner, may say who uses it.');
  }
}

function accessOf({ access, trusted, registeredBy }: ComputerEntity): ComputerAccess {
  return { access, trusted, registeredBy };
}

function withoutUndefined({ access, trusted, registeredBy }: Partial<ComputerAccess>): Partial<ComputerAccess> {
  return {
    ...(access === undefined ? {} : { access }),
    ...(trusted === undefined ? {} : { trusted }),
    ...(registeredBy === undefined ? {} : { registeredBy }),
  };
}
