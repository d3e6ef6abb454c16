import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { SystemDatabase } from '../../database/system-database.js';
import { deleteKeptResponses, mapKeptResponses } from '../../idempotency/kept-responses.js';
import { StoredAddressesService } from '../analytics/erasure/stored-addresses.service.js';
import { ErasedComputersService } from '../computers/erased-computers.service.js';
import { type Actor, AuditLogService } from '../organization/audit/audit-log.service.js';
import { ErasedUsersService } from '../organization/erasure/erased-users.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { mentions, searchedWords, withoutPerson } from './erased-person.js';

/** Erases a person: name and address everywhere, and their sessions; figures stay under their id. */
@Injectable()
export class ErasureService {
  constructor(
    private readonly system: SystemDatabase,
    private readonly users: ErasedUsersService,
    private readonly computers: ErasedComputersService,
    private readonly sessions: SessionsService,
    private readonly addresses: StoredAddressesService,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Repeating it changes nothing, or completes an erasure that was interrupted. */
  async erase(orgId: string, actor: Actor, userId: string): Promise<void> {
    await this.system.transaction((tx) => this.users.getErasable(tx, orgId, userId));
    await this.sessions.deleteOfUser(orgId, userId);
    await this.addresses.erase(orgId, userId, () =>
      this.system.transaction((tx) => this.forget(tx, orgId, actor, userId)),
    );
  }

  private async forget(tx: SqlTransaction, orgId: string, actor: Actor, userId: string): Promise<void> {
    const user = await this.users.getErasable(tx, orgId, userId);
    await this.users.erase(tx, orgId, userId);
    await deleteKeptResponses(tx, orgId, userId);
    if (user.email === null) return; // erased before: the name and the address to look for are gone
    const words = searchedWords(user);
    const map = (value: unknown) => withoutPerson(value, user);
    await this.users.mapAuditedStates(tx, orgId, userId, words, map);
    await mapKeptResponses(tx, orgId, words, map);
    await this.computers.erase(tx, orgId, userId, (text) => mentions(text, user));
    this.auditLog.record(tx, orgId, actor, { action: 'user.erased', target: userId });
    tx.notify('credentials_changed', { orgId, userId });
  }
}
