import type { components } from 'openapi-types';
import { api, bodyOf } from './client.js';
import { usePaged } from './paged.js';

export type UserLimit = components['schemas']['UserUsageResponse'];
export type LimitEntry = components['schemas']['UserLimitEntry'];
export type LimitAnswer = components['schemas']['SetUserLimitsResponse'];

/** As many as one request may set. */
export const MAX_ENTRIES = 100;

export function useLimits() {
  return usePaged({
    key: ['limits'],
    read: (cursor, signal) =>
      bodyOf(api.GET('/api/v0/organization/usage/limits/users', { params: { query: { limit: 100, cursor } }, signal })),
    rowsOf: ({ users }) => users,
  });
}

/** However many: in requests of a hundred, one after the other. */
export async function setLimits(entries: readonly LimitEntry[]): Promise<LimitAnswer> {
  const all: LimitAnswer = { updated: [], errors: [] };
  for (let i = 0; i < entries.length; i += MAX_ENTRIES) {
    const users = entries.slice(i, i + MAX_ENTRIES);
    const { updated, errors } = await bodyOf(api.PUT('/api/v0/organization/usage/limits/users', { body: { users } }));
    all.updated.push(...updated);
    all.errors.push(...errors);
  }
  return all;
}
