import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { ModelsResponse, toModelsResponse } from './models.dto.js';
import { ModelsService } from './models.service.js';

@ApiTags('Sessions')
@Controller('api/v0/models')
@Access(Role.Owner, Role.Manager, Role.Member)
export class ModelsController {
  constructor(private readonly models: ModelsService) {}

  /**
   * Lists the models that you may choose
   * @remarks Those that the organization's controls name (allowed, default and custom models) and those that it has used,
   * without what a policy forbids you. No model of the list is refused for a session of yours.
   */
  @Get()
  @ApiProblems('invalid_request')
  async listModels(@CurrentPrincipal() caller: Principal): Promise<ModelsResponse> {
    return toModelsResponse(await this.models.list(caller));
  }
}
