import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { operations } from 'openapi-types';
import { api, bodyOf } from './client.js';

type Answer<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;
export type Repository = Answer<'listReadinessRepositories'>['repositories'][number];
export type CriterionTotals = Answer<'listReadinessCriteria'>['criteria'][number];
export type CriterionAnswer = Answer<'getReadinessCriterion'>;
export type ReportDetail = operations['getReadinessReport']['responses'][200]['content']['application/json'];
export type ReportItem = Answer<'listReadinessReports'>['reports'][number];

const LIMIT = 100;
const next = ({ pagination }: { pagination: { nextCursor?: string | null } }) => pagination.nextCursor ?? undefined;

export function useRepositories() {
  return useInfiniteQuery({
    queryKey: ['readiness', 'repositories'],
    queryFn: ({ pageParam, signal }) =>
      bodyOf(
        api.GET('/api/organization/readiness/repositories', {
          params: { query: { limit: LIMIT, ...(pageParam === '' ? {} : { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: next,
  });
}

export function useCriteria() {
  return useInfiniteQuery({
    queryKey: ['readiness', 'criteria'],
    queryFn: ({ pageParam, signal }) =>
      bodyOf(
        api.GET('/api/organization/readiness/criteria', {
          params: { query: { limit: LIMIT, ...(pageParam === '' ? {} : { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: next,
  });
}

export function useCriterion(criterion: string) {
  return useInfiniteQuery({
    queryKey: ['readiness', 'criterion', criterion],
    queryFn: ({ pageParam, signal }) =>
      bodyOf(
        api.GET('/api/organization/readiness/criteria/{criterion}', {
          params: { path: { criterion }, query: { limit: LIMIT, ...(pageParam === '' ? {} : { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: next,
  });
}

export function useReport(reportId: string | undefined) {
  return useQuery({
    queryKey: ['readiness', 'report', reportId],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/api/organization/maturity-level-reports/{reportId}', {
          params: { path: { reportId: reportId ?? '' } },
          signal,
        }),
      ),
    enabled: reportId !== undefined,
  });
}

/** The reports of a repository, newest first. */
export function useReportsOf(repoUrl: string) {
  return useQuery({
    queryKey: ['readiness', 'reports', repoUrl],
    queryFn: async ({ signal }) => {
      const query = { repoId: repoUrl, limit: 50 };
      return (await bodyOf(api.GET('/api/organization/maturity-level-reports', { params: { query }, signal }))).reports;
    },
  });
}
