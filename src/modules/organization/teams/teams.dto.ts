import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { BodyLimit } from '../../../common/validation/body-reader.js';
import { isList } from '../../../common/validation/predicates.js';
import { Matches } from '../../../common/validation/rules.js';
import { Pagination } from '../../../http/paging/paging.dto.js';
import { type Page, type PageRequest, toPagination } from '../../../http/paging/paging.js';
import { MAX_MEMBERSHIPS } from './membership.js';
import { isTeamName, MAX_NAME_LENGTH, NAME_RULE } from './team.js';
import type { TeamWithMembers } from './teams.service.js';

const TeamName = () =>
  Matches((value) => typeof value === 'string' && isTeamName(value), {
    message: NAME_RULE,
    schema: { minLength: 1, maxLength: MAX_NAME_LENGTH },
  });

/** A team to create, or its new name. */
export class TeamRequest {
  /**
   * Name, 1 to 100 characters; unique in the organization whatever the letter case.
   * @example "Backend"
   */
  @TeamName()
  name: string;
}

/** From when to when somebody is in the team. Days are UTC. */
export class TeamMember {
  /**
   * User id.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  @ApiProperty({ format: 'uuid' })
  userId: string;

  /**
   * The first day, YYYY-MM-DD.
   * @example "2026-11-01"
   */
  @ApiProperty({ format: 'date' })
  from: string;

  /**
   * The last day; absent: until further notice.
   * @example "2026-12-31"
   */
  @ApiPropertyOptional({ format: 'date', nullable: true })
  to?: string | null;
}

/** Everybody who is, was or will be in the team. */
@ApiExtraModels(TeamMember)
@BodyLimit(4 * 1024 * 1024)
export class SetTeamMembersRequest {
  /** All memberships of the team, at most 20,000; a person may be in it more than once, not twice on a day. */
  @Matches((value) => isList(value, 0, MAX_MEMBERSHIPS), {
    message: `must be a list of at most ${MAX_MEMBERSHIPS} objects`,
    schema: { type: 'array', items: { $ref: getSchemaPath(TeamMember) }, maxItems: MAX_MEMBERSHIPS },
  })
  members: unknown[];
}

/** A team. */
export class TeamResponse {
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

  /** Everybody who is, was or will be in the team, by first day, then user. */
  members: TeamMember[];
}

/** A page of teams. */
export class TeamsResponse {
  /** The teams, by name. */
  teams: TeamResponse[];

  /** Whether and how the list goes on. */
  pagination: Pagination;
}

export function toTeamResponse({ id, name, members }: TeamWithMembers): TeamResponse {
  return {
    id,
    name,
    members: members.map(({ userId, from, to }) => ({ userId, from, ...(to === null ? {} : { to }) })),
  };
}

export function toTeamsResponse(page: Page<TeamWithMembers>, request: PageRequest): TeamsResponse {
  return { teams: page.items.map(toTeamResponse), pagination: toPagination(page, request) };
}
