import { ApiProperty } from '@nestjs/swagger';
import type { ExactInteger } from '../../../common/exact-json.js';
import { Pagination } from '../../../http/paging/paging.dto.js';
import { type Page, type PageRequest, toPagination } from '../../../http/paging/paging.js';
import { Matches, NestedList } from '../../../common/validation/rules.js';
import type { UserMonthCredit } from './credit-limits.repository.js';

/** The limit of one user. */
export class UserLimitEntry {
  /**
   * E-mail address of the user, in any letter case.
   * @example "ada@example.com"
   */
  @Matches((value) => typeof value === 'string', { message: 'must be a string', schema: { format: 'email' } })
  email: string;

  /**
   * Billable tokens per calendar month (UTC), 0 to 2^53-1. 0 blocks; null takes the limit away.
   * @example 5000000
   */
  @Matches((value) => value === null || typeof value === 'number', {
    message: 'must be an integer or null',
    schema: { type: 'integer', nullable: true, minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  })
  limit: number | null;
}

/** Limits to set. */
export class SetUserLimitsRequest {
  /** One entry per user, 1 to 100. */
  @NestedList(() => UserLimitEntry, 1, 100)
  users: UserLimitEntry[];
}

/** A limit that was set, with the address as it was sent. */
export class UpdatedUserLimit {
  /**
   * E-mail address as it was sent.
   * @example "ada@example.com"
   */
  email: string;

  /**
   * The limit; null when it was taken away.
   * @example 5000000
   */
  @ApiProperty({ type: 'integer', nullable: true })
  limit: number | null;
}

/** A limit that was not set. */
export class UserLimitError {
  /**
   * E-mail address as it was sent.
   * @example "nobody@example.com"
   */
  email: string;

  /**
   * Why not.
   * @example "There is no user with this e-mail address."
   */
  error: string;
}

/** What became of the limits. */
export class SetUserLimitsResponse {
  /** The limits that were set. */
  updated: UpdatedUserLimit[];

  /** Those that were not, and why. */
  errors: UserLimitError[];
}

/** Limit and usage of one user. */
export class UserUsageResponse {
  /**
   * User id.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  userId: string;

  /**
   * E-mail address.
   * @example "ada@example.com"
   */
  email: string;

  /**
   * Billable tokens per calendar month (UTC); null when there is no limit.
   * @example 5000000
   */
  limit: number | null;

  /**
   * Billable tokens used this month.
   * @example 1250000
   */
  @ApiProperty({ type: 'number' })
  used: ExactInteger;

  /**
   * When the month ends and the count starts again, ISO 8601.
   * @example "2026-12-01T00:00:00.000Z"
   */
  resetsAt: string;
}

/** A page of users with their limits. */
export class UsageResponse {
  /** The users, oldest first. */
  users: UserUsageResponse[];

  /** Whether and how the list goes on. */
  pagination: Pagination;
}

export function toUsageResponse(page: Page<UserMonthCredit>, resetsAt: Date, request: PageRequest): UsageResponse {
  return {
    users: page.items.map((user) => ({
      userId: user.userId,
      email: user.email ?? '',
      limit: user.limitTokens,
      used: user.usedTokens,
      resetsAt: resetsAt.toISOString(),
    })),
    pagination: toPagination(page, request),
  };
}
