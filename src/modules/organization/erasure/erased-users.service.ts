import { Injectable } from '@nestjs/common';
import { ConflictError, NotFoundError } from '../../../common/errors/domain-error.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { AuditLogRepository } from '../audit/audit-log.repository.js';
import { ControlsRepository } from '../controls/controls.repository.js';
import type { UserEntity } from '../users/user.entity.js';
import { UsersRepository } from '../users/users.repository.js';

/** Takes a person out of users, identities, the history of controls and the audit log. Needs the owner of the database. */
@Injectable()
export class ErasedUsersService {
  constructor(
    private readonly users: UsersRepository,
    private readonly controls: ControlsRepository,
    private readonly auditLog: AuditLogRepository,
  ) {}

  /** The user, locked; throws unless they were deactivated. */
  async getErasable(tx: SqlTransaction, orgId: string, userId: string): Promise<UserEntity> {
    const user = await this.users.findForUpdate(tx, orgId, userId);
    if (!user) throw new NotFoundError('user', userId);
    if (!user.deactivatedAt) throw new ConflictError('This user is active; deactivate them before they are erased.');
    return user;
  }

  async erase(tx: SqlTransaction, orgId: string, userId: string): Promise<void> {
    await this.users.erase(tx, orgId, userId);
    await this.users.eraseIdentities(tx, orgId, userId);
    await this.controls.eraseAuthor(tx, orgId, userId);
    await this.auditLog.eraseActor(tx, orgId, userId);
  }

  /** Changes the audited states that concern the user or contain one of the words, which are in lower case. */
  async mapAuditedStates(
    tx: SqlTransaction,
    orgId: string,
    userId: string,
    words: readonly string[],
    map: (value: unknown) => unknown,
  ): Promise<void> {
    for (const { id, before, after } of await this.auditLog.listMentions(tx, orgId, userId, words)) {
      const mapped = { before: map(before), after: map(after) };
      if (JSON.stringify(mapped) === JSON.stringify({ before, after })) continue;
      this.auditLog.updateStates(tx, orgId, { id, ...mapped });
    }
  }
}
