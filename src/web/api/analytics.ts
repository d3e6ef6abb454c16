import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { operations } from 'openapi-types';
import { comparedWith } from '../ranges.js';
import type { Period } from '../shell/search.js';
import type { Answer } from './answer.js';
import { api, bodyOf } from './client.js';

export type BreakdownQuery = operations['getBreakdown']['parameters']['query'];
export type BreakdownAnswer = Answer<'getBreakdown'>;
export type SummaryAnswer = Answer<'getSummary'>;
export type TodayAnswer = Answer<'getToday'>;
export type MyUsageAnswer = Answer<'getMyUsage'>;
export type PersonAnswer = Answer<'getPerson'>;
export type Dimension = BreakdownQuery['dimension'];
export type Metric = BreakdownQuery['metric'];
/** What is asked beside the range. */
export type Question = Omit<BreakdownQuery, 'startDate' | 'endDate' | 'compare'>;

/** Old figures stay visible while those of another range load; under another question they would be a lie. */
const isOf = (question: unknown, previous: { readonly queryKey: readonly unknown[] } | undefined) =>
  JSON.stringify(previous?.queryKey[1]) === JSON.stringify(question);

const rangeOf = ({ from, to, comparison }: Period) => ({ startDate: from, endDate: to, compare: comparison });

export function useSummary(period: Period) {
  const query = rangeOf(period);
  return useQuery({
    queryKey: ['summary', query],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/analytics/summary', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function useBreakdown(period: Period, question: Question, { enabled = true } = {}) {
  const query = { ...rangeOf(period), ...question };
  return useQuery({
    queryKey: ['breakdown', question, query],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/analytics/breakdown', { params: { query }, signal })),
    placeholderData: (data, previous) => (isOf(question, previous) ? data : undefined),
    enabled,
  });
}

/** The days that a chart is compared with; disabled without comparison. */
export function useBreakdownBefore(period: Period, question: Question) {
  const before = comparedWith(period, period.comparison);
  return useBreakdown(
    { ...(before ?? period), comparison: 'none' },
    { ...question, limit: 1 },
    { enabled: before !== null },
  );
}

/** Page after page, in the order of the service. */
export function useBreakdownPages(period: Period, question: Question) {
  const query = { ...rangeOf(period), ...question };
  return useInfiniteQuery({
    queryKey: ['breakdown-pages', question.metric, query],
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/api/v1/analytics/breakdown', {
          params: { query: { ...query, ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ meta }) => meta.next_cursor ?? undefined,
    placeholderData: (data, previous) => (isOf(question.metric, previous) ? data : undefined),
  });
}

export function usePerson(userId: string, { from, to }: Period) {
  const query = { startDate: from, endDate: to };
  return useQuery({
    queryKey: ['person', userId, query],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/analytics/people/{userId}', { params: { path: { userId }, query }, signal })),
    placeholderData: (data, previous) => (isOf(userId, previous) ? data : undefined),
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
    placeholderData: keepPreviousData,
  });
}
