import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { Id } from '../../../http/parameters/id.decorator.js';
import {
  ApiIdempotencyKey,
  Idempotency,
  type IdempotencyKey,
  IdempotencyService,
} from '../../../idempotency/idempotency.js';
import { PageQuery } from '../../../http/paging/paging.dto.js';
import { toPageRequest } from '../../../http/paging/paging.js';
import {
  CreateUserRequest,
  toUserDetailResponse,
  toUsersResponse,
  UpdateUserRequest,
  UserDetailResponse,
  UsersResponse,
} from './users.dto.js';
import { UsersService } from './users.service.js';

@ApiTags('Organization')
@Controller('api/v0/organization/users')
@Access(Role.Owner)
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Lists the users of the organization
   * @remarks Ordered by creation, then id. Deactivated users are not listed. Members see only themselves when the
   * organization has set `restrictMemberVisibility`.
   */
  @Get()
  @Access(Role.Owner, Role.Manager, Role.Member)
  @ApiProblems('invalid_request')
  async listUsers(@CurrentPrincipal() caller: Principal, @Query() query: PageQuery): Promise<UsersResponse> {
    const page = toPageRequest(query, caller, 'users');
    return toUsersResponse(await this.users.list(caller, page), page);
  }

  /**
   * Returns one user with role and state
   * @remarks Also finds deactivated users.
   */
  @Get(':userId')
  @Access(Role.Owner, Role.Manager, Role.Member)
  @ApiProblems('not_found')
  async getUser(
    @CurrentPrincipal() caller: Principal,
    @Id('userId', 'user') userId: string,
  ): Promise<UserDetailResponse> {
    return toUserDetailResponse(await this.users.get(caller, userId));
  }

  /**
   * Adds a user to the organization
   * @remarks The user signs in with SSO, or with an API key that an owner creates for them. 409 when the e-mail address
   * is taken, also by a deactivated user.
   */
  @Post()
  @ApiIdempotencyKey()
  @ApiProblems('invalid_request', 'conflict', 'payload_too_large', 'unsupported_media_type')
  createUser(
    @CurrentPrincipal() caller: Principal,
    @Idempotency() key: IdempotencyKey | null,
    @Body() body: CreateUserRequest,
  ): Promise<UserDetailResponse> {
    return this.idempotency.once(caller, key, body, async (tx) =>
      toUserDetailResponse(await this.users.create(tx, caller.orgId, caller, body)),
    );
  }

  /**
   * Changes the role of a user, or reactivates them
   * @remarks Holds within one second for every credential of the user. 409 for the last owner of the organization, and for
   * an erased user.
   */
  @Patch(':userId')
  @ApiProblems('invalid_request', 'not_found', 'conflict', 'payload_too_large', 'unsupported_media_type')
  async updateUser(
    @CurrentPrincipal() caller: Principal,
    @Id('userId', 'user') userId: string,
    @Body() body: UpdateUserRequest,
  ): Promise<UserDetailResponse> {
    return toUserDetailResponse(await this.users.update(caller.orgId, caller, userId, body));
  }

  /**
   * Deactivates a user
   * @remarks Their API keys are deleted and their SSO tokens are refused, within one second. Repeating it changes
   * nothing. 409 for the last owner of the organization.
   */
  @Delete(':userId')
  @HttpCode(204)
  @ApiProblems('not_found', 'conflict')
  async deactivateUser(@CurrentPrincipal() caller: Principal, @Id('userId', 'user') userId: string): Promise<void> {
    await this.users.deactivate(caller.orgId, caller, userId);
  }
}
