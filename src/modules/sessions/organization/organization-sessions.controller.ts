import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { toPeriod } from '../../../common/time/period.js';
import { toPageRequest } from '../../../http/paging/paging.js';
import {
  ListOrganizationSessionsQuery,
  OrganizationSessionsResponse,
  toOrganizationSessionsResponse,
} from './organization-sessions.dto.js';
import { OrganizationSessionsService } from './organization-sessions.service.js';

@ApiTags('Sessions')
@Controller('api/v0/organization/sessions')
@Access(Role.Owner, Role.Manager)
export class OrganizationSessionsController {
  constructor(private readonly sessions: OrganizationSessionsService) {}

  /**
   * Lists the sessions of the organization
   * @remarks Of all users, newest first: who worked where, when and with how many tokens, but neither titles nor messages.
   * The filters can be combined.
   */
  @Get()
  @ApiProblems('invalid_request')
  async listOrganizationSessions(
    @CurrentPrincipal() caller: Principal,
    @Query() query: ListOrganizationSessionsQuery,
  ): Promise<OrganizationSessionsResponse> {
    const { userId, computerId, status, from, to } = query;
    const page = toPageRequest(query, caller, 'organization-sessions', { userId, computerId, status, from, to });
    const filter = { userId, computerId, status, ...toPeriod(query) };
    return toOrganizationSessionsResponse(await this.sessions.list(caller, filter, page), page);
  }
}
