import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { Id } from '../../http/parameters/id.decorator.js';
import {
  ApiIdempotencyKey,
  Idempotency,
  type IdempotencyKey,
  IdempotencyService,
} from '../../idempotency/idempotency.js';
import { ReadinessReportDetailResponse, toReadinessReportDetailResponse } from './readiness-detail.dto.js';
import {
  CreateReadinessReportRequest,
  ListReadinessReportsQuery,
  ReadinessReportResponse,
  ReadinessReportsResponse,
  toReadinessReportResponse,
  toReadinessReportsResponse,
  toReportQuery,
} from './readiness.dto.js';
import { ReadinessService } from './readiness.service.js';

/** Two names of the same resource; the second is the newer one. */
@ApiTags('Readiness')
@Controller(['api/organization/maturity-level-reports', 'api/organization/agent-readiness-reports'])
@Access(Role.Owner, Role.Manager, Role.Member)
export class ReadinessController {
  constructor(
    private readonly reports: ReadinessService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Lists readiness reports
   * @remarks Newest first, by `createdAt` and then `reportId`. For the next part of the list pass the `reportId` of the last
   * report as `startAfter`; the list ends with an empty answer. The same reports are at
   * `/api/organization/maturity-level-reports` and `/api/organization/agent-readiness-reports`.
   */
  @Get()
  @ApiProblems('invalid_request')
  async listReadinessReports(
    @CurrentPrincipal() caller: Principal,
    @Query() query: ListReadinessReportsQuery,
  ): Promise<ReadinessReportsResponse> {
    return toReadinessReportsResponse(await this.reports.list(caller, toReportQuery(query)));
  }

  /**
   * Stores a readiness report
   * @remarks What an agent found when it evaluated a repository. A criterion that breaks a rule is a 400 that names it, such
   * as `report.lint_config.numerator`. The same reports are at `/api/organization/maturity-level-reports` and
   * `/api/organization/agent-readiness-reports`.
   */
  @Post()
  @ApiIdempotencyKey()
  @ApiProblems('invalid_request', 'conflict', 'payload_too_large', 'unsupported_media_type')
  createReadinessReport(
    @CurrentPrincipal() caller: Principal,
    @Idempotency() key: IdempotencyKey | null,
    @Body() body: CreateReadinessReportRequest,
  ): Promise<ReadinessReportResponse> {
    return this.idempotency.once(caller, underEitherName(key), body, async (tx) =>
      toReadinessReportResponse(await this.reports.create(tx, caller, body)),
    );
  }

  /**
   * Returns a readiness report and what it means
   * @remarks `score` is the mean of `numerator / denominator` over all criteria. The level goes up with every fifth of it:
   * 1 Functional below 0.2, 2 Documented below 0.4, 3 Standardized below 0.6, 4 Optimized below 0.8, 5 Autonomous from
   * there on. `pillars` has the same mean for each of the nine pillars; criteria that belong to none are in `Other`.
   * `changes` compares with the previous report of the same repository, whatever the spelling of its URL.
   */
  @Get(':reportId')
  @ApiProblems('not_found')
  async getReadinessReport(
    @CurrentPrincipal() caller: Principal,
    @Id('reportId', 'readiness report') reportId: string,
  ): Promise<ReadinessReportDetailResponse> {
    return toReadinessReportDetailResponse(await this.reports.get(caller, reportId));
  }
}

/** A retry at the other path is the same request. */
function underEitherName(key: IdempotencyKey | null): IdempotencyKey | null {
  return key && { ...key, route: 'POST readiness reports' };
}
