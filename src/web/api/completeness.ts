import { useQuery } from '@tanstack/react-query';
import type { components } from 'openapi-types';
import type { DayRange } from '../ranges.js';
import { api, bodyOf } from './client.js';
import { usePaged } from './paged.js';

export type CompletenessRow = components['schemas']['CompletenessRow'];
export type Source = components['schemas']['SourceResponse'];

export function useCompleteness({ from, to }: DayRange) {
  const query = { startDate: from, endDate: to };
  return useQuery({
    queryKey: ['completeness', query],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/analytics/completeness', { params: { query }, signal })),
  });
}

export function useSources() {
  return usePaged({
    key: ['sources'],
    read: (cursor, signal) =>
      bodyOf(api.GET('/api/v0/telemetry/sources', { params: { query: { limit: 50, cursor } }, signal })),
    rowsOf: ({ sources }) => sources,
  });
}

export function completenessCsvAddress({ from, to }: DayRange): string {
  return `/api/v1/analytics/completeness?${new URLSearchParams({ startDate: from, endDate: to }).toString()}`;
}
