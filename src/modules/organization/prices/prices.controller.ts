import { Body, Controller, Get, Put, UseInterceptors } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { IfMatchRevision, RevisionETagInterceptor } from '../../../http/parameters/revision-etag.js';
import { OrganizationPricesRequest } from '../../../prices/organization-prices.dto.js';
import { OrganizationPricesResponse, toOrganizationPricesResponse } from './prices.dto.js';
import { PricesService } from './prices.service.js';

@ApiTags('Organization')
@Controller('api/v0/organization/prices')
@Access(Role.Owner)
@UseInterceptors(RevisionETagInterceptor)
export class PricesController {
  constructor(private readonly prices: PricesService) {}

  /**
   * Returns the prices of the organization
   * @remarks Those that it has set, and the price of every known model at this moment, by whoever set it.
   */
  @Get()
  async getPrices(@CurrentPrincipal() caller: Principal): Promise<OrganizationPricesResponse> {
    return toOrganizationPricesResponse(await this.prices.get(caller));
  }

  /**
   * Replaces the prices of the organization
   * @remarks The body has all prices; what it leaves out is as in the list. Cost is computed when it is read, so the change
   * counts for the past as well, from each price's `since` on; days are computed anew, as far as raw events reach, when tiers
   * or windows change. The same prices again change nothing. With `If-Match`, a 412 when somebody else was quicker.
   */
  @Put()
  @ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'The revision (`ETag`) on which the change is based.',
    schema: { type: 'string', example: '"3"' },
  })
  @ApiProblems('invalid_request', 'precondition_failed', 'payload_too_large', 'unsupported_media_type')
  async replacePrices(
    @CurrentPrincipal() caller: Principal,
    @IfMatchRevision() expectedRevision: number | null,
    @Body() body: OrganizationPricesRequest,
  ): Promise<OrganizationPricesResponse> {
    return toOrganizationPricesResponse(await this.prices.replace(caller, body.prices, expectedRevision));
  }
}
