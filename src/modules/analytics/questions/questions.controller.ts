import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../../common/access/principal.js';
import { Role } from '../../../common/access/role.enum.js';
import { ApiProblems } from '../../../common/errors/problem.decorator.js';
import { Id } from '../../../http/parameters/id.decorator.js';
import type { StreamedAnswer } from '../../../http/streams/streamed-answer.js';
import { ConditionalAnswers } from '../analytics-response.decorator.js';
import { RangeQuery } from '../analytics.dto.js';
import { type AnswerFormat, WantedFormat } from '../answer-format.js';
import { BreakdownService } from './breakdown.service.js';
import { PeopleService } from './people.service.js';
import { QuestionQueries } from './question-queries.js';
import { ApiBreakdown, ApiPerson, ApiSummary, ApiToday } from './questions-response.decorator.js';
import { BreakdownQuery, SummaryQuery } from './questions.dto.js';
import { SummaryService } from './summary.service.js';
import { TodayService } from './today.service.js';

@ApiTags('Analytics')
@Controller('api/v1/analytics')
@Access(Role.Owner, Role.Manager)
@ConditionalAnswers()
export class QuestionsController {
  constructor(
    private readonly summaries: SummaryService,
    private readonly breakdowns: BreakdownService,
    private readonly people: PeopleService,
    private readonly todays: TodayService,
    private readonly queries: QuestionQueries,
  ) {}

  /**
   * The running UTC day so far
   * @remarks Counts what has been acknowledged up to `as_of`: an event is in it within 5 s in organizations of up to 100,000
   * events a day, within a minute in any. `top_people` are the ten with most billable tokens. The day goes on, so it is never
   * compared with a whole one, and the other answers do not have it.
   */
  @Get('today')
  @ApiToday()
  getToday(@CurrentPrincipal() caller: Principal, @WantedFormat() format: AnswerFormat): Promise<StreamedAnswer> {
    return this.todays.today(caller, format);
  }

  /**
   * Totals of a range, and their change
   * @remarks Every metric over closed days. `active_people` counts each person once, however often they were active. Costs are
   * estimates from dated list prices; tokens without a price are counted in `meta`, never as zero.
   */
  @Get('summary')
  @ApiSummary()
  @ApiProblems('invalid_request')
  getSummary(
    @CurrentPrincipal() caller: Principal,
    @Query() query: SummaryQuery,
    @WantedFormat() format: AnswerFormat,
  ): Promise<StreamedAnswer> {
    const { range, compared } = this.queries.ranges(query);
    return this.summaries.summary(caller, range, compared, format);
  }

  /**
   * A metric by model, user, team, client or name
   * @remarks Rows are ordered by the metric, largest first, then by key. `limit` counts named rows, everything else is `other`;
   * both add up to `total` (distinct people do not: each is counted once in every row). A figure of a day counts for the team
   * that the person was in on that day. Pages go on in the version of the figures with which the first one began; when that is
   * gone, or prices or teams have changed, the answer is 410.
   */
  @Get('breakdown')
  @ApiBreakdown()
  @ApiProblems('invalid_request', 'gone')
  getBreakdown(
    @CurrentPrincipal() caller: Principal,
    @Query() query: BreakdownQuery,
    @WantedFormat() format: AnswerFormat,
  ): Promise<StreamedAnswer> {
    return this.breakdowns.breakdown(caller, this.queries.breakdown(query, caller), format);
  }

  /**
   * What one person used
   * @remarks Totals, one row for each day of the range, and the models and tools.
   */
  @Get('people/:userId')
  @ApiPerson()
  @ApiProblems('invalid_request', 'not_found')
  getPerson(
    @CurrentPrincipal() caller: Principal,
    @Id('userId', 'user') userId: string,
    @Query() query: RangeQuery,
    @WantedFormat() format: AnswerFormat,
  ): Promise<StreamedAnswer> {
    return this.people.person(caller, userId, this.queries.range(query), format);
  }
}
