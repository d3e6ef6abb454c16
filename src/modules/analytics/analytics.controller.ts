import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { InvalidRequestError } from '../../common/errors/domain-error.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import type { StreamedAnswer } from '../../http/streams/streamed-answer.js';
import { Clock } from '../../common/time/clock.js';
import { UtcDay } from '../../common/time/utc-day.js';
import { isUuid } from '../../common/validation/predicates.js';
import { AppConfig } from '../../config/app-config.js';
import { AnalyticsRange } from './analytics-range.js';
import { ApiRows, ConditionalAnswers } from './analytics-response.decorator.js';
import {
  ActivityDayRow,
  ActivityGroupRow,
  ActivityQuery,
  RangeQuery,
  TokenDayRow,
  TokenGroupRow,
  TokensQuery,
  ToolsQuery,
  UsersMeta,
  UsersQuery,
} from './analytics.dto.js';
import { AnalyticsService } from './analytics.service.js';
import { type AnswerFormat, WantedFormat } from './answer-format.js';
import { ProductivityDayRow, ToolDayRow, ToolGroupRow } from './tools.dto.js';
import { UserDayRow } from './users.dto.js';

@ApiTags('Analytics')
@Controller('api/v1/analytics')
@Access(Role.Owner, Role.Manager)
@ConditionalAnswers()
export class AnalyticsController {
  constructor(
    private readonly analytics: AnalyticsService,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * Tokens by day
   * @remarks One row for each day of the range, zeros included; with `group_by=model` one for each model that was called,
   * by day and model. Numbers are those of a full recount of the day's events, whole numbers exact beyond 2^53 as well. The
   * first late event of a day is counted at once; after that a day is computed anew at most every 30 s, large ones less
   * often, so that late events show within a minute where that takes less than 2 s, and within 16 minutes everywhere. A range
   * with a day that cannot be computed is a 503 that names the day; other ranges are not affected.
   */
  @Get('tokens')
  @ApiRows([TokenDayRow, TokenGroupRow])
  @ApiProblems('invalid_request')
  getTokens(
    @CurrentPrincipal() caller: Principal,
    @Query() query: TokensQuery,
    @WantedFormat() format: AnswerFormat,
  ): Promise<StreamedAnswer> {
    const range = this.rangeOf(query);
    return this.analytics.report(caller, query.group_by ? 'tokensByModel' : 'tokens', { range, format });
  }

  /**
   * Tool use by day
   * @remarks One row for each day of the range; with `group_by=tool_name` one for each tool that was called, by day and
   * tool. A day has at most 5,000 names of each kind (`MAX_NAMES_PER_DAY`), the first that arrived; all others are counted
   * under the name `(other)`, so that totals stay exact.
   */
  @Get('tools')
  @ApiRows([ToolDayRow, ToolGroupRow])
  @ApiProblems('invalid_request')
  getTools(
    @CurrentPrincipal() caller: Principal,
    @Query() query: ToolsQuery,
    @WantedFormat() format: AnswerFormat,
  ): Promise<StreamedAnswer> {
    const range = this.rangeOf(query);
    return this.analytics.report(caller, query.group_by ? 'toolsByName' : 'tools', { range, format });
  }

  /**
   * Active users, sessions and messages by day
   * @remarks Weekly and monthly users are exact: distinct users of the 7 or 30 days that end with the row's day. With
   * `group_by=client` one row for each client that was used, by day and client.
   */
  @Get('activity')
  @ApiRows([ActivityDayRow, ActivityGroupRow])
  @ApiProblems('invalid_request')
  getActivity(
    @CurrentPrincipal() caller: Principal,
    @Query() query: ActivityQuery,
    @WantedFormat() format: AnswerFormat,
  ): Promise<StreamedAnswer> {
    return this.analytics.activity(caller, query.group_by !== undefined, { range: this.rangeOf(query), format });
  }

  /**
   * Files, commits and pull requests by day
   * @remarks One row for each day of the range.
   */
  @Get('productivity')
  @ApiRows([ProductivityDayRow])
  @ApiProblems('invalid_request')
  getProductivity(
    @CurrentPrincipal() caller: Principal,
    @Query() query: RangeQuery,
    @WantedFormat() format: AnswerFormat,
  ): Promise<StreamedAnswer> {
    return this.analytics.report(caller, 'productivity', { range: this.rangeOf(query), format });
  }

  /**
   * What each user did, by user and day
   * @remarks A page holds all active days of up to `limit` users, by user id and date.
   */
  @Get('users')
  @ApiRows([UserDayRow], UsersMeta)
  @ApiProblems('invalid_request')
  getUsers(
    @CurrentPrincipal() caller: Principal,
    @Query() query: UsersQuery,
    @WantedFormat() format: AnswerFormat,
  ): Promise<StreamedAnswer> {
    const page = { limit: Number(query.limit ?? '20'), after: cursorOf(query) };
    return this.analytics.users(caller, { range: this.rangeOf(query), format }, page);
  }

  private rangeOf(query: RangeQuery): AnalyticsRange {
    const { firstDay } = this.config.analytics;
    return AnalyticsRange.of(query, { today: UtcDay.of(this.clock.now()), firstDay });
  }
}

function cursorOf({ cursor }: UsersQuery): string | null {
  if (cursor === undefined) return null;
  if (!isUuid(cursor)) throw InvalidRequestError.ofField('cursor', 'must be the next_cursor of a page: a user id');
  return cursor;
}
