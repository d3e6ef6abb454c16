import { Injectable } from '@nestjs/common';
import { type Page, type PageRequest, toPage } from '../../../http/paging/paging.js';
import { OrgDatabase } from '../../../database/org-database.js';
import { SqlParameters } from '../../../database/sql-parameters.js';

type Share = [numerator: number, denominator: number];

export interface ReportShares {
  readonly reportId: string;
  readonly repoUrl: string;
  readonly createdAt: Date;
  /** In the order of `criteria`. */
  readonly shares: Share[];
  /** Only of the two newest reports. */
  readonly criteria: string[] | null;
}

export interface RepositoryReports {
  readonly repoKey: string;
  /** Newest first, at most as many as asked for. */
  readonly reports: ReportShares[];
}

export interface CriterionInRepository {
  readonly repoKey: string;
  readonly repoUrl: string;
  readonly reportId: string;
  readonly createdAt: Date;
  readonly numerator: number;
  readonly denominator: number;
  readonly rationale: string;
  readonly before: { numerator: number; denominator: number } | null;
}

export interface CriterionTotals {
  readonly criterion: string;
  readonly repositories: number;
  readonly met: number;
}

/** The newest report of each repository: found by the index alone, before any report is read. */
const latestOf = (org: string, further = '') => `
  latest AS (SELECT DISTINCT ON (r.repo_key) r.repo_key, r.id, r.created_at FROM readiness_reports r
              WHERE r.org_id = ${org} ${further} ORDER BY r.repo_key, r.created_at DESC, r.id DESC)`;

/** Rationales, the largest part of a report, are left in the database. */
@Injectable()
export class ReadinessSummaryRepository {
  constructor(private readonly db: OrgDatabase) {}

  /** By key. */
  async listRepositories(orgId: string, page: PageRequest, reports: number): Promise<Page<RepositoryReports>> {
    const p = new SqlParameters();
    const org = p.add(orgId);
    const rows = await this.db.read<RepositoryReports>(
      orgId,
      `WITH keys AS (SELECT r.repo_key FROM readiness_reports r
                      WHERE r.org_id = ${org} ${p.behind(page.after, 'r.repo_key', 'ascending')}
                      GROUP BY r.repo_key ORDER BY r.repo_key LIMIT ${p.add(page.limit + 1)})
       SELECT k.repo_key AS "repoKey",
              (SELECT json_agg(x ORDER BY x.n) FROM (
                 SELECT b.n, b.id AS "reportId", b.repo_url AS "repoUrl", b.created_at AS "createdAt",
                        (SELECT json_agg(json_build_array(e.value -> 'numerator', e.value -> 'denominator'))
                           FROM json_each(b.report) e) AS shares,
                        CASE WHEN b.n <= 2 THEN (SELECT json_agg(e.key) FROM json_each(b.report) e) END AS criteria
                   FROM (SELECT r.*, row_number() OVER (ORDER BY r.created_at DESC, r.id DESC) AS n
                           FROM readiness_reports r WHERE r.org_id = ${org} AND r.repo_key = k.repo_key
                          ORDER BY r.created_at DESC, r.id DESC LIMIT ${p.add(reports)}) b) x) AS reports
         FROM keys k ORDER BY k.repo_key`,
      p.values,
    );
    const dated = rows.map(({ repoKey, reports: found }) => ({
      repoKey,
      reports: found.map((report) => ({ ...report, createdAt: new Date(report.createdAt) })),
    }));
    return toPage(dated, page.limit, ({ repoKey }) => [repoKey]);
  }

  /** In the newest report of each repository that evaluates it, by key of the repository. */
  async listCriterion(orgId: string, criterion: string, page: PageRequest): Promise<Page<CriterionInRepository>> {
    const p = new SqlParameters();
    const org = p.add(orgId);
    const id = `${p.add(criterion)}::text`;
    const count = (evaluation: string, part: string) => `(${evaluation} ->> '${part}')::float8`;
    const rows = await this.db.read<CriterionInRepository>(
      orgId,
      `WITH ${latestOf(org, p.behind(page.after, 'r.repo_key', 'ascending'))}
       SELECT l.repo_key AS "repoKey", r.repo_url AS "repoUrl", r.id AS "reportId", r.created_at AS "createdAt",
              ${count(`(r.report -> ${id})`, 'numerator')} AS numerator,
              ${count(`(r.report -> ${id})`, 'denominator')} AS denominator,
              r.report -> ${id} ->> 'rationale' AS rationale,
              (SELECT json_build_object('numerator', ${count('b.evaluation', 'numerator')},
                                        'denominator', ${count('b.evaluation', 'denominator')})
                 FROM (SELECT o.report -> ${id} AS evaluation FROM readiness_reports o
                        WHERE o.org_id = ${org} AND o.repo_key = l.repo_key AND (o.created_at, o.id) < (l.created_at, l.id)
                        ORDER BY o.created_at DESC, o.id DESC LIMIT 1) b
                WHERE b.evaluation IS NOT NULL) AS before
         FROM latest l JOIN readiness_reports r ON r.org_id = ${org} AND r.id = l.id
        WHERE r.report -> ${id} IS NOT NULL
        ORDER BY l.repo_key LIMIT ${p.add(page.limit + 1)}`,
      p.values,
    );
    return toPage(rows, page.limit, ({ repoKey }) => [repoKey]);
  }

  /** Of the newest reports, by criterion. */
  async listCriteria(orgId: string, page: PageRequest): Promise<Page<CriterionTotals>> {
    const p = new SqlParameters();
    const org = p.add(orgId);
    const rows = await this.db.read<CriterionTotals>(
      orgId,
      `WITH ${latestOf(org)}
       SELECT c.criterion, count(*)::int AS repositories, count(*) FILTER (WHERE c.numerator = c.denominator)::int AS met
         FROM (SELECT e.key COLLATE "C" AS criterion, (e.value ->> 'numerator')::float8 AS numerator,
                      (e.value ->> 'denominator')::float8 AS denominator
                 FROM latest l JOIN readiness_reports r ON r.org_id = ${org} AND r.id = l.id, json_each(r.report) e) c
        WHERE true ${p.behind(page.after, 'c.criterion', 'ascending')}
        GROUP BY c.criterion ORDER BY c.criterion LIMIT ${p.add(page.limit + 1)}`,
      p.values,
    );
    return toPage(rows, page.limit, ({ criterion }) => [criterion]);
  }
}
