import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { OrganizationSettingsRequest, OrganizationSettingsResponse } from './organization-settings.dto.js';
import { OrganizationSettingsService } from './organization-settings.service.js';

@ApiTags('Organization')
@Controller('api/v0/organization/settings')
@Access(Role.Owner)
export class OrganizationSettingsController {
  constructor(private readonly settings: OrganizationSettingsService) {}

  /**
   * Returns the settings of the organization
   * @remarks Those that concern this service. What agents may do is in the enterprise controls.
   */
  @Get()
  @ApiProblems('invalid_request')
  getOrganizationSettings(@CurrentPrincipal() caller: Principal): Promise<OrganizationSettingsResponse> {
    return this.settings.current(caller.orgId);
  }

  /**
   * Replaces the settings of the organization
   * @remarks All of them. A change is an entry in the audit log, and holds for the next request.
   */
  @Put()
  @ApiProblems('invalid_request', 'payload_too_large', 'unsupported_media_type')
  putOrganizationSettings(
    @CurrentPrincipal() caller: Principal,
    @Body() { sessionContentAccess }: OrganizationSettingsRequest,
  ): Promise<OrganizationSettingsResponse> {
    return this.settings.replace(caller, { sessionContentAccess });
  }
}
