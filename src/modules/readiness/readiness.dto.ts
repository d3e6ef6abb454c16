import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import {
  Flag,
  Nested,
  NestedMap,
  OneOf,
  Optional,
  PageLimit,
  TextLength,
  UpToField,
  Uuid,
  WholeNumber,
} from '../../common/validation/rules.js';
import { type ModelUsed, REASONING_EFFORTS, type ReadinessReportEntity } from './readiness-report.entity.js';
import type { ReportQuery } from './readiness.service.js';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

/** Which reports to list. */
export class ListReadinessReportsQuery {
  /**
   * Only reports of this repository: `host/owner/name` in lower case, without scheme and `.git`, or its URL in any usual
   * spelling, those of ssh included. User, password and port do not count.
   * @example "github.com/acme/shop"
   */
  @Optional()
  @TextLength(1, 1000)
  repoId?: string;

  /**
   * The most reports to return, 1 to 500.
   * @example 50
   */
  @Optional()
  @PageLimit(MAX_LIMIT, { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })
  limit?: string;

  /**
   * Goes on behind this report: `reportId` of the last one of the previous answer. An id of no report is a 400.
   * @example "01980f74-7e66-7f70-8182-9d0e1f2a3b4c"
   */
  @Optional()
  @Uuid()
  startAfter?: string;
}

/** A part of a repository that was evaluated by itself. */
export class ReadinessApp {
  /**
   * What it is, at most 2,000 characters.
   * @example "Web shop"
   */
  @TextLength(0, 2000)
  description: string;
}

/** How far a criterion is met. */
export class ReadinessCriterion {
  /**
   * How many sub-applications meet it; 0 up to `denominator`.
   * @example 1
   */
  @UpToField('denominator')
  numerator: number;

  /**
   * How many sub-applications were evaluated.
   * @example 2
   */
  @WholeNumber(1, 1_000_000)
  denominator: number;

  /**
   * Why, at most 10,000 characters.
   * @example "The web shop has an ESLint configuration, the worker has none."
   */
  @TextLength(0, 10_000)
  rationale: string;
}

/** The model that evaluated. */
export class ReadinessModel {
  /**
   * Model id, 1 to 200 characters.
   * @example "claude-sonnet-4-5"
   */
  @TextLength(1, 200)
  id: string;

  /**
   * Its reasoning effort.
   * @example "medium"
   */
  @OneOf(REASONING_EFFORTS)
  reasoningEffort: ModelUsed['reasoningEffort'];
}

/** A report to store; the service gives it its id and time. */
@ApiExtraModels(ReadinessApp, ReadinessCriterion)
export class CreateReadinessReportRequest {
  /**
   * URL of the evaluated repository, at most 1,000 characters, in any usual spelling. One with a password or a token in it
   * is a 400: it would be shown to everybody who may read the report.
   * @example "https://github.com/acme/shop"
   */
  @TextLength(1, 1000)
  @ApiProperty({ pattern: '^[^\\s?#]+[/:][^\\s?#]+/[^\\s?#]+$' })
  repoUrl: string;

  /**
   * What the repository consists of, by path; at most 500 paths of 1 to 1,000 characters.
   * @example { "apps/web": { "description": "Web shop" }, "apps/worker": { "description": "Sends the mails" } }
   */
  @NestedMap(ReadinessApp, { minEntries: 0, maxEntries: 500, maxKeyLength: 1000 })
  apps: Map<string, ReadinessApp>;

  /**
   * How far each criterion is met, by criterion id; 1 to 500 ids of 1 to 100 characters.
   * @example { "lint_config": { "numerator": 1, "denominator": 2, "rationale": "The worker has no configuration." } }
   */
  @NestedMap(ReadinessCriterion, { minEntries: 1, maxEntries: 500, maxKeyLength: 100 })
  report: Map<string, ReadinessCriterion>;

  /**
   * Commit at the time of the evaluation, 1 to 64 characters.
   * @example "0123456789abcdef0123456789abcdef01234567"
   */
  @Optional()
  @TextLength(1, 64)
  commitHash?: string;

  /**
   * Branch at the time of the evaluation, 1 to 500 characters.
   * @example "main"
   */
  @Optional()
  @TextLength(1, 500)
  branch?: string;

  /**
   * Whether there were uncommitted changes.
   * @example false
   */
  @Optional()
  @Flag()
  hasLocalChanges?: boolean;

  /**
   * Whether there were commits that had not been pushed.
   * @example false
   */
  @Optional()
  @Flag()
  hasNonRemoteCommits?: boolean;

  /** The model that evaluated. */
  @Optional()
  @Nested(() => ReadinessModel)
  modelUsed?: ReadinessModel;

  /**
   * Version of the agent that made the report, 1 to 100 characters.
   * @example "0.62.1"
   */
  @Optional()
  @TextLength(1, 100)
  agentVersion?: string;
}

/** What an evaluation of a repository found. */
@ApiExtraModels(ReadinessApp, ReadinessCriterion)
export class ReadinessReportResponse {
  /**
   * Report id.
   * @example "01980f74-7e66-7f70-8182-9d0e1f2a3b4c"
   */
  @ApiProperty({ format: 'uuid' })
  reportId: string;

  /**
   * When it was stored, Unix milliseconds.
   * @example 1763193600000
   */
  createdAt: number;

  /**
   * URL of the evaluated repository, as it was sent.
   * @example "https://github.com/acme/shop"
   */
  repoUrl: string;

  /**
   * What the repository consists of, by path.
   * @example { "apps/web": { "description": "Web shop" } }
   */
  @ApiProperty({ type: 'object', additionalProperties: { $ref: getSchemaPath(ReadinessApp) } })
  apps: Record<string, ReadinessApp>;

  /**
   * How far each criterion is met, by criterion id.
   * @example { "lint_config": { "numerator": 1, "denominator": 2, "rationale": "The worker has no configuration." } }
   */
  @ApiProperty({ type: 'object', additionalProperties: { $ref: getSchemaPath(ReadinessCriterion) } })
  report: Record<string, ReadinessCriterion>;

  /**
   * Commit at the time of the evaluation.
   * @example "0123456789abcdef0123456789abcdef01234567"
   */
  commitHash?: string;

  /**
   * Branch at the time of the evaluation.
   * @example "main"
   */
  branch?: string;

  /**
   * Whether there were uncommitted changes.
   * @example false
   */
  hasLocalChanges?: boolean;

  /**
   * Whether there were commits that had not been pushed.
   * @example false
   */
  hasNonRemoteCommits?: boolean;

  /** The model that evaluated. */
  @ApiPropertyOptional({ type: () => ReadinessModel })
  modelUsed?: ReadinessModel;

  /**
   * Version of the agent that made the report.
   * @example "0.62.1"
   */
  agentVersion?: string;
}

/** A part of the list of reports. */
export class ReadinessReportsResponse {
  /** The reports, newest first. There may be fewer than asked for when they are large; the list ends with an empty answer. */
  reports: ReadinessReportResponse[];
}

export function toReportQuery({ limit, ...query }: ListReadinessReportsQuery): ReportQuery {
  return { ...query, limit: Number(limit ?? DEFAULT_LIMIT) };
}

export function toReadinessReportResponse(report: ReadinessReportEntity): ReadinessReportResponse {
  const { commitHash, branch, hasLocalChanges, hasNonRemoteCommits, modelUsed, agentVersion } = report;
  const known = Object.entries({ commitHash, branch, hasLocalChanges, hasNonRemoteCommits, modelUsed, agentVersion });
  return {
    reportId: report.id,
    createdAt: report.createdAt.getTime(),
    repoUrl: report.repoUrl,
    apps: report.apps,
    report: report.report,
    ...Object.fromEntries(known.filter(([, value]) => value !== null)),
  };
}

export function toReadinessReportsResponse(reports: ReadinessReportEntity[]): ReadinessReportsResponse {
  return { reports: reports.map(toReadinessReportResponse) };
}
