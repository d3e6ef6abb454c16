import { Injectable } from '@nestjs/common';
import { isConnectionFailure } from '../../common/errors/database-errors.js';
import { InvalidRequestError, UnavailableError } from '../../common/errors/domain-error.js';
import { stringifyExact } from '../../common/exact-json.js';
import { Clock } from '../../common/time/clock.js';
import { UtcDay } from '../../common/time/utc-day.js';
import { AggregationClaimsRepository } from './aggregation/aggregation-claims.repository.js';
import { AggregationService } from './aggregation/aggregation.service.js';
import { type Verification, VerificationService } from './verification/verification.service.js';

const MAX_SHOWN = 50;

export interface DayRangeOptions {
  readonly from: string;
  readonly to: string;
  /** null: all organizations. */
  readonly orgId: string | null;
}

export type Progress = (done: number, total: number) => void;

@Injectable()
export class AnalyticsCommands {
  constructor(
    private readonly aggregation: AggregationService,
    private readonly claims: AggregationClaimsRepository,
    private readonly verification: VerificationService,
    private readonly clock: Clock,
  ) {}

  /** Computes all other days before it throws for one that failed. */
  async aggregate(options: DayRangeOptions, progress: Progress): Promise<string> {
    const { from, to } = this.closedDays(options);
    const total = from.daysUntil(to) + 1;
    let computed = 0;
    let frozen = 0;
    const failed: string[] = [];
    for (let day = from, done = 0; !to.isBefore(day); day = day.next()) {
      const orgIds = options.orgId === null ? await this.claims.listOrgsOfDay(day) : [options.orgId];
      try {
        if (orgIds.length > 0 && (await this.aggregation.rebuild(orgIds, day))) computed += orgIds.length;
        else if (orgIds.length > 0) frozen++;
      } catch (error) {
        if (isConnectionFailure(error)) throw error;
        failed.push(`  ${day}: ${String(error)}`);
      }
      progress(++done, total);
    }
    const rest = frozen > 0 ? ` ${frozen} days are frozen, because their raw events were dropped.` : '';
    const summary = `Computed ${computed} organization days from ${from} to ${to}.${rest}`;
    if (failed.length === 0) return summary;
    throw new UnavailableError([summary, 'Could not be computed:', ...failed].join('\n'));
  }

  /** Throws when anything differs, so that the command fails. */
  async verify(options: DayRangeOptions, progress: Progress): Promise<string> {
    const { from, to } = this.closedDays(options);
    const result = await this.verification.verify(from, to, options.orgId, ({ done, total }) => progress(done, total));
    const report = describe(result);
    if (result.differences.length > 0) throw new InvalidRequestError(report);
    return report;
  }

  private closedDays({ from, to }: DayRangeOptions): { from: UtcDay; to: UtcDay } {
    const first = UtcDay.tryParse(from);
    const last = UtcDay.tryParse(to);
    if (!first || !last) throw new InvalidRequestError('--from and --to must be days written YYYY-MM-DD');
    if (last.isBefore(first)) throw new InvalidRequestError('--from must not be after --to');
    const today = UtcDay.of(this.clock.now());
    if (!last.isBefore(today))
      throw new InvalidRequestError(`--to must be before today (${today}): only closed days count`);
    return { from: first, to: last };
  }
}

function describe({ compared, pending, frozen, differences }: Verification): string {
  const lines = [`Compared ${compared} organization days with a recount of their raw events.`];
  if (pending > 0) lines.push(`${pending} have late events that are not in the figures yet; not compared.`);
  if (frozen.length > 0) lines.push(`Frozen, because raw events were dropped: ${frozen.join(', ')}.`);
  if (differences.length === 0) return [...lines, 'No differences.'].join('\n');
  const shown = differences
    .slice(0, MAX_SHOWN)
    .map(
      ({ organization, day, report, path, served, recounted }) =>
        `  ${organization} ${day} ${report} ${path}: served ${stringifyExact(served)}, recounted ${stringifyExact(recounted)}`,
    );
  const more = differences.length > MAX_SHOWN ? [`  ... and ${differences.length - MAX_SHOWN} more`] : [];
  return [...lines, `${differences.length} differences:`, ...shown, ...more].join('\n');
}
