import { Body, Controller, Get, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { ConflictError } from '../../common/errors/domain-error.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { Id } from '../../http/parameters/id.decorator.js';
import {
  ApiIdempotencyKey,
  Idempotency,
  type IdempotencyKey,
  IdempotencyService,
} from '../../idempotency/idempotency.js';
import {
  ChangeAccessRequest,
  ComputerAccessResponse,
  ComputerTokenResponse,
  toComputerAccessResponse,
} from './computer-access.dto.js';
import { ComputerAccessService } from './computer-access.service.js';
import { ComputersService } from './computers.service.js';

@ApiTags('Computers')
@Controller('api/v0/computers/:computerId')
@Access(Role.Owner, Role.Manager, Role.Member)
export class ComputerAccessController {
  constructor(
    private readonly computers: ComputersService,
    private readonly access: ComputerAccessService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Says who may use a computer
   * @remarks And whether it is trusted with secrets, and whose it is.
   */
  @Get('access')
  @ApiProblems('not_found')
  async getComputerAccess(
    @CurrentPrincipal() caller: Principal,
    @Id('computerId', 'computer') computerId: string,
  ): Promise<ComputerAccessResponse> {
    return toComputerAccessResponse(await this.computers.get(caller.orgId, computerId));
  }

  /**
   * Changes who may use a computer
   * @remarks The user who registered it may share it and make it private again; owners may do so for every computer, say
   * whether it is trusted with secrets, and give it to another user. What others have queued on a computer that becomes
   * private ends with an error.
   */
  @Put('access')
  @ApiProblems('invalid_request', 'not_found', 'conflict', 'payload_too_large', 'unsupported_media_type')
  async changeComputerAccess(
    @CurrentPrincipal() caller: Principal,
    @Id('computerId', 'computer') computerId: string,
    @Body() body: ChangeAccessRequest,
  ): Promise<ComputerAccessResponse> {
    const registeredBy = body.registeredBy?.toLowerCase();
    return toComputerAccessResponse(await this.access.change(caller, computerId, { ...body, registeredBy }));
  }

  /**
   * Makes a token for the agent of a computer
   * @remarks For the user who registered it. The answer is the only place where the token appears; the one before ends
   * within one second. It can only speak for this computer, and it ends with the computer, with the deactivation of its
   * user, and when the computer is given to somebody else. A repetition with the same `Idempotency-Key` is a 409: secrets are
   * not stored.
   */
  @Post('token')
  @ApiIdempotencyKey()
  @ApiProblems('invalid_request', 'not_found', 'conflict')
  createComputerToken(
    @CurrentPrincipal() caller: Principal,
    @Idempotency() key: IdempotencyKey | null,
    @Id('computerId', 'computer') computerId: string,
  ): Promise<ComputerTokenResponse> {
    const ofComputer = key && { ...key, route: `${key.route} ${computerId}` };
    return this.idempotency.once(
      caller,
      ofComputer,
      {},
      async (tx) => ({ token: await this.access.issueToken(tx, caller, computerId) }),
      { keep: () => computerId, replay: refuseToShowAgain },
    );
  }
}

function refuseToShowAgain(computerId: unknown): never {
  throw new ConflictError(
    `A token of the computer "${String(computerId)}" was made with this Idempotency-Key; it is not shown again.`,
  );
}
