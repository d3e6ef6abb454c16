import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import type { Page, PageRequest } from '../../../http/paging/paging.js';
import { Clock } from '../../../common/time/clock.js';
import { UtcMonth } from '../../../common/time/utc-month.js';
import { isEmailAddress } from '../../../common/validation/email-address.js';
import { isWholeNumber } from '../../../common/validation/predicates.js';
import { OrgDatabase } from '../../../database/org-database.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { emailKey } from '../users/user.entity.js';
import { type UserLimit, type UserMonthCredit, CreditLimitsRepository } from './credit-limits.repository.js';

export interface LimitEntry {
  email: string;
  /** Billable tokens per month; null takes the limit away. */
  limit: number | null;
}

export interface LimitChanges {
  updated: LimitEntry[];
  errors: { email: string; error: string }[];
}

/** Credit limits: how many billable tokens a user may use in a calendar month (UTC). */
@Injectable()
export class CreditLimitsService {
  constructor(
    private readonly db: OrgDatabase,
    private readonly limits: CreditLimitsRepository,
    private readonly auditLog: AuditLogService,
    private readonly clock: Clock,
  ) {}

  async list(caller: Principal, page: PageRequest): Promise<{ page: Page<UserMonthCredit>; resetsAt: Date }> {
    const month = UtcMonth.of(this.clock.now());
    return { page: await this.limits.listPage(caller.orgId, page, month), resetsAt: month.endsAt() };
  }

  async requireCredit(tx: SqlTransaction, caller: Principal): Promise<void> {
    const month = UtcMonth.of(this.clock.now());
    const { limitTokens, usedTokens } = await this.limits.findOfUser(caller.orgId, caller.userId, month, tx);
    if (limitTokens === null || usedTokens < limitTokens) return;
    throw new DomainError(
      'credit_limit_reached',
      `The credit limit of ${limitTokens} tokens a month is reached: ${usedTokens} are used. ` +
        `It resets at ${month.endsAt().toISOString()}.`,
    );
  }

  /** Sets the valid entries and reports the others. */
  setLimits(caller: Principal, entries: LimitEntry[]): Promise<LimitChanges> {
    return this.db.transaction(caller.orgId, async (tx) => {
      const keys = entries.map(({ email }) => emailKey(email));
      const found = await this.limits.listLimitsForUpdate(tx, caller.orgId, keys);
      const users = new Map(found.map((user) => [user.emailKey, user]));
      const changes: LimitChanges = { updated: [], errors: [] };
      for (const [i, entry] of entries.entries()) {
        const isRepeated = keys.indexOf(emailKey(entry.email)) < i;
        const user = users.get(emailKey(entry.email));
        const error = isRepeated ? 'This e-mail address is mentioned more than once.' : problemWith(entry, user);
        if (error !== null || !user) {
          changes.errors.push({ email: entry.email, error: error ?? '' });
          continue;
        }
        this.setLimit(tx, caller, user, entry.limit);
        changes.updated.push({ email: entry.email, limit: entry.limit });
      }
      return changes;
    });
  }

  private setLimit(tx: SqlTransaction, caller: Principal, user: UserLimit, limit: number | null): void {
    if (limit === null) this.limits.deleteLimit(tx, caller.orgId, user.userId);
    else this.limits.upsertLimit(tx, caller.orgId, user.userId, limit, this.clock.now());
    this.auditLog.record(tx, caller.orgId, caller, {
      action: 'user.credit_limit_changed',
      target: user.userId,
      before: { limit: user.limitTokens },
      after: { limit },
    });
  }
}

function problemWith({ email, limit }: LimitEntry, user: UserLimit | undefined): string | null {
  if (!isEmailAddress(email)) return 'This is not an e-mail address.';
  if (limit !== null && !isWholeNumber(limit, 0, Number.MAX_SAFE_INTEGER)) {
    return `The limit must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, or null.`;
  }
  return user ? null : 'There is no user with this e-mail address.';
}
