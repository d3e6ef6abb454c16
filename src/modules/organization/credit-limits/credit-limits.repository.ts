import { Injectable } from '@nestjs/common';
import { toExactInteger, type ExactInteger } from '../../../common/exact-json.js';
import { type Page, type PageRequest, toPage } from '../../../http/paging/paging.js';
import type { UtcMonth } from '../../../common/time/utc-month.js';
import { OrgDatabase } from '../../../database/org-database.js';
import { SqlParameters } from '../../../database/sql-parameters.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';

export interface MonthCredit {
  /** null: unlimited. */
  limitTokens: number | null;
  usedTokens: ExactInteger;
}

export interface UserMonthCredit extends MonthCredit {
  userId: string;
  email: string | null;
  createdAt: Date;
}

export interface UserLimit {
  userId: string;
  emailKey: string;
  limitTokens: number | null;
}

/** Every statement on credit limits. The tokens used in a month are counted by ingest. */
@Injectable()
export class CreditLimitsRepository {
  constructor(private readonly db: OrgDatabase) {}

  async findOfUser(orgId: string, userId: string, month: UtcMonth, tx?: SqlTransaction): Promise<MonthCredit> {
    const [usage] = await (tx ?? this.db.reader(orgId)).query<Stored<MonthCredit>>(
      `SELECT l.limit_tokens::float8 AS "limitTokens", coalesce(m.billable_tokens, 0) AS "usedTokens"
         FROM users u
         LEFT JOIN user_credit_limits l ON l.org_id = u.org_id AND l.user_id = u.id
         LEFT JOIN user_month_usage m ON m.org_id = u.org_id AND m.user_id = u.id AND m.month = $3::date
        WHERE u.org_id = $1 AND u.id = $2`,
      [orgId, userId, month.toString()],
      'month-usage',
    );
    return usage ? toExact(usage) : { limitTokens: null, usedTokens: 0 };
  }

  /** Active users, oldest first. */
  async listPage(orgId: string, page: PageRequest, month: UtcMonth): Promise<Page<UserMonthCredit>> {
    const p = new SqlParameters();
    const rows = await this.db.read<Stored<UserMonthCredit>>(
      orgId,
      `SELECT u.id AS "userId", u.email, u.created_at AS "createdAt", l.limit_tokens::float8 AS "limitTokens",
              coalesce(m.billable_tokens, 0) AS "usedTokens"
         FROM users u
         LEFT JOIN user_credit_limits l ON l.org_id = u.org_id AND l.user_id = u.id
         LEFT JOIN user_month_usage m
                ON m.org_id = u.org_id AND m.user_id = u.id AND m.month = ${p.add(month.toString())}::date
        WHERE u.org_id = ${p.add(orgId)} AND u.deactivated_at IS NULL
          ${p.behind(page.after, 'u.created_at, u.id', 'ascending')}
        ORDER BY u.created_at, u.id LIMIT ${p.add(page.limit + 1)}`,
      p.values,
    );
    return toPage(rows.map(toExact), page.limit, (row) => [row.createdAt.toISOString(), row.userId]);
  }

  /** Locks the users with these addresses. */
  listLimitsForUpdate(tx: SqlTransaction, orgId: string, emailKeys: string[]): Promise<UserLimit[]> {
    return tx.query(
      `SELECT u.id AS "userId", u.email_key AS "emailKey", l.limit_tokens::float8 AS "limitTokens"
         FROM users u LEFT JOIN user_credit_limits l ON l.org_id = u.org_id AND l.user_id = u.id
        WHERE u.org_id = $1 AND u.email_key = ANY ($2::text[]) AND u.deactivated_at IS NULL
        ORDER BY u.id FOR UPDATE OF u`,
      [orgId, emailKeys],
    );
  }

  upsertLimit(tx: SqlTransaction, orgId: string, userId: string, limit: number, at: Date): void {
    tx.enqueue(
      `INSERT INTO user_credit_limits (org_id, user_id, limit_tokens, updated_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (org_id, user_id) DO UPDATE
          SET limit_tokens = excluded.limit_tokens, updated_at = excluded.updated_at`,
      [orgId, userId, limit, at],
    );
  }

  deleteLimit(tx: SqlTransaction, orgId: string, userId: string): void {
    tx.enqueue(`DELETE FROM user_credit_limits l WHERE l.org_id = $1 AND l.user_id = $2`, [orgId, userId]);
  }
}

/** The driver returns a `bigint` as text. */
type Stored<T extends MonthCredit> = Omit<T, 'usedTokens'> & { usedTokens: string };

function toExact<T extends MonthCredit>(row: Stored<T>): T {
  return { ...row, usedTokens: toExactInteger(row.usedTokens) } as unknown as T;
}
