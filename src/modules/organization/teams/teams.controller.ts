import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { Id } from '../../../http/parameters/id.decorator.js';
import { PageQuery } from '../../../http/paging/paging.dto.js';
import { toPageRequest } from '../../../http/paging/paging.js';
import {
  ApiIdempotencyKey,
  Idempotency,
  type IdempotencyKey,
  IdempotencyService,
} from '../../../idempotency/idempotency.js';
import { readMembers } from './member-list.js';
import {
  SetTeamMembersRequest,
  TeamRequest,
  TeamResponse,
  TeamsResponse,
  toTeamResponse,
  toTeamsResponse,
} from './teams.dto.js';
import { TeamsService } from './teams.service.js';

@ApiTags('Organization')
@Controller('api/v0/organization/teams')
@Access(Role.Owner)
export class TeamsController {
  constructor(
    private readonly teams: TeamsService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Lists the teams with their members
   * @remarks Ordered by name. Figures of a day count for the team in which a person is on that day; people without one are
   * `(none)`. A page may have fewer teams than `limit` when they are very large; go on while `hasMore` is true.
   */
  @Get()
  @Access(Role.Owner, Role.Manager)
  @ApiProblems('invalid_request')
  async listTeams(@CurrentPrincipal() caller: Principal, @Query() query: PageQuery): Promise<TeamsResponse> {
    const page = toPageRequest(query, caller, 'teams');
    return toTeamsResponse(await this.teams.list(caller, page), page);
  }

  /**
   * Creates a team
   * @remarks Without members. 409 when the name is taken, and for more than 1,000 teams.
   */
  @Post()
  @ApiIdempotencyKey()
  @ApiProblems('invalid_request', 'conflict', 'payload_too_large', 'unsupported_media_type')
  createTeam(
    @CurrentPrincipal() caller: Principal,
    @Idempotency() key: IdempotencyKey | null,
    @Body() body: TeamRequest,
  ): Promise<TeamResponse> {
    return this.idempotency.once(caller, key, body, async (tx) =>
      toTeamResponse(await this.teams.create(tx, caller.orgId, caller, body.name)),
    );
  }

  /**
   * Renames a team
   * @remarks Also for the past: a team has one name. 409 when another team has it.
   */
  @Patch(':teamId')
  @ApiProblems('invalid_request', 'not_found', 'conflict', 'payload_too_large', 'unsupported_media_type')
  async renameTeam(
    @CurrentPrincipal() caller: Principal,
    @Id('teamId', 'team') teamId: string,
    @Body() body: TeamRequest,
  ): Promise<TeamResponse> {
    return toTeamResponse(await this.teams.rename(caller, teamId, body.name));
  }

  /**
   * Deletes a team that has no members
   * @remarks 409 while it has memberships, past ones included: figures count for it. Replace them with an empty list first;
   * these figures then count for `(none)`. To close a team and keep its figures, end its memberships instead.
   */
  @Delete(':teamId')
  @HttpCode(204)
  @ApiProblems('not_found', 'conflict')
  async deleteTeam(@CurrentPrincipal() caller: Principal, @Id('teamId', 'team') teamId: string): Promise<void> {
    await this.teams.delete(caller, teamId);
  }

  /**
   * Replaces the members of a team
   * @remarks The list is complete: whoever is not in it was never in the team. Days are UTC and may lie in the past; figures
   * of these days then count for the team. All or nothing: 400 when somebody is in the list twice on a day, 409 that names
   * person, day and team when they are in another team, 404 for an unknown user. Deactivated users may be members.
   */
  @Put(':teamId/members')
  @ApiProblems('invalid_request', 'not_found', 'conflict', 'payload_too_large', 'unsupported_media_type')
  async setTeamMembers(
    @CurrentPrincipal() caller: Principal,
    @Id('teamId', 'team') teamId: string,
    @Body() body: SetTeamMembersRequest,
  ): Promise<TeamResponse> {
    const members = readMembers(body.members, teamId);
    return toTeamResponse(await this.teams.replaceMembers(caller, teamId, members));
  }
}
