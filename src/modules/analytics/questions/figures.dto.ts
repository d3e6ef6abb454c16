import { ApiProperty } from '@nestjs/swagger';
import type { ExactInteger } from '../../../common/exact-json.js';

/** What model calls come to. */
export class ModelFiguresDto {
  /**
   * Input plus output with cache discounts and multipliers of models.
   * @example 48200000
   */
  @ApiProperty({ type: 'number' })
  billable_tokens: ExactInteger;

  /**
   * Input tokens, cached ones included.
   * @example 91000000
   */
  @ApiProperty({ type: 'number' })
  input_tokens: ExactInteger;

  /**
   * Output tokens.
   * @example 2400000
   */
  @ApiProperty({ type: 'number' })
  output_tokens: ExactInteger;

  /**
   * Input tokens read from a cache; null when it is not known of any day.
   * @example 60000000
   */
  @ApiProperty({ type: 'number', nullable: true })
  cache_read_tokens: ExactInteger | null;

  /**
   * Input tokens written to a cache; null when it is not known of any day.
   * @example 9000000
   */
  @ApiProperty({ type: 'number', nullable: true })
  cache_write_tokens: ExactInteger | null;

  /**
   * Estimate from list prices, in `currency`; null when no token has a price.
   * @example '412.250000'
   */
  @ApiProperty({ type: 'string', nullable: true })
  cost: string | null;

  /**
   * What agents themselves say that calls cost; null when none said so.
   * @example '398.120000'
   */
  @ApiProperty({ type: 'string', nullable: true })
  reported_cost: string | null;

  /**
   * Calls of models; null when it is not known of any day.
   * @example 18400
   */
  @ApiProperty({ type: 'number', nullable: true })
  model_calls: ExactInteger | null;
}

/** Every figure that can be added up. */
export class PersonFiguresDto extends ModelFiguresDto {
  /**
   * Sessions started.
   * @example 1210
   */
  @ApiProperty({ type: 'number' })
  sessions: ExactInteger;

  /**
   * Messages of users and agents.
   * @example 26400
   */
  @ApiProperty({ type: 'number' })
  messages: ExactInteger;

  /**
   * Messages of users.
   * @example 8100
   */
  @ApiProperty({ type: 'number' })
  user_messages: ExactInteger;

  /**
   * Tool calls, MCP calls included.
   * @example 70300
   */
  @ApiProperty({ type: 'number' })
  tool_calls: ExactInteger;

  /**
   * Files created by agents.
   * @example 2100
   */
  @ApiProperty({ type: 'number' })
  files_created: ExactInteger;

  /**
   * Files edited by agents.
   * @example 14000
   */
  @ApiProperty({ type: 'number' })
  files_edited: ExactInteger;

  /**
   * Commits made by agents.
   * @example 950
   */
  @ApiProperty({ type: 'number' })
  git_commits: ExactInteger;

  /**
   * Pull requests opened by agents.
   * @example 230
   */
  @ApiProperty({ type: 'number' })
  git_prs_created: ExactInteger;
}

/** Every metric. */
export class SummaryFiguresDto extends PersonFiguresDto {
  /**
   * People with any event in the range, each counted once.
   * @example 840
   */
  @ApiProperty({ type: 'number' })
  active_people: ExactInteger;
}

/** (current - previous) / previous; null where the previous figure is 0 or unknown. */
export class SummaryChangeDto {
  /**
   * Change of billable_tokens.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  billable_tokens: number | null;

  /**
   * Change of input_tokens.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  input_tokens: number | null;

  /**
   * Change of output_tokens.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  output_tokens: number | null;

  /**
   * Change of cache_read_tokens.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  cache_read_tokens: number | null;

  /**
   * Change of cache_write_tokens.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  cache_write_tokens: number | null;

  /**
   * Change of cost.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  cost: number | null;

  /**
   * Change of reported_cost.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  reported_cost: number | null;

  /**
   * Change of model_calls.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  model_calls: number | null;

  /**
   * Change of active_people.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  active_people: number | null;

  /**
   * Change of sessions.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  sessions: number | null;

  /**
   * Change of messages.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  messages: number | null;

  /**
   * Change of user_messages.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  user_messages: number | null;

  /**
   * Change of tool_calls.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  tool_calls: number | null;

  /**
   * Change of files_created.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  files_created: number | null;

  /**
   * Change of files_edited.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  files_edited: number | null;

  /**
   * Change of git_commits.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  git_commits: number | null;

  /**
   * Change of git_prs_created.
   * @example 0.25
   */
  @ApiProperty({ type: 'number', nullable: true })
  git_prs_created: number | null;
}
