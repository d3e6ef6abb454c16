import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { PageQuery } from '../../../http/paging/paging.dto.js';
import { toPageRequest } from '../../../http/paging/paging.js';
import { NameInPath } from '../../../http/parameters/name.decorator.js';
import {
  ReadinessCriteriaResponse,
  ReadinessCriterionResponse,
  ReadinessRepositoriesResponse,
  toReadinessCriteriaResponse,
  toReadinessCriterionResponse,
  toReadinessRepositoriesResponse,
} from './readiness-summary.dto.js';
import { ReadinessSummaryService } from './readiness-summary.service.js';

@ApiTags('Readiness')
@Controller('api/organization/readiness')
@Access(Role.Owner, Role.Manager, Role.Member)
export class ReadinessSummaryController {
  constructor(private readonly summary: ReadinessSummaryService) {}

  /**
   * Lists the evaluated repositories
   * @remarks By `repoId`. Each with level, score and failing criteria of its newest report, what has changed since the one
   * before, and the scores of its last ten reports.
   */
  @Get('repositories')
  @ApiProblems('invalid_request')
  async listReadinessRepositories(
    @CurrentPrincipal() caller: Principal,
    @Query() query: PageQuery,
  ): Promise<ReadinessRepositoriesResponse> {
    const page = toPageRequest(query, caller, 'readiness-repositories');
    return toReadinessRepositoriesResponse(await this.summary.listRepositories(caller, page), page);
  }

  /**
   * Lists the criteria
   * @remarks All that the newest reports of the repositories evaluate, by id, and how many repositories meet them.
   */
  @Get('criteria')
  @ApiProblems('invalid_request')
  async listReadinessCriteria(
    @CurrentPrincipal() caller: Principal,
    @Query() query: PageQuery,
  ): Promise<ReadinessCriteriaResponse> {
    const page = toPageRequest(query, caller, 'readiness-criteria');
    return toReadinessCriteriaResponse(await this.summary.listCriteria(caller, page), page);
  }

  /**
   * Follows one criterion through the repositories
   * @remarks By `repoId`: how far the newest report of each repository says that it is met, and why. 404 when none evaluates
   * it.
   */
  @Get('criteria/:criterion')
  @ApiProblems('invalid_request', 'not_found')
  async getReadinessCriterion(
    @CurrentPrincipal() caller: Principal,
    @NameInPath('criterion', { maxLength: 100, description: 'Id of the criterion.', example: 'lint_config' })
    criterion: string,
    @Query() query: PageQuery,
  ): Promise<ReadinessCriterionResponse> {
    const page = toPageRequest(query, caller, 'readiness-criterion', { criterion });
    return toReadinessCriterionResponse(criterion, await this.summary.listCriterion(caller, criterion, page), page);
  }
}
