import { useQuery } from '@tanstack/react-query';
import type { components, operations } from 'openapi-types';
import { api, bodyOf } from './client.js';
import { usePaged } from './paged.js';

export type Member = components['schemas']['MemberResponse'];
export type MemberFilter = Omit<NonNullable<operations['listMembers']['parameters']['query']>, 'limit' | 'cursor'>;
export type RoleName = Member['role'];

export const ROLES: Readonly<Record<RoleName, string>> = {
  owner: 'Owner',
  manager: 'Manager',
  member: 'Member',
  guest: 'Guest',
};

const PAGE = 50;
const MAX_IDS = 100;

export function useMembers(filter: MemberFilter) {
  return usePaged({
    key: ['members', filter],
    read: (cursor, signal) =>
      bodyOf(
        api.GET('/api/v0/organization/members', { params: { query: { ...filter, limit: PAGE, cursor } }, signal }),
      ),
    rowsOf: ({ members }) => members,
  });
}

/** Some who match, for a field in which a person is chosen. */
export function useFoundMembers(search: string) {
  return useQuery({
    queryKey: ['members', 'found', search],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/api/v0/organization/members', {
          params: { query: { limit: 10, state: 'active', ...(search ? { search } : {}) } },
          signal,
        }),
      ),
  });
}

/** By id; at most a hundred. */
export function useMembersById(ids: readonly string[]) {
  const asked = [...new Set(ids)].sort().slice(0, MAX_IDS);
  return useQuery({
    queryKey: ['members', 'ids', asked],
    queryFn: async ({ signal }) => {
      const query = { ids: asked.join(','), limit: MAX_IDS };
      const { members } = await bodyOf(api.GET('/api/v0/organization/members', { params: { query }, signal }));
      return new Map(members.map((member) => [member.id, member]));
    },
    enabled: asked.length > 0,
  });
}

/** How a person is called; somebody erased has neither name nor address. */
export function nameOf({ firstName, lastName, email }: Pick<Member, 'firstName' | 'lastName' | 'email'>): string {
  return `${firstName} ${lastName}`.trim() || email || 'Erased person';
}
