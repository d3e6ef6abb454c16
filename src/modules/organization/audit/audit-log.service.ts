import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import type { Page, PageRequest, Position } from '../../../http/paging/paging.js';
import { requestContext } from '../../../common/request-context.js';
import { Clock } from '../../../common/time/clock.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { type AuditFilter, AuditLogRepository, type StoredAuditEntry } from './audit-log.repository.js';

const BATCH = 500;

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

  list(caller: Principal, filter: AuditFilter, page: PageRequest): Promise<Page<StoredAuditEntry>> {
    return this.entries.listPage(caller.orgId, filter, page);
  }

  /** All entries, newest first, a batch at a time; what is added meanwhile is newer, and not among them. */
  async *listAll({ orgId }: Principal, filter: AuditFilter): AsyncGenerator<StoredAuditEntry[]> {
    for (let after: Position | null = null; ;) {
      const page: Page<StoredAuditEntry> = await this.entries.listPage(orgId, filter, { limit: BATCH, after });
      yield page.items;
      if (page.next === null) return;
      after = page.next;
    }
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
