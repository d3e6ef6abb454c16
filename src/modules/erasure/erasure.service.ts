import { Injectable } from '@nestjs/common';
import { ConflictError, NotFoundError } from '../../common/errors/domain-error.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { SystemDatabase } from '../../database/system-database.js';
import { StoredAddressesService } from '../analytics/erasure/stored-addresses.service.js';
import { type Actor, AuditLogService } from '../organization/audit/audit-log.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { mentions, withoutPerson } from './erased-person.js';
import { type ErasableUser, ErasureRepository, type StoredComputer } from './erasure.repository.js';

/** Forgets a person: name and address are gone everywhere, what they said is deleted, their figures stay under their id. */
@Injectable()
export class ErasureService {
  constructor(
    private readonly system: SystemDatabase,
    private readonly erasure: ErasureRepository,
    private readonly sessions: SessionsService,
    private readonly addresses: StoredAddressesService,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Repeating it changes nothing; what an interrupted one left undone is done then. */
  async erase(orgId: string, actor: Actor, userId: string): Promise<void> {
    await this.system.transaction((tx) => this.getErasable(tx, orgId, userId));
    await this.sessions.deleteOfUser(orgId, userId);
    await this.addresses.erase(orgId, userId, () =>
      this.system.transaction((tx) => this.forget(tx, orgId, actor, userId)),
    );
  }

  private async forget(tx: SqlTransaction, orgId: string, actor: Actor, userId: string): Promise<void> {
    const user = await this.getErasable(tx, orgId, userId);
    await this.erasure.eraseUser(tx, orgId, userId);
    await this.erasure.eraseIdentities(tx, orgId, userId);
    if (user.email === null) return; // done before: nobody knows any more what to look for
    const map = (value: unknown) => withoutPerson(value, user);
    await this.erasure.mapAuditEntries(tx, orgId, user, map);
    await this.erasure.mapKeptAnswers(tx, orgId, user, map);
    for (const computer of await this.erasure.listComputers(tx, orgId, userId)) {
      const { name, hostname, remoteUser } = computer;
      if (![name, hostname, remoteUser].some((text) => mentions(text, user))) continue;
      this.erasure.updateComputer(tx, orgId, withoutOwner(computer, user));
    }
    this.auditLog.record(tx, orgId, actor, { action: 'user.erased', target: userId });
    tx.notify('credentials_changed', { orgId, userId });
  }

  private async getErasable(tx: SqlTransaction, orgId: string, userId: string): Promise<ErasableUser> {
    const user = await this.erasure.findUserForUpdate(tx, orgId, userId);
    if (!user) throw new NotFoundError('user', userId);
    if (!user.deactivatedAt) throw new ConflictError('This user is active; deactivate them before they are erased.');
    return user;
  }
}

/** A computer keeps its place; a name that tells whose it was becomes a neutral one. */
function withoutOwner(computer: StoredComputer, user: ErasableUser): StoredComputer {
  const unless = (text: string | null) => (mentions(text, user) ? null : text);
  return {
    id: computer.id,
    name: unless(computer.name) ?? `computer-${computer.id}`,
    hostname: unless(computer.hostname),
    remoteUser: unless(computer.remoteUser),
  };
}
