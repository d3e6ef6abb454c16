import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { Id } from '../../http/parameters/id.decorator.js';
import { ErasureService } from './erasure.service.js';

@ApiTags('Organization')
@Controller('api/v0/organization/users/:userId/erase')
@Access(Role.Owner)
export class ErasureController {
  constructor(private readonly erasure: ErasureService) {}

  /**
   * Erases a deactivated user
   * @remarks For good: name and address disappear from the user, from stored figures, the audit log, kept answers and the
   * history of the controls; their sessions and messages are deleted. Figures stay under the user's id, with
   * `user_email: null`. What others wrote stays as it is. Names of computers, API keys and the like are emptied where they
   * contain the name or the address. SSO tokens of the same subject stay refused. Repeating it changes nothing, so that it
   * takes no `Idempotency-Key`. 409 for an active user.
   */
  @Post()
  @HttpCode(204)
  @ApiProblems('not_found', 'conflict')
  async eraseUser(@CurrentPrincipal() caller: Principal, @Id('userId', 'user') userId: string): Promise<void> {
    await this.erasure.erase(caller.orgId, caller, userId);
  }
}
