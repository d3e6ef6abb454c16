import { Injectable } from '@nestjs/common';
import type { UtcMonth } from '../../../common/time/utc-month.js';
import { OrgDatabase } from '../../../database/org-database.js';

export interface MonthUsage {
  /** null: unlimited. */
  limitTokens: number | null;
  usedTokens: number;
}

/** Credit limits and what was used of them, one counter per user and month. */
@Injectable()
export class UsageRepository {
  constructor(private readonly db: OrgDatabase) {}

  async findOfUser(orgId: string, userId: string, month: UtcMonth): Promise<MonthUsage> {
    const [usage] = await this.db.read<MonthUsage>(
      orgId,
      `SELECT l.limit_tokens::float8 AS "limitTokens", coalesce(m.billable_tokens, 0)::float8 AS "usedTokens"
         FROM users u
         LEFT JOIN user_credit_limits l ON l.org_id = u.org_id AND l.user_id = u.id
         LEFT JOIN user_month_usage m ON m.org_id = u.org_id AND m.user_id = u.id AND m.month = $3::date
        WHERE u.org_id = $1 AND u.id = $2`,
      [orgId, userId, month.toString()],
    );
    return usage ?? { limitTokens: null, usedTokens: 0 };
  }
}
