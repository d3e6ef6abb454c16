import { useQuery } from '@tanstack/react-query';
import type { components } from 'openapi-types';
import { api, bodyOf } from './client.js';

export type Presence = components['schemas']['ComputerPresenceResponse'];

/** All computers of the organization, by id, with whether they are connected. */
export function usePresence() {
  return useQuery({
    queryKey: ['computers', 'presence'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v0/computers/presence', { signal })),
    select: ({ computers }) => new Map(computers.map((computer) => [computer.computerId, computer])),
  });
}
