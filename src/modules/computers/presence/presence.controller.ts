import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { toPresenceBody } from './presence-body.js';
import { ComputersPresenceResponse } from './presence.dto.js';
import { PresenceService } from './presence.service.js';

@ApiTags('Computers')
@Controller('api/v0/computers/presence')
@Access(Role.Owner, Role.Manager, Role.Member)
export class PresenceController {
  constructor(private readonly presence: PresenceService) {}

  /**
   * Says which computers are connected
   * @remarks All computers of the organization, newest first, with what runs and waits on them. A computer is offline within
   * 30 seconds after its network is gone, at once when its agent ends, and online as soon as its agent has connected.
   * `GET /api/v0/events` tells of changes.
   */
  @Get()
  @ApiProblems('invalid_request')
  async listComputersPresence(@CurrentPrincipal() caller: Principal): Promise<ComputersPresenceResponse> {
    return { computers: (await this.presence.list(caller)).map(toPresenceBody) };
  }
}
