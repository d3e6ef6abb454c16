import { useQuery } from '@tanstack/react-query';
import type { Period } from '../shell/search.js';
import { api, bodyOf } from './client.js';
import type { operations } from 'openapi-types';

export type BreakdownQuery = operations['getBreakdown']['parameters']['query'];
export type BreakdownAnswer = operations['getBreakdown']['responses'][200]['content']['application/json'];
export type SummaryAnswer = operations['getSummary']['responses'][200]['content']['application/json'];
export type TodayAnswer = operations['getToday']['responses'][200]['content']['application/json'];
export type MyUsageAnswer = operations['getMyUsage']['responses'][200]['content']['application/json'];
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

/** One's own; the last day is today. */
export function useMyUsage({ from }: Period, today: string) {
  const query = { startDate: from, endDate: today };
  return useQuery({
    queryKey: ['my-usage', query],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v0/me/usage', { params: { query }, signal })),
  });
}

/** The address of exactly what is shown, as CSV. */
export function csvAddress(path: 'summary' | 'breakdown' | 'today', query: Record<string, string | undefined>): string {
  const asked = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/api/v1/analytics/${path}?${new URLSearchParams(asked).toString()}`;
}
