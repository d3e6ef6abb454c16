import type { components } from 'openapi-types';
import { api, bodyOf } from './client.js';
import { usePaged } from './paged.js';

export type ApiKey = components['schemas']['ListedApiKeyResponse'];
export type NewApiKey = components['schemas']['CreateApiKeyRequest'];
export type CreatedApiKey = components['schemas']['CreatedApiKeyResponse'];

/** One's own; those of everybody for an owner. */
export function useApiKeys() {
  return usePaged({
    key: ['api-keys'],
    read: (cursor, signal) => bodyOf(api.GET('/api/v0/api-keys', { params: { query: { limit: 50, cursor } }, signal })),
    rowsOf: ({ apiKeys }) => apiKeys,
  });
}
