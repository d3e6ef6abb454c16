import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../common/access/access.decorator.js';
import { ALL_ROLES } from '../../common/access/role.enum.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { VERSION } from '../../common/version.js';
import { VersionResponse } from './health.dto.js';

@ApiTags('Health')
@Controller('api/v0/version')
@Access(...ALL_ROLES)
export class VersionController {
  /**
   * Tells the version of the service
   * @remarks Of the process that answers; during an upgrade another one may be of another version.
   */
  @Get()
  @ApiProblems('invalid_request')
  getVersion(): VersionResponse {
    return { version: VERSION };
  }
}
