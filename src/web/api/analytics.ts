import { useQuery } from '@tanstack/react-query';
import type { Period } from '../shell/search.js';
import { api, bodyOf } from './client.js';
import type { operations } from 'openapi-types';

export type BreakdownQuery = operations['AnalyticsQuestions_getBreakdown']['parameters']['query'];
export type Dimension = BreakdownQuery['dimension'];
export type Metric = BreakdownQuery['metric'];

const rangeOf = ({ from, to, comparison }: Period) => ({ startDate: from, endDate: to, compare: comparison });

export function useSummary(period: Period) {
  const query = rangeOf(period);
  return useQuery({
    queryKey: ['summary', query],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/analytics/summary', { params: { query }, signal })),
  });
}

export function useBreakdown(period: Period, asked: Omit<BreakdownQuery, 'startDate' | 'endDate' | 'compare'>) {
  const query = { ...rangeOf(period), ...asked };
  return useQuery({
    queryKey: ['breakdown', query],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/analytics/breakdown', { params: { query }, signal })),
  });
}

/** The running day; asked again while the page is visible. */
export function useToday() {
  return useQuery({
    queryKey: ['today'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/analytics/today', { signal })),
    refetchInterval: 10_000,
  });
}
