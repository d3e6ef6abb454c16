import { ApiProperty } from '@nestjs/swagger';
import { ReadinessReportResponse, toReadinessReportResponse } from './readiness.dto.js';
import type { AssessedReport } from './readiness.service.js';

/** Criteria that belong together. */
export class ReadinessPillar {
  /**
   * Name of the pillar; `Other` for criteria that belong to none of the nine, where there are any.
   * @example "Style & Validation"
   */
  name: string;

  /**
   * Mean of `numerator / denominator` over its criteria, 0 to 1; null when the report evaluates none of them.
   * @example 0.5
   */
  @ApiProperty({ minimum: 0, maximum: 1 })
  score: number | null;

  /**
   * Ids of its criteria that the report evaluates.
   * @example ["lint_config"]
   */
  criteria: string[];
}

/** How many sub-applications of how many meet a criterion. */
export class ReadinessCount {
  /**
   * How many meet it.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  numerator: number;

  /**
   * How many were evaluated.
   * @example 2
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  denominator: number;
}

/** A criterion that differs from the previous report. */
export class ReadinessChange {
  /**
   * Criterion id.
   * @example "lint_config"
   */
  criterion: string;

  /** In the previous report; absent when that did not evaluate it. */
  before?: ReadinessCount;

  /** In this report; absent when it does not evaluate it. */
  after?: ReadinessCount;
}

/** What differs from the previous report of the same repository. */
export class ReadinessChanges {
  /**
   * Id of the previous report; null when this is the first, and then nothing differs.
   * @example "01980f70-1a22-7b3c-8d4e-5f6a7b8c9d0e"
   */
  @ApiProperty({ format: 'uuid' })
  previousReportId: string | null;

  /** Criteria that only this report evaluates. */
  added: ReadinessChange[];

  /** Criteria that only the previous report evaluated. */
  removed: ReadinessChange[];

  /** Criteria of which a greater share is met. */
  improved: ReadinessChange[];

  /** Criteria of which a smaller share is met. */
  worsened: ReadinessChange[];
}

/** A report and what it means. */
export class ReadinessReportDetailResponse extends ReadinessReportResponse {
  /**
   * Level that follows from the score: 1 below 0.2, 2 below 0.4, 3 below 0.6, 4 below 0.8, 5 from there on.
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
   * Mean of `numerator / denominator` over all criteria, 0 to 1, to 12 decimals. Every criterion counts the same.
   * @example 0.5
   */
  @ApiProperty({ minimum: 0, maximum: 1 })
  score: number;

  /** The nine pillars with the scores of their criteria. */
  pillars: ReadinessPillar[];

  /** What differs from the previous report of the same repository. */
  changes: ReadinessChanges;
}

export function toReadinessReportDetailResponse(assessed: AssessedReport): ReadinessReportDetailResponse {
  const { report, assessment, previousReportId, changes } = assessed;
  const { level, levelName, score, pillars } = assessment;
  const meaning = { level, levelName, score, pillars, changes: { previousReportId, ...changes } };
  return { ...toReadinessReportResponse(report), ...meaning };
}
