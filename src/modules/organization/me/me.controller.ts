import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { ALL_ROLES } from '../../../common/access/role.enum.js';
import { MeResponse, toMeResponse } from './me.dto.js';
import { MeService } from './me.service.js';

@ApiTags('Me')
@Controller('api/v0/me')
@Access(...ALL_ROLES)
export class MeController {
  constructor(private readonly me: MeService) {}

  /**
   * Tells who the caller is
   * @remarks User, role, organization, credit limit and usage. The quickest way to try a credential.
   */
  @Get()
  async getMe(@CurrentPrincipal() caller: Principal): Promise<MeResponse> {
    return toMeResponse(await this.me.get(caller));
  }
}
