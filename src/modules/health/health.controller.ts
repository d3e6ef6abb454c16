import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PublicAccess } from '../../common/access/access.decorator.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { HealthResponse } from './health.dto.js';
import { HealthService } from './health.service.js';

@ApiTags('Health')
@Controller('health')
@PublicAccess()
export class HealthController {
  constructor(private readonly health: HealthService) {}

  /**
   * Says that the process runs
   * @remarks Does not look at the database: a process that waits for its database is alive.
   */
  @Get('live')
  @ApiProblems('invalid_request', 'internal_error')
  getLiveness(): HealthResponse {
    return { status: 'ok' };
  }

  /**
   * Says that the service can do its work
   * @remarks The database is migrated and answers on the connections that requests use, no usage event waits for it too
   * long, and the process is not shutting down; else 503.
   */
  @Get('ready')
  @ApiProblems('invalid_request', 'internal_error', 'unavailable')
  async getReadiness(): Promise<HealthResponse> {
    await this.health.requireReady();
    return { status: 'ok' };
  }
}
