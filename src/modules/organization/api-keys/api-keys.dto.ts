import { Pagination } from '../../../http/paging/paging.dto.js';
import { type Page, type PageRequest, toPagination } from '../../../http/paging/paging.js';
import { Instant, OneOf, Optional, TextLength, Uuid } from '../../../common/validation/rules.js';
import { API_KEY_SCOPES, type ApiKeyEntity, type ApiKeyScope } from './api-key.entity.js';
import type { ListedApiKey } from './api-keys.repository.js';
import type { IssuedApiKey } from './api-keys.service.js';

/** A key to create. */
export class CreateApiKeyRequest {
  /**
   * What the key is for, 1 to 100 characters.
   * @example "nightly report"
   */
  @TextLength(1, 100)
  name: string;

  /**
   * When the key stops working, ISO 8601 with a time zone; never, when left out.
   * @example "2027-11-15T00:00:00Z"
   */
  @Optional()
  @Instant()
  expiresAt?: string;

  /**
   * Whose key it is; the caller's own when left out. Only owners may create keys for others.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  @Optional()
  @Uuid()
  userId?: string;

  /**
   * What the key may be used for: everything that its user may do (`full`, when left out), or only to send usage and
   * telemetry of its user (`telemetry`), which is the right one for the configuration of an agent.
   * @example "telemetry"
   */
  @Optional()
  @OneOf(API_KEY_SCOPES)
  scope?: ApiKeyScope;
}

/** What is known about an API key; the key itself is shown only once. */
export class ApiKeyResponse {
  /**
   * Id of the key.
   * @example "01980f60-11c2-7d55-8a10-5b6c7d8e9f00"
   */
  id: string;

  /**
   * What the key is for.
   * @example "nightly report"
   */
  name: string;

  /**
   * Whose role the key carries.
   * @example "01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e"
   */
  userId: string;

  /**
   * The first characters of the key.
   * @example "apk_4fzQ1c"
   */
  prefix: string;

  /**
   * What the key may be used for: everything that its user may do, or only to send usage and telemetry of its user.
   * @example "full"
   */
  scope: 'full' | 'telemetry';

  /**
   * When the key was created, ISO 8601.
   * @example "2026-11-15T08:00:00.000Z"
   */
  createdAt: string;

  /**
   * When the key stops working; absent when never.
   * @example "2027-11-15T00:00:00.000Z"
   */
  expiresAt?: string;

  /**
   * The hour of the last use; absent when it was never used.
   * @example "2026-11-15T09:00:00.000Z"
   */
  lastUsedAt?: string;
}

/** A new API key. */
export class CreatedApiKeyResponse extends ApiKeyResponse {
  /**
   * The key. It is shown only now; keep it in a safe place.
   * @example "apk_<43 random characters and a checksum>"
   */
  key: string;
}

/** An API key with its user. */
export class ListedApiKeyResponse extends ApiKeyResponse {
  /**
   * E-mail address of that user.
   * @example "ada@example.com"
   */
  userEmail: string;
}

/** A page of API keys. */
export class ApiKeysResponse {
  /** The keys, newest first. */
  apiKeys: ListedApiKeyResponse[];

  /** Whether and how the list goes on. */
  pagination: Pagination;
}

export function toApiKeyResponse(key: ApiKeyEntity): ApiKeyResponse {
  return {
    id: key.id,
    name: key.name,
    userId: key.userId,
    prefix: key.prefix,
    scope: key.scope,
    createdAt: key.createdAt.toISOString(),
    ...(key.expiresAt ? { expiresAt: key.expiresAt.toISOString() } : {}),
    ...(key.lastUsedAt ? { lastUsedAt: key.lastUsedAt.toISOString() } : {}),
  };
}

export function toCreatedApiKeyResponse({ entity, key }: IssuedApiKey): CreatedApiKeyResponse {
  return { ...toApiKeyResponse(entity), key };
}

export function toApiKeysResponse(page: Page<ListedApiKey>, request: PageRequest): ApiKeysResponse {
  const apiKeys = page.items.map((key) => ({ ...toApiKeyResponse(key), userEmail: key.userEmail }));
  return { apiKeys, pagination: toPagination(page, request) };
}
