import { useQuery } from '@tanstack/react-query';
import type { Answer } from './answer.js';
import { api, bodyOf } from './client.js';
import { usePaged } from './paged.js';

export type Repository = Answer<'listReadinessRepositories'>['repositories'][number];
export type CriterionTotals = Answer<'listReadinessCriteria'>['criteria'][number];
type CriterionAnswer = Answer<'getReadinessCriterion'>;
export type CriterionInRepository = CriterionAnswer['repositories'][number] & Pick<CriterionAnswer, 'pillar'>;
export type ReportDetail = Answer<'getReadinessReport'>;
export type ReportItem = Answer<'listReadinessReports'>['reports'][number];

const LIMIT = 100;
const pageOf = (cursor: string | undefined) => ({ limit: LIMIT, ...(cursor === undefined ? {} : { cursor }) });

export function useRepositories() {
  return usePaged({
    key: ['readiness', 'repositories'],
    read: (cursor, signal) =>
      bodyOf(api.GET('/api/organization/readiness/repositories', { params: { query: pageOf(cursor) }, signal })),
    rowsOf: ({ repositories }) => repositories,
  });
}

export function useCriteria() {
  return usePaged({
    key: ['readiness', 'criteria'],
    read: (cursor, signal) =>
      bodyOf(api.GET('/api/organization/readiness/criteria', { params: { query: pageOf(cursor) }, signal })),
    rowsOf: ({ criteria }) => criteria,
  });
}

export function useCriterion(criterion: string) {
  return usePaged({
    key: ['readiness', 'criterion', criterion],
    read: (cursor, signal) => {
      const params = { path: { criterion }, query: pageOf(cursor) };
      return bodyOf(api.GET('/api/organization/readiness/criteria/{criterion}', { params, signal }));
    },
    rowsOf: ({ pillar, repositories }): CriterionInRepository[] => repositories.map((row) => ({ ...row, pillar })),
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
