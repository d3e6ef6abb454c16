import { Body, Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { Id } from '../../http/parameters/id.decorator.js';
import {
  ApiIdempotencyKey,
  Idempotency,
  type IdempotencyKey,
  IdempotencyService,
} from '../../idempotency/idempotency.js';
import { NameInPath } from '../../http/parameters/name.decorator.js';
import { AppConfig } from '../../config/app-config.js';
import { ComputerEntity } from './computer.entity.js';
import {
  ComputerResponse,
  ComputersResponse,
  RegisterComputerRequest,
  toComputerResponse,
  UpdateComputerRequest,
} from './computers.dto.js';
import { ComputersService } from './computers.service.js';

@ApiTags('Computers')
@Controller('api/v0/computers')
@Access(Role.Owner, Role.Manager, Role.Member)
export class ComputersController {
  constructor(
    private readonly computers: ComputersService,
    private readonly idempotency: IdempotencyService,
    private readonly config: AppConfig,
  ) {}

  /**
   * Lists the computers of the organization
   * @remarks All of them, newest first.
   */
  @Get()
  async listComputers(@CurrentPrincipal() caller: Principal): Promise<ComputersResponse> {
    const computers = await this.computers.list(caller);
    return { computers: computers.map((computer) => this.respond(computer)) };
  }

  /**
   * Finds a computer by its name
   * @remarks Whatever the letter case. A name of more than 63 characters is a 400.
   */
  @Get('name/:name')
  @ApiProblems('invalid_request', 'not_found')
  async getComputerByName(
    @CurrentPrincipal() caller: Principal,
    @NameInPath('name') name: string,
  ): Promise<ComputerResponse> {
    return this.respond(await this.computers.getByName(caller, name));
  }

  /**
   * Returns one computer
   * @remarks With the steps of its set-up.
   */
  @Get(':computerId')
  @ApiProblems('not_found')
  async getComputer(
    @CurrentPrincipal() caller: Principal,
    @Id('computerId', 'computer') computerId: string,
  ): Promise<ComputerResponse> {
    return this.respond(await this.computers.get(caller.orgId, computerId));
  }

  /**
   * Registers a machine of your own
   * @remarks It is `provisioning` until its agent connects, and private to you until you share it
   * (`PUT /api/v0/computers/{computerId}/access`). 409 when the name is taken or when you have as many computers as the service
   * allows (`MAX_COMPUTERS_PER_USER`), 403 when the organization has switched `byomComputersEnabled` off.
   */
  @Post()
  @ApiIdempotencyKey()
  @ApiProblems('invalid_request', 'conflict', 'payload_too_large', 'unsupported_media_type')
  registerComputer(
    @CurrentPrincipal() caller: Principal,
    @Idempotency() key: IdempotencyKey | null,
    @Body() body: RegisterComputerRequest,
  ): Promise<ComputerResponse> {
    return this.idempotency.once(caller, key, body, async (tx) =>
      this.respond(await this.computers.register(tx, caller, body)),
    );
  }

  /**
   * Changes the name or the remote user of a computer
   * @remarks Owners and managers may change any, members those that they registered. 409 when the name is taken.
   */
  @Patch(':computerId')
  @ApiProblems('invalid_request', 'not_found', 'conflict', 'payload_too_large', 'unsupported_media_type')
  async updateComputer(
    @CurrentPrincipal() caller: Principal,
    @Id('computerId', 'computer') computerId: string,
    @Body() body: UpdateComputerRequest,
  ): Promise<ComputerResponse> {
    return this.respond(await this.computers.update(caller, computerId, body));
  }

  /**
   * Deletes a computer
   * @remarks Its sessions stay and can be moved to another computer; messages in them that wait for an answer end with an
   * error. 409 while a turn is running on it.
   */
  @Delete(':computerId')
  @HttpCode(204)
  @ApiProblems('not_found', 'conflict')
  async deleteComputer(
    @CurrentPrincipal() caller: Principal,
    @Id('computerId', 'computer') computerId: string,
  ): Promise<void> {
    await this.computers.delete(caller, computerId);
  }

  private respond(computer: ComputerEntity): ComputerResponse {
    return toComputerResponse(computer, this.config.http.publicUrl);
  }
}
