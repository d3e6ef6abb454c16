import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ConflictError } from '../../../common/errors/domain-error.js';
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
  ApiKeysResponse,
  CreateApiKeyRequest,
  CreatedApiKeyResponse,
  toApiKeysResponse,
  toCreatedApiKeyResponse,
} from './api-keys.dto.js';
import { ApiKeysService } from './api-keys.service.js';

@ApiTags('API keys')
@Controller('api/v0/api-keys')
@Access(Role.Owner, Role.Manager, Role.Member)
export class ApiKeysController {
  constructor(
    private readonly apiKeys: ApiKeysService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Lists API keys
   * @remarks Your own; an owner sees those of everybody. Newest first. The keys themselves are never shown again.
   */
  @Get()
  @ApiProblems('invalid_request')
  async listApiKeys(@CurrentPrincipal() caller: Principal, @Query() query: PageQuery): Promise<ApiKeysResponse> {
    const page = toPageRequest(query, caller, 'api-keys');
    return toApiKeysResponse(await this.apiKeys.list(caller, page), page);
  }

  /**
   * Creates an API key
   * @remarks The answer is the only place where the key appears. It carries the role that its user has at the time of
   * each request; with the scope `telemetry` it may only send usage and telemetry, and only for that user. 409 when the user
   * has 100 keys (`MAX_API_KEYS_PER_USER`). A repetition with the same `Idempotency-Key` is a 409 that names the key's id: secrets are not stored.
   */
  @Post()
  @ApiIdempotencyKey()
  @ApiProblems('invalid_request', 'not_found', 'conflict', 'payload_too_large', 'unsupported_media_type')
  createApiKey(
    @CurrentPrincipal() caller: Principal,
    @Idempotency() key: IdempotencyKey | null,
    @Body() body: CreateApiKeyRequest,
  ): Promise<CreatedApiKeyResponse> {
    return this.idempotency.once(
      caller,
      key,
      body,
      async (tx) => toCreatedApiKeyResponse(await this.apiKeys.create(tx, caller, body)),
      { keep: ({ id }) => id, replay: refuseToShowAgain },
    );
  }

  /**
   * Revokes an API key
   * @remarks Your own, or any of the organization for an owner. Holds within one second.
   */
  @Delete(':keyId')
  @HttpCode(204)
  @ApiProblems('not_found')
  async revokeApiKey(@CurrentPrincipal() caller: Principal, @Id('keyId', 'API key') keyId: string): Promise<void> {
    await this.apiKeys.revoke(caller, keyId);
  }
}

function refuseToShowAgain(keyId: unknown): never {
  throw new ConflictError(
    `The API key "${String(keyId)}" was created with this Idempotency-Key; it is not shown again.`,
  );
}
