import { Controller, Get, Ip } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { Role } from '../../../common/access/role.enum.js';
import { RefusalsResponse, toRefusalsResponse } from './refusals.dto.js';
import { RefusedSenders } from './refused-senders.js';

@ApiTags('Telemetry')
@Controller('api/v0/telemetry/refusals')
@Access(Role.Owner, Role.Manager, Role.Member)
export class RefusalsController {
  constructor(private readonly senders: RefusedSenders) {}

  /**
   * Says whether telemetry is refused because of its key
   * @remarks Of requests from the address from which the caller asks, in the last ten minutes, at the replica that answers: the
   * way to notice a mistyped key, which belongs to nobody.
   */
  @Get()
  getRefusals(@Ip() address: string): RefusalsResponse {
    return toRefusalsResponse(this.senders.find(address));
  }
}
