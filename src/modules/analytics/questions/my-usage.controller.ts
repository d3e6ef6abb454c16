import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { MyUsageQuery, MyUsageResponse, toMyUsageResponse } from './my-usage.dto.js';
import { PeopleService } from './people.service.js';
import { QuestionQueries } from './question-queries.js';

@ApiTags('Me')
@Controller('api/v0/me')
@Access(Role.Owner, Role.Manager, Role.Member)
export class MyUsageController {
  constructor(
    private readonly people: PeopleService,
    private readonly queries: QuestionQueries,
  ) {}

  /**
   * What the caller used
   * @remarks One's own figures only, whatever the role: totals, days, models and tools. The range may end today.
   */
  @Get('usage')
  @ApiProblems('invalid_request')
  async getMyUsage(@CurrentPrincipal() caller: Principal, @Query() query: MyUsageQuery): Promise<MyUsageResponse> {
    return toMyUsageResponse(await this.people.own(caller, this.queries.range(query, { hasToday: true })));
  }
}
