import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Pagination } from '../../../http/paging/paging.dto.js';
import { type Page, type PageRequest, toPagination } from '../../../http/paging/paging.js';
import { ReadinessCount } from '../readiness-detail.dto.js';
import { pillarOf } from '../readiness-level.js';
import type { CriterionInRepository, CriterionTotals } from './readiness-summary.repository.js';
import type { GradedReport, RepositorySummary } from './readiness-summary.service.js';

/** Score and level of a report. */
export class ReadinessGrade {
  /**
   * Report id.
   * @example "01980f74-7e66-7f70-8182-9d0e1f2a3b4c"
   */
  @ApiProperty({ format: 'uuid' })
  reportId: string;

  /**
   * When it was stored, ISO 8601.
   * @example "2026-11-15T08:30:00.000Z"
   */
  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  /**
   * Level that follows from the score, as in the report itself.
   * @example 3
   */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 5 })
  level: number;

  /**
   * Name of the level, in the order of the levels.
   * @example "Standardized"
   */
  levelName: 'Functional' | 'Documented' | 'Standardized' | 'Optimized' | 'Autonomous';

  /**
   * Mean of `numerator / denominator` over all criteria, 0 to 1.
   * @example 0.5
   */
  @ApiProperty({ minimum: 0, maximum: 1 })
  score: number;
}

/** A repository, as its newest report sees it. */
export class ReadinessRepositoryResponse extends ReadinessGrade {
  /**
   * The repository as `host/owner/name`, whatever the spelling of its URL.
   * @example "github.com/acme/shop"
   */
  repoId: string;

  /**
   * URL of the repository, as the newest report has it.
   * @example "https://github.com/acme/shop"
   */
  repoUrl: string;

  /**
   * Criteria that the newest report evaluates.
   * @example 62
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  criteria: number;

  /**
   * Criteria that are not met everywhere.
   * @example 17
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  failing: number;

  /** The report before; absent when there is one only. */
  @ApiPropertyOptional({ type: () => ReadinessGrade })
  previous?: ReadinessGrade;

  /**
   * Score minus the score of the report before; null when there is none.
   * @example 0.02
   */
  @ApiProperty({ minimum: -1, maximum: 1 })
  scoreChange: number | null;

  /**
   * Criteria of which a greater share is met than in the report before.
   * @example 3
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  improved: number;

  /**
   * Criteria of which a smaller share is met than in the report before.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  worsened: number;

  /** The last ten reports, oldest first, with the newest one. */
  trend: ReadinessGrade[];
}

/** A page of evaluated repositories. */
export class ReadinessRepositoriesResponse {
  /** The repositories, by `repoId`. */
  repositories: ReadinessRepositoryResponse[];

  /** Whether and how the list goes on. */
  pagination: Pagination;
}

/** A criterion in all repositories. */
export class ReadinessCriterionTotals {
  /**
   * Criterion id.
   * @example "lint_config"
   */
  criterion: string;

  /**
   * The pillar to which it belongs; `Other` when it is none of the known ones.
   * @example "Style & Validation"
   */
  pillar: string;

  /**
   * Repositories whose newest report evaluates it.
   * @example 12
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  repositories: number;

  /**
   * Repositories that meet it everywhere.
   * @example 9
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  met: number;

  /**
   * Repositories that do not meet it everywhere.
   * @example 3
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  failing: number;
}

/** A page of criteria. */
export class ReadinessCriteriaResponse {
  /** The criteria, by id. */
  criteria: ReadinessCriterionTotals[];

  /** Whether and how the list goes on. */
  pagination: Pagination;
}

/** A criterion in one repository. */
export class ReadinessCriterionInRepository extends ReadinessCount {
  /**
   * The repository as `host/owner/name`.
   * @example "github.com/acme/shop"
   */
  repoId: string;

  /**
   * URL of the repository, as its newest report has it.
   * @example "https://github.com/acme/shop"
   */
  repoUrl: string;

  /**
   * Its newest report.
   * @example "01980f74-7e66-7f70-8182-9d0e1f2a3b4c"
   */
  @ApiProperty({ format: 'uuid' })
  reportId: string;

  /**
   * When that was stored, ISO 8601.
   * @example "2026-11-15T08:30:00.000Z"
   */
  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  /**
   * Why it is met so far.
   * @example "The worker has no configuration."
   */
  rationale: string;

  /** In the report before; absent when there is none, or when it did not evaluate the criterion. */
  @ApiPropertyOptional({ type: () => ReadinessCount })
  before?: ReadinessCount;
}

/** A page of one criterion. */
export class ReadinessCriterionResponse {
  /**
   * Criterion id.
   * @example "lint_config"
   */
  criterion: string;

  /**
   * The pillar to which it belongs; `Other` when it is none of the known ones.
   * @example "Style & Validation"
   */
  pillar: string;

  /** The repositories whose newest report evaluates it, by `repoId`. */
  repositories: ReadinessCriterionInRepository[];

  /** Whether and how the list goes on. */
  pagination: Pagination;
}

export function toReadinessRepositoriesResponse(
  page: Page<RepositorySummary>,
  request: PageRequest,
): ReadinessRepositoriesResponse {
  return { repositories: page.items.map(toRepository), pagination: toPagination(page, request) };
}

export function toReadinessCriteriaResponse(
  page: Page<CriterionTotals & { pillar: string }>,
  request: PageRequest,
): ReadinessCriteriaResponse {
  const criteria = page.items.map((item) => ({ ...item, failing: item.repositories - item.met }));
  return { criteria, pagination: toPagination(page, request) };
}

export function toReadinessCriterionResponse(
  criterion: string,
  page: Page<CriterionInRepository>,
  request: PageRequest,
): ReadinessCriterionResponse {
  const repositories = page.items.map(({ repoKey, createdAt, before, ...found }) => ({
    repoId: repoKey,
    ...found,
    createdAt: createdAt.toISOString(),
    ...(before ? { before } : {}),
  }));
  return { criterion, pillar: pillarOf(criterion), repositories, pagination: toPagination(page, request) };
}

function toRepository(summary: RepositorySummary): ReadinessRepositoryResponse {
  const { repoKey, repoUrl, criteria, failing, previous, improved, worsened, trend } = summary;
  return {
    repoId: repoKey,
    repoUrl,
    ...toGrade(summary),
    criteria,
    failing,
    ...(previous ? { previous: toGrade(previous) } : {}),
    scoreChange: previous ? difference(summary.score, previous.score) : null,
    improved,
    worsened,
    trend: trend.map(toGrade),
  };
}

function toGrade({ reportId, createdAt, level, levelName, score }: GradedReport): ReadinessGrade {
  return { reportId, createdAt: createdAt.toISOString(), level, levelName, score };
}

/** To 12 decimals, like scores. */
function difference(one: number, other: number): number {
  return Math.round((one - other) * 1e12) / 1e12;
}
