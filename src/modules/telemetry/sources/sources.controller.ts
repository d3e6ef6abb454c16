import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { toPageRequest } from '../../../http/paging/paging.js';
import { SourcesQuery, SourcesResponse, toSourcesResponse } from './sources.dto.js';
import { SourcesService } from './sources.service.js';

@ApiTags('Telemetry')
@Controller('api/v0/telemetry/sources')
@Access(Role.Owner, Role.Manager, Role.Member)
export class SourcesController {
  constructor(private readonly sources: SourcesService) {}

  /**
   * Lists the agents that send telemetry
   * @remarks By user, agent and version: when they were first and last seen, and what became of what they sent. Current
   * within two seconds. Owners and managers see all, members their own. A source that is silent for as long as raw events are
   * kept is forgotten.
   */
  @Get()
  @ApiProblems('invalid_request')
  async listSources(@CurrentPrincipal() caller: Principal, @Query() query: SourcesQuery): Promise<SourcesResponse> {
    const userId = query.userId?.toLowerCase();
    const page = toPageRequest(query, caller, 'telemetry-sources', { userId });
    return toSourcesResponse(await this.sources.list(caller, page, userId ?? null), page);
  }
}
