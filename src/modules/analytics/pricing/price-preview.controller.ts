import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { OrganizationPricesRequest } from '../../../prices/organization-prices.dto.js';
import { PricePreviewResponse, toPricePreviewResponse } from './price-preview.dto.js';
import { PricePreviewService } from './price-preview.service.js';

@ApiTags('Organization')
@Controller('api/v0/organization/prices/preview')
@Access(Role.Owner)
export class PricePreviewController {
  constructor(private readonly previews: PricePreviewService) {}

  /**
   * Shows what other prices would change
   * @remarks The body is that of `PUT /api/v0/organization/prices`. Per month and model, for all days that are computed: the
   * cost with the prices in force and with those of the body, and tokens that get a price or have none. Nothing is stored.
   */
  @Post()
  @HttpCode(200)
  @ApiProblems('invalid_request', 'payload_too_large', 'unsupported_media_type')
  async previewPrices(
    @CurrentPrincipal() caller: Principal,
    @Body() body: OrganizationPricesRequest,
  ): Promise<PricePreviewResponse> {
    return toPricePreviewResponse(await this.previews.preview(caller, body.prices));
  }
}
