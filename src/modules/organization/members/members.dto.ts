import { ApiProperty } from '@nestjs/swagger';
import { ALL_ROLES, type Role } from '../../../common/access/role.enum.js';
import { isUuid } from '../../../common/validation/predicates.js';
import { Matches, OneOf, Optional, TextLength } from '../../../common/validation/rules.js';
import { PageQuery, Pagination } from '../../../http/paging/paging.dto.js';
import { type Page, type PageRequest, toPagination } from '../../../http/paging/paging.js';
import { toUserDetailResponse, UserDetailResponse } from '../users/users.dto.js';
import { type Member, NO_TEAM } from './members.repository.js';

const STATES = ['active', 'deactivated'] as const;
const MAX_IDS = 100;

/** Which members to list; filters are combined. */
export class ListMembersQuery extends PageQuery {
  /**
   * Only those whose name or e-mail address contains this, in any letter case; 1 to 200 characters.
   * @example "ada"
   */
  @Optional()
  @TextLength(1, 200)
  search?: string;

  /**
   * Only those with this role.
   * @example "member"
   */
  @Optional()
  @OneOf(ALL_ROLES)
  role?: Role;

  /**
   * Only those in this state; both when left out.
   * @example "active"
   */
  @Optional()
  @OneOf(STATES)
  state?: 'active' | 'deactivated';

  /**
   * Only those who are in this team today: its id, or `none` for those who are in no team.
   * @example "none"
   */
  @Optional()
  @Matches((value) => value === NO_TEAM || isUuid(value), {
    message: `must be the id of a team, or ${NO_TEAM}`,
    schema: { maxLength: 36 },
  })
  team?: string;

  /**
   * Only these users: their ids, 1 to 100, with commas between them.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  @Optional()
  @Matches((value) => typeof value === 'string' && isIdList(value.split(',')), {
    message: `must be the UUIDs of 1 to ${MAX_IDS} users with commas between them`,
    schema: { maxLength: 37 * MAX_IDS },
  })
  ids?: string;
}

function isIdList(ids: readonly string[]): boolean {
  return ids.length <= MAX_IDS && ids.every(isUuid);
}

/** The team of a member. */
export class MemberTeam {
  /**
   * Team id.
   * @example "01980f62-2b7f-7c10-9a3e-1d2c3b4a5f60"
   */
  id: string;

  /**
   * Name of the team.
   * @example "Backend"
   */
  name: string;
}

/** A user of the organization with role, state and team. */
export class MemberResponse extends UserDetailResponse {
  /** The team of today (UTC); null when there is none. */
  @ApiProperty({ type: () => MemberTeam, nullable: true })
  team: MemberTeam | null;
}

/** A page of members. */
export class MembersResponse {
  /** The members, oldest first. */
  members: MemberResponse[];

  /** Whether and how the list goes on. */
  pagination: Pagination;
}

export function toMembersResponse(page: Page<Member>, request: PageRequest): MembersResponse {
  return {
    members: page.items.map(({ user, team }) => ({ ...toUserDetailResponse(user), team })),
    pagination: toPagination(page, request),
  };
}
