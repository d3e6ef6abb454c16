import { Body, Controller, Get, Put, Query, UseInterceptors } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { PageQuery } from '../../../http/paging/paging.dto.js';
import { toPageRequest } from '../../../http/paging/paging.js';
import { CallerAddress } from '../../../http/parameters/caller-address.decorator.js';
import { IfMatchRevision, RevisionETagInterceptor } from '../../../http/parameters/revision-etag.js';
import { EnterpriseControlsSettings } from './controls-settings.dto.js';
import {
  ControlsHistoryResponse,
  ControlsResponse,
  toControlsHistoryResponse,
  toControlsResponse,
} from './controls.dto.js';
import { ControlsService } from './controls.service.js';

@ApiTags('Organization')
@Controller('api/v0/organization/enterprise-controls')
@Access(Role.Owner, Role.Manager)
export class ControlsController {
  constructor(private readonly controls: ControlsService) {}

  /**
   * Returns the settings of the organization
   * @remarks Literal secrets are masked: keys, header values, passwords and tokens in URLs, and what looks like a secret in
   * `extraArgs`. One that cannot be opened any more, because the service's `SECRETS_KEY` is another, is `****unreadable`.
   */
  @Get()
  @UseInterceptors(RevisionETagInterceptor)
  async getEnterpriseControls(@CurrentPrincipal() caller: Principal): Promise<ControlsResponse> {
    return toControlsResponse(await this.controls.get(caller));
  }

  /**
   * Replaces the settings of the organization
   * @remarks The body is the complete settings object; what it leaves out is not set any more. Makes the next revision,
   * which holds on every replica within one second. A secret that is sent as its mask stays as it is, also
   * an unreadable one. With `If-Match`, a
   * 412 when somebody else was quicker. A network policy that would lock its author out is a 409.
   */
  @Put()
  @Access(Role.Owner)
  @UseInterceptors(RevisionETagInterceptor)
  @ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'The revision (`ETag`) on which the change is based.',
    schema: { type: 'string', example: '"7"' },
  })
  @ApiProblems('invalid_request', 'conflict', 'precondition_failed', 'payload_too_large', 'unsupported_media_type')
  async replaceEnterpriseControls(
    @CurrentPrincipal() caller: Principal,
    @CallerAddress() address: string,
    @IfMatchRevision() expectedRevision: number | null,
    @Body() settings: EnterpriseControlsSettings,
  ): Promise<ControlsResponse> {
    return toControlsResponse(await this.controls.replace(caller, { settings, expectedRevision, address }));
  }

  /**
   * Lists the changes of the settings
   * @remarks By revision, newest first, each with the complete settings as of then. Literal secrets are masked.
   */
  @Get('history')
  @ApiProblems('invalid_request')
  async listEnterpriseControlsHistory(
    @CurrentPrincipal() caller: Principal,
    @Query() query: PageQuery,
  ): Promise<ControlsHistoryResponse> {
    const page = toPageRequest(query, caller, 'enterprise-controls');
    return toControlsHistoryResponse(await this.controls.history(caller, page), page);
  }
}
