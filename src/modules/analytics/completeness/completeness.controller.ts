import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { Clock } from '../../../common/time/clock.js';
import { UtcDay } from '../../../common/time/utc-day.js';
import { AppConfig } from '../../../config/app-config.js';
import type { StreamedAnswer } from '../../../http/streams/streamed-answer.js';
import { AnalyticsRange } from '../analytics-range.js';
import { ApiRows, ConditionalAnswers } from '../analytics-response.decorator.js';
import { RangeQuery } from '../analytics.dto.js';
import { type AnswerFormat, WantedFormat } from '../answer-format.js';
import { CompletenessMeta, CompletenessRow } from './completeness.dto.js';
import { CompletenessService } from './completeness.service.js';

@ApiTags('Analytics')
@Controller('api/v1/analytics/completeness')
@Access(Role.Owner, Role.Manager)
@ConditionalAnswers()
export class CompletenessController {
  constructor(
    private readonly completeness: CompletenessService,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * What arrived, by day and client
   * @remarks One row for each client through which something arrived on a day; the rows of a day add up to its stored events.
   * Where an agent numbers its records or sends counters beside them, `coverage` tells how much of what it claims has
   * arrived; figures are never extrapolated from it. `(other)` is what no client accounts for: what the service records itself
   * in sessions, and what arrived before there were these counters. Counters are kept as long as raw events.
   */
  @Get()
  @ApiRows([CompletenessRow], CompletenessMeta)
  @ApiProblems('invalid_request')
  getCompleteness(
    @CurrentPrincipal() caller: Principal,
    @Query() query: RangeQuery,
    @WantedFormat() format: AnswerFormat,
  ): Promise<StreamedAnswer> {
    const { firstDay } = this.config.analytics;
    const range = AnalyticsRange.of(query, { today: UtcDay.of(this.clock.now()), firstDay });
    return this.completeness.answer(caller, range, format);
  }
}
