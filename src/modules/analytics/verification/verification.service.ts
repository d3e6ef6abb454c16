import { Injectable } from '@nestjs/common';
import { Role } from '../../../common/access/role.enum.js';
import type { Principal } from '../../../common/access/principal.js';
import { UnavailableError } from '../../../common/errors/domain-error.js';
import { parseExact } from '../../../common/exact-json.js';
import type { StreamedAnswer } from '../../../http/streams/streamed-answer.js';
import { Clock } from '../../../common/time/clock.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import { AggregationService } from '../aggregation/aggregation.service.js';
import { AnalyticsRange } from '../analytics-range.js';
import { AnalyticsService } from '../analytics.service.js';
import type { AnswerFormat } from '../answer-format.js';
import { PriceLists } from '../pricing/price-lists.js';
import { type Difference, differences } from './differences.js';
import type { FactReport } from './fact-recount.sql.js';
import type { RecountedReport } from './recount.sql.js';
import { VerificationRepository } from './verification.repository.js';

const JSON_FORMAT: AnswerFormat = { name: 'json', isGzipped: false };
const MONTH_DAYS = 30;
const PAGE = 1_000_000;
/** Attempts to compare a day while late events keep arriving; then it counts as pending. */
const MAX_ATTEMPTS = 3;

type ReportDifference = Difference & { report: RecountedReport | FactReport };

export interface Verification {
  /** In organization days. */
  compared: number;
  /** Organization days with late events that are not counted yet. */
  pending: number;
  /** Days whose events were dropped, so that they cannot be recounted. */
  frozen: string[];
  differences: (ReportDifference & { organization: string; day: string })[];
}

export interface VerificationProgress {
  readonly total: number;
  readonly done: number;
}

/** Compares what is served, and the facts behind it, with a recount from raw events, field by field. */
@Injectable()
export class VerificationService {
  constructor(
    private readonly recounts: VerificationRepository,
    private readonly analytics: AnalyticsService,
    private readonly aggregation: AggregationService,
    private readonly prices: PriceLists,
    private readonly clock: Clock,
  ) {}

  async verify(
    from: UtcDay,
    to: UtcDay,
    orgId: string | null,
    onProgress: (progress: VerificationProgress) => void = () => undefined,
  ): Promise<Verification> {
    const result: Verification = { compared: 0, pending: 0, frozen: [], differences: [] };
    const organizations = await this.recounts.listOrganizations(from, to, orgId);
    const total = (from.daysUntil(to) + 1) * organizations.length;
    let done = 0;
    for (let day = from; !to.isBefore(day); day = day.next()) {
      const isFrozen = await this.recounts.isFrozen(day, day);
      if (isFrozen) result.frozen.push(day.toString());
      for (const organization of organizations) {
        if (!isFrozen) await this.verifyDay(organization, day, result);
        onProgress({ total, done: ++done });
      }
    }
    return result;
  }

  private async verifyDay(
    organization: { id: string; name: string },
    day: UtcDay,
    result: Verification,
  ): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const before = await this.recounts.findState(organization.id, day);
      if (before.isPending) break;
      const found = await this.compare(organization.id, day);
      const after = await this.recounts.findState(organization.id, day);
      const isQuiet = !after.isPending && after.version === before.version;
      if (found.length > 0 && !isQuiet) continue; // an event arrived or the day was computed during the comparison
      const isMonthWhole = !before.isMonthPending && !after.isMonthPending && !(await this.isMonthFrozen(day));
      result.differences.push(
        ...found
          .filter(({ path }) => isMonthWhole || !/^(weekly|monthly)_active_users$/.test(path))
          .map((place) => ({ ...place, organization: organization.name, day: `${day}` })),
      );
      result.compared++;
      return;
    }
    result.pending++;
  }

  private async compare(orgId: string, day: UtcDay): Promise<ReportDifference[]> {
    const found: ReportDifference[] = [];
    for (const [report, rows] of Object.entries(await this.served(orgId, day)) as [RecountedReport, unknown][]) {
      const recounted = await this.recounts.recount(report, orgId, day);
      found.push(...differences(withoutEmails(rows), recounted).map((place) => ({ ...place, report })));
    }
    return [...found, ...(await this.compareFacts(orgId, day))];
  }

  private async compareFacts(orgId: string, day: UtcDay): Promise<ReportDifference[]> {
    await this.aggregation.ensureFacts(orgId, { start: day, end: day });
    const facts = await this.recounts.listFacts(orgId, day, await this.prices.of(orgId));
    return facts.flatMap(({ report, stored, recounted }) =>
      differences(stored, recounted).map((place) => ({ ...place, report })),
    );
  }

  /** Whether dropped events count in the monthly users of the day. */
  private isMonthFrozen(day: UtcDay): Promise<boolean> {
    return this.recounts.isFrozen(day.plus(1 - MONTH_DAYS), day);
  }

  private async served(orgId: string, day: UtcDay): Promise<Partial<Record<RecountedReport, unknown>>> {
    const caller: Principal = {
      orgId,
      userId: orgId,
      email: null,
      role: Role.Owner,
      credential: { kind: 'internal', id: 'verification' },
      expiresAt: null,
    };
    const text = day.toString();
    const range = AnalyticsRange.of(
      { startDate: text, endDate: text },
      { today: UtcDay.of(this.clock.now()), firstDay: day },
    );
    const request = { range, format: JSON_FORMAT };
    return {
      tokens: (await rows(this.analytics.report(caller, 'tokens', request)))[0],
      tokensByModel: await rows(this.analytics.report(caller, 'tokensByModel', request)),
      tools: (await rows(this.analytics.report(caller, 'tools', request)))[0],
      toolsByName: await rows(this.analytics.report(caller, 'toolsByName', request)),
      productivity: (await rows(this.analytics.report(caller, 'productivity', request)))[0],
      ...(await activityOf(rows(this.analytics.activity(caller, false, request)))),
      users: await rows(this.analytics.users(caller, request, { limit: PAGE, after: null })),
    };
  }
}

/** Empty when a day that counts in the monthly users cannot be computed. */
async function activityOf(rows: Promise<unknown[]>): Promise<{ activity?: unknown }> {
  try {
    return { activity: (await rows)[0] };
  } catch (error) {
    if (error instanceof UnavailableError) return {};
    throw error;
  }
}

async function rows(asked: Promise<StreamedAnswer>): Promise<unknown[]> {
  const answer = await asked;
  try {
    let text = '';
    for await (const part of await answer.body()) text += part.toString();
    return (parseExact(text) as { data: unknown[] }).data;
  } finally {
    answer.ended();
  }
}

/** Addresses may have changed since the day was computed. */
function withoutEmails(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmails);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'user_email');
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutEmails(inner)]));
}
