import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { Clock } from '../../../common/time/clock.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import { AppConfig } from '../../../config/app-config.js';
import { toPageRequest } from '../../../http/paging/paging.js';
import { AnalyticsRange } from '../analytics-range.js';
import type { BreakdownQuestion } from './breakdown.service.js';
import { comparedRange, type Comparison } from './comparison.js';
import type { Dimension, Filters, Metric } from './metrics.js';
import type { BreakdownQuery, SummaryQuery } from './questions.dto.js';

interface Days {
  readonly startDate: string;
  readonly endDate: string;
}

/** Makes questions of what was sent. */
@Injectable()
export class QuestionQueries {
  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  range(query: Days, { hasToday }: { hasToday: boolean } = { hasToday: false }): AnalyticsRange {
    const today = UtcDay.of(this.clock.now());
    return AnalyticsRange.of(query, { today, firstDay: this.config.analytics.firstDay, hasToday });
  }

  ranges(query: SummaryQuery): { range: AnalyticsRange; compared: AnalyticsRange | null } {
    const range = this.range(query);
    const comparison = (query.compare ?? 'none') as Comparison;
    return { range, compared: comparedRange(range, comparison, this.config.analytics.firstDay) };
  }

  breakdown(query: BreakdownQuery, caller: Principal): BreakdownQuestion {
    const { limit, cursor, search, user_id, team_id, client, model, ...asked } = query;
    const filters = { user_id: user_id?.toLowerCase(), team_id: team_id?.toLowerCase(), client, model };
    return {
      slice: {
        dimension: query.dimension as Dimension,
        metric: query.metric as Metric,
        filters: withoutAbsent(filters),
      },
      ...this.ranges(query),
      search: search ?? null,
      page: toPageRequest({ limit, cursor }, caller, 'breakdown', { ...asked, ...filters, search }),
    };
  }
}

function withoutAbsent(filters: Record<string, string | undefined>): Filters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}
