import { Injectable } from '@nestjs/common';
import { newId } from '../../common/new-id.js';
import type { Principal } from '../../common/access/principal.js';
import { InvalidRequestError, NotFoundError } from '../../common/errors/domain-error.js';
import type { Position } from '../../http/paging/paging.js';
import { Clock } from '../../common/time/clock.js';
import type { SqlTransaction } from '../../database/sql-transaction.js';
import { type Changes, compare } from './readiness-changes.js';
import { assess, type Assessment } from './readiness-level.js';
import { type CriterionEvaluation, type ModelUsed, ReadinessReportEntity } from './readiness-report.entity.js';
import { ReadinessRepository } from './readiness.repository.js';
import { parseRepositoryUrl } from './repository-url.js';

export interface ReportQuery {
  readonly repoId?: string;
  readonly limit: number;
  readonly startAfter?: string;
}

export interface NewReport {
  repoUrl: string;
  apps: ReadonlyMap<string, { description: string }>;
  report: ReadonlyMap<string, CriterionEvaluation>;
  commitHash?: string;
  branch?: string;
  hasLocalChanges?: boolean;
  hasNonRemoteCommits?: boolean;
  modelUsed?: ModelUsed;
  agentVersion?: string;
}

export interface AssessedReport {
  readonly report: ReadinessReportEntity;
  readonly assessment: Assessment;
  /** null: the first report of its repository. */
  readonly previousReportId: string | null;
  readonly changes: Changes;
}

@Injectable()
export class ReadinessService {
  constructor(
    private readonly reports: ReadinessRepository,
    private readonly clock: Clock,
  ) {}

  async list({ orgId }: Principal, { repoId, limit, startAfter }: ReportQuery): Promise<ReadinessReportEntity[]> {
    const repoKey = repoId === undefined ? null : keyOfRepository(repoId);
    const after = startAfter === undefined ? null : await this.getPosition(orgId, startAfter);
    return this.reports.listPage(orgId, { limit, after, repoKey });
  }

  async get({ orgId }: Principal, reportId: string): Promise<AssessedReport> {
    const report = await this.reports.findById(orgId, reportId);
    if (!report) throw new NotFoundError('readiness report', reportId);
    const previous = await this.reports.findPrevious(report);
    return {
      report,
      assessment: assess(report.report),
      previousReportId: previous?.id ?? null,
      changes: compare(previous?.report ?? report.report, report.report),
    };
  }

  /** `createdAt`: the time of an earlier evaluation. */
  async create(
    tx: SqlTransaction,
    { orgId }: Principal,
    input: NewReport,
    createdAt = this.clock.now(),
  ): Promise<ReadinessReportEntity> {
    const report: ReadinessReportEntity = {
      orgId,
      id: newId(),
      repoUrl: input.repoUrl,
      repoKey: keyOfUploadedUrl(input.repoUrl),
      apps: Object.fromEntries(input.apps),
      report: Object.fromEntries(input.report),
      commitHash: input.commitHash ?? null,
      branch: input.branch ?? null,
      hasLocalChanges: input.hasLocalChanges ?? null,
      hasNonRemoteCommits: input.hasNonRemoteCommits ?? null,
      modelUsed: input.modelUsed ?? null,
      agentVersion: input.agentVersion ?? null,
      createdAt,
    };
    await this.reports.insert(tx, report);
    return report;
  }

  private async getPosition(orgId: string, reportId: string): Promise<Position> {
    const position = await this.reports.findPosition(orgId, reportId);
    if (!position) throw InvalidRequestError.ofField('startAfter', 'is not the id of a report');
    return position;
  }
}

function keyOfRepository(repoId: string): string {
  const address = parseRepositoryUrl(repoId);
  if (!address) throw InvalidRequestError.ofField('repoId', 'must be host/owner/name or the URL of a repository');
  return address.key;
}

/** Messages do not repeat the URL: it may contain a secret. */
function keyOfUploadedUrl(repoUrl: string): string {
  const address = parseRepositoryUrl(repoUrl);
  if (!address?.isUrl) {
    throw InvalidRequestError.ofField(
      'repoUrl',
      'must be the URL of a repository, such as https://github.com/acme/shop or git@github.com:acme/shop.git',
    );
  }
  if (address.hasCredentials) {
    throw InvalidRequestError.ofField('repoUrl', 'must not hold credentials; leave out what stands before the @');
  }
  return address.key;
}
