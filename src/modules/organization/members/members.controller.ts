import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { toPageRequest } from '../../../http/paging/paging.js';
import { ListMembersQuery, MembersResponse, toMembersResponse } from './members.dto.js';
import { MembersService } from './members.service.js';

@ApiTags('Organization')
@Controller('api/v0/organization/members')
@Access(Role.Owner, Role.Manager)
export class MembersController {
  constructor(private readonly members: MembersService) {}

  /**
   * Lists users with role, state, team and last sign-in
   * @remarks Ordered by creation, then id; deactivated users are in it. An erased user has an empty address.
   */
  @Get()
  @ApiProblems('invalid_request')
  async listMembers(@CurrentPrincipal() caller: Principal, @Query() query: ListMembersQuery): Promise<MembersResponse> {
    const { search, role, state, team, ids } = query;
    const filter = { search, role, state, team: team?.toLowerCase(), ids: ids?.toLowerCase() };
    const page = toPageRequest(query, caller, 'members', filter);
    return toMembersResponse(await this.members.list(caller, page, filter), page);
  }
}
