import { useQuery } from '@tanstack/react-query';
import { useAction } from './action.js';
import type { Answer } from './answer.js';
import { api, bodyOf } from './client.js';

export type Source = Answer<'listSources'>['sources'][number];
export type Refusals = Answer<'getRefusals'>;

/** More than anybody runs. */
const LIMIT = 100;

/** One's own agents. */
export function useMySources(userId: string | undefined, everyMs: number | false) {
  return useQuery({
    queryKey: ['sources', userId],
    queryFn: async ({ signal }) => {
      const query = { userId: userId ?? '', limit: LIMIT };
      return (await bodyOf(api.GET('/api/v0/telemetry/sources', { params: { query }, signal }))).sources;
    },
    enabled: userId !== undefined,
    refetchInterval: everyMs,
  });
}

/** Telemetry from this address whose key was refused. */
export function useRefusals(everyMs: number | false) {
  return useQuery({
    queryKey: ['refusals'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v0/telemetry/refusals', { signal })),
    refetchInterval: everyMs,
  });
}

export function useTelemetryKey() {
  return useAction({
    run: async (name: string) =>
      (await bodyOf(api.POST('/api/v0/api-keys', { body: { name, scope: 'telemetry' } }))).key,
    changes: ['api-keys'],
  });
}
