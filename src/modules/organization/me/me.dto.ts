import { ApiProperty } from '@nestjs/swagger';
import type { ExactInteger } from '../../../common/exact-json.js';
import { Role } from '../../../common/access/role.enum.js';
import { toUserResponse, UserResponse } from '../users/users.dto.js';
import type { Me } from './me.service.js';

/** The organization of the caller. */
export class MyOrganization {
  /**
   * Organization id.
   * @example "01980f5d-0000-7c3b-8d0e-0a4f3b1c2d00"
   */
  id: string;

  /**
   * Name of the organization.
   * @example "My organization"
   */
  name: string;

  /**
   * Whether it is the demo: its people and figures are invented.
   * @example false
   */
  demo: boolean;
}

/** The credit limit of the caller and what is used of it. */
export class MyUsage {
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

/** Who the caller is. */
export class MeResponse {
  /** The user to whom the credential belongs. */
  user: UserResponse;

  /**
   * What the caller may do.
   * @example "owner"
   */
  role: Role;

  /** The organization of the caller. */
  organization: MyOrganization;

  /** Credit limit and usage of this month. */
  usage: MyUsage;
}

export function toMeResponse({ user, organization, usage, resetsAt }: Me): MeResponse {
  return {
    user: toUserResponse(user),
    role: user.role,
    organization: { id: organization.id, name: organization.name, demo: organization.isDemo },
    usage: { limit: usage.limitTokens, used: usage.usedTokens, resetsAt: resetsAt.toISOString() },
  };
}
