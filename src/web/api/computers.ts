import { useQuery } from '@tanstack/react-query';
import type { operations } from 'openapi-types';
import { useMemo } from 'react';
import { useAction } from './action.js';
import type { Answer } from './answer.js';
import { api, bodyOf } from './client.js';
import type { Problem } from './problem.js';

export type Computer = Answer<'listComputers'>['computers'][number];
export type Presence = Answer<'listComputersPresence'>['computers'][number];
type AccessChange = operations['changeComputerAccess']['requestBody']['content']['application/json'];

const CHANGED = ['computers'];
const path = (computerId: string) => ({ params: { path: { computerId } } });

export function useComputers({ isEnabled = true } = {}) {
  return useQuery({
    queryKey: ['computers', 'list'],
    queryFn: async ({ signal }) => (await bodyOf(api.GET('/api/v0/computers', { signal }))).computers,
    enabled: isEnabled,
  });
}

/** The stream of the tab tells of changes; asked again all the same, should it be away. */
export function usePresence({ everyMs = 15_000 } = {}) {
  return useQuery({
    queryKey: ['computers', 'presence'],
    queryFn: async ({ signal }) => (await bodyOf(api.GET('/api/v0/computers/presence', { signal }))).computers,
    refetchInterval: everyMs,
  });
}

/** The same, by id; undefined until it is known. */
export function useComputersById(): { readonly data: ReadonlyMap<string, Presence> | undefined } {
  const { data } = usePresence();
  return {
    data: useMemo(() => data && new Map(data.map((computer) => [computer.computerId, computer])), [data]),
  };
}

export function useRegisterComputer(onDone: (computer: Computer) => void, onProblem: (problem: Problem) => boolean) {
  return useAction({
    run: (name: string) => bodyOf(api.POST('/api/v0/computers', { body: { name } })),
    changes: CHANGED,
    onDone,
    onProblem,
  });
}

export function useRenameComputer(computerId: string) {
  return useAction({
    run: (name: string) => bodyOf(api.PATCH('/api/v0/computers/{computerId}', { ...path(computerId), body: { name } })),
    changes: CHANGED,
    done: 'Renamed.',
  });
}

export function useChangeAccess(computerId: string, done: string) {
  return useAction({
    run: (body: AccessChange) =>
      bodyOf(api.PUT('/api/v0/computers/{computerId}/access', { ...path(computerId), body })),
    changes: CHANGED,
    done,
  });
}

export function useComputerToken(onDone: (token: string) => void) {
  return useAction({
    run: async (computerId: string) =>
      (await bodyOf(api.POST('/api/v0/computers/{computerId}/token', path(computerId)))).token,
    changes: CHANGED,
    onDone,
  });
}

export function useDeleteComputer(computerId: string, onDone: () => void) {
  return useAction({
    run: () => bodyOf(api.DELETE('/api/v0/computers/{computerId}', path(computerId))),
    changes: [...CHANGED, 'sessions'],
    done: 'Deleted. Its sessions stay, and can be moved to another computer.',
    onDone,
  });
}
