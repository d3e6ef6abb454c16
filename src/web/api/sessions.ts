import { useQuery } from '@tanstack/react-query';
import type { components, operations } from 'openapi-types';
import { api, bodyOf } from './client.js';
import { usePaged } from './paged.js';

export type Session = components['schemas']['SessionResponse'];
export type SessionStatus = Session['status'];
export type OrganizationSession = components['schemas']['OrganizationSessionResponse'];
export type SearchHit = components['schemas']['SearchHitResponse'];
export type SettingsChange = components['schemas']['SessionSettingsRequest'];
export type TokenUsage = components['schemas']['TokenUsage'];
export type SessionFilter = Omit<NonNullable<operations['listSessions']['parameters']['query']>, 'limit' | 'cursor'>;
export type OrganizationFilter = Omit<
  NonNullable<operations['listOrganizationSessions']['parameters']['query']>,
  'limit' | 'cursor'
>;

const PAGE = 30;

export function useSessions(filter: SessionFilter) {
  return usePaged({
    key: ['sessions', 'own', filter],
    read: (cursor, signal) =>
      bodyOf(api.GET('/api/v0/sessions', { params: { query: { ...filter, limit: String(PAGE), cursor } }, signal })),
    rowsOf: ({ sessions }) => sessions,
  });
}

/** Of everybody, without titles; for owners and managers. */
export function useOrganizationSessions(filter: OrganizationFilter) {
  return usePaged({
    key: ['sessions', 'organization', filter],
    read: (cursor, signal) =>
      bodyOf(
        api.GET('/api/v0/organization/sessions', { params: { query: { ...filter, limit: PAGE, cursor } }, signal }),
      ),
    rowsOf: ({ sessions }) => sessions,
  });
}

/** Not refreshed by live events: a search costs the service about a second. */
export function useSearch(words: string) {
  return usePaged({
    key: ['session-search', words],
    read: (cursor, signal) =>
      bodyOf(api.GET('/api/v0/sessions/search', { params: { query: { q: words, limit: PAGE, cursor } }, signal })),
    rowsOf: ({ results }) => results,
  });
}

export function useSession(sessionId: string) {
  return useQuery({
    queryKey: ['sessions', 'one', sessionId],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v0/sessions/{sessionId}', { params: { path: { sessionId } }, signal })),
  });
}

/** What the caller may choose from. */
export function useModels() {
  return useQuery({
    queryKey: ['models'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v0/models', { signal })),
  });
}
