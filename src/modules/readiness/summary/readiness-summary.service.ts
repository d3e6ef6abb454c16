import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { NotFoundError } from '../../../common/errors/domain-error.js';
import type { Page, PageRequest } from '../../../http/paging/paging.js';
import { compare, type CriterionCount } from '../readiness-changes.js';
import { grade, type LevelName, pillarOf } from '../readiness-level.js';
import {
  type CriterionInRepository,
  type CriterionTotals,
  ReadinessSummaryRepository,
  type ReportShares,
  type RepositoryReports,
} from './readiness-summary.repository.js';

/** Reports of a repository of which the score is shown. */
const TREND = 10;

export interface GradedReport {
  readonly reportId: string;
  readonly createdAt: Date;
  readonly score: number;
  readonly level: number;
  readonly levelName: LevelName;
}

export interface RepositorySummary extends GradedReport {
  readonly repoKey: string;
  readonly repoUrl: string;
  readonly criteria: number;
  readonly failing: number;
  /** null: there is one report only. */
  readonly previous: GradedReport | null;
  /** Criteria of which a greater, and a smaller, share is met than before. */
  readonly improved: number;
  readonly worsened: number;
  /** Oldest first. */
  readonly trend: GradedReport[];
}

@Injectable()
export class ReadinessSummaryService {
  constructor(private readonly reports: ReadinessSummaryRepository) {}

  async listRepositories({ orgId }: Principal, page: PageRequest): Promise<Page<RepositorySummary>> {
    const { items, next } = await this.reports.listRepositories(orgId, page, TREND);
    return { items: items.flatMap(summarize), next };
  }

  /** A criterion that no newest report evaluates does not exist. */
  async listCriterion(
    { orgId }: Principal,
    criterion: string,
    page: PageRequest,
  ): Promise<Page<CriterionInRepository>> {
    const found = await this.reports.listCriterion(orgId, criterion, page);
    if (found.items.length === 0 && page.after === null) throw new NotFoundError('criterion', criterion);
    return found;
  }

  async listCriteria({ orgId }: Principal, page: PageRequest): Promise<Page<CriterionTotals & { pillar: string }>> {
    const { items, next } = await this.reports.listCriteria(orgId, page);
    return { items: items.map((totals) => ({ ...totals, pillar: pillarOf(totals.criterion) })), next };
  }
}

function summarize({ repoKey, reports }: RepositoryReports): RepositorySummary[] {
  const [latest, previous] = reports;
  if (!latest) return [];
  const counts = countsOf(latest);
  const { improved, worsened } = compare(previous ? namedCountsOf(previous) : {}, namedCountsOf(latest));
  return [
    {
      repoKey,
      repoUrl: latest.repoUrl,
      ...gradeOf(latest),
      criteria: counts.length,
      failing: counts.filter(({ numerator, denominator }) => numerator < denominator).length,
      previous: previous ? gradeOf(previous) : null,
      improved: improved.length,
      worsened: worsened.length,
      trend: reports.map(gradeOf).reverse(),
    },
  ];
}

function gradeOf(report: ReportShares): GradedReport {
  return { reportId: report.reportId, createdAt: report.createdAt, ...grade(countsOf(report)) };
}

function countsOf({ shares }: ReportShares): CriterionCount[] {
  return shares.map(([numerator, denominator]) => ({ numerator, denominator }));
}

function namedCountsOf(report: ReportShares): Record<string, CriterionCount> {
  const counts = countsOf(report);
  return Object.fromEntries((report.criteria ?? []).flatMap((name, i) => (counts[i] ? [[name, counts[i]]] : [])));
}
