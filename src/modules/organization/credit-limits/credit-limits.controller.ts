import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { PageQuery } from '../../../http/paging/paging.dto.js';
import { toPageRequest } from '../../../http/paging/paging.js';
import { SetUserLimitsRequest, SetUserLimitsResponse, toUsageResponse, UsageResponse } from './credit-limits.dto.js';
import { CreditLimitsService } from './credit-limits.service.js';

@ApiTags('Organization')
@Controller('api/v0/organization/usage/limits/users')
@Access(Role.Owner, Role.Manager)
export class CreditLimitsController {
  constructor(private readonly limits: CreditLimitsService) {}

  /**
   * Lists users with their credit limit and usage
   * @remarks Limit, billable tokens used this calendar month (UTC), and when the count starts again. Users ordered by
   * creation, then id.
   */
  @Get()
  @ApiProblems('invalid_request')
  async listUserLimits(@CurrentPrincipal() caller: Principal, @Query() query: PageQuery): Promise<UsageResponse> {
    const request = toPageRequest(query, caller, 'usage-limits');
    const { page, resetsAt } = await this.limits.list(caller, request);
    return toUsageResponse(page, resetsAt, request);
  }

  /**
   * Sets credit limits of users
   * @remarks Users that were set are in `updated`. An unknown or malformed e-mail address, a limit out of range and the
   * second mention of an address are in `errors`, while the rest is set. A wrong JSON type, an unknown field, or 0 or over
   * 100 entries is a 400 and sets nothing.
   */
  @Put()
  @ApiProblems('invalid_request', 'payload_too_large', 'unsupported_media_type')
  setUserLimits(
    @CurrentPrincipal() caller: Principal,
    @Body() body: SetUserLimitsRequest,
  ): Promise<SetUserLimitsResponse> {
    return this.limits.setLimits(caller, body.users);
  }
}
