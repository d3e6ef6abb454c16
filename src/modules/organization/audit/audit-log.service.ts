import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import type { Page, PageRequest } from '../../../http/paging/paging.js';
import { requestContext } from '../../../common/request-context.js';
import { Clock } from '../../../common/time/clock.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { AuditLogRepository, type StoredAuditEntry } from './audit-log.repository.js';

export interface AdministrativeChange {
  /** `<what>.<verb>`, such as `user.changed`. */
  action: string;
  target: string;
  before?: object;
  after?: object;
}

/** Who makes a change; null: an operator at the command line. */
export type Actor = Pick<Principal, 'userId' | 'email'> | null;

/** Records who changed what, in the transaction of the change. */
@Injectable()
export class AuditLogService {
  constructor(
    private readonly entries: AuditLogRepository,
    private readonly clock: Clock,
  ) {}

  list(caller: Principal, page: PageRequest): Promise<Page<StoredAuditEntry>> {
    return this.entries.listPage(caller.orgId, page);
  }

  record(tx: SqlTransaction, orgId: string, actor: Actor, change: AdministrativeChange): void {
    this.entries.insert(tx, orgId, {
      at: this.clock.now(),
      actorId: actor?.userId ?? null,
      actorEmail: actor?.email ?? null,
      action: change.action,
      target: change.target,
      before: change.before ?? null,
      after: change.after ?? null,
      requestId: requestContext.getStore()?.requestId ?? null,
    });
  }
}
