import { useQuery } from '@tanstack/react-query';
import type { components } from 'openapi-types';
import { api, bodyOf } from './client.js';
import { usePaged } from './paged.js';

export type Team = components['schemas']['TeamResponse'];
export type TeamMember = components['schemas']['TeamMember'];

export function useTeams() {
  return usePaged({
    key: ['teams', 'list'],
    read: (cursor, signal) =>
      bodyOf(api.GET('/api/v0/organization/teams', { params: { query: { limit: 50, cursor } }, signal })),
    rowsOf: ({ teams }) => teams,
  });
}

/** The first hundred, for a select. */
export function useTeamNames({ isEnabled = true } = {}) {
  return useQuery({
    queryKey: ['teams', 'names'],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v0/organization/teams', { params: { query: { limit: 100 } }, signal })),
    select: ({ teams }) => teams.map(({ id, name }) => ({ id, name })),
    enabled: isEnabled,
  });
}

/** One team; the service lists them only, so pages are read until it is found. */
export function useTeam(teamId: string) {
  return useQuery({
    queryKey: ['teams', 'one', teamId],
    queryFn: async ({ signal }): Promise<Team | null> => {
      let cursor: string | undefined;
      do {
        const query = { limit: 100, cursor };
        const page = await bodyOf(api.GET('/api/v0/organization/teams', { params: { query }, signal }));
        const found = page.teams.find(({ id }) => id === teamId);
        if (found) return found;
        cursor = page.pagination.nextCursor;
      } while (cursor !== undefined);
      return null;
    },
  });
}
