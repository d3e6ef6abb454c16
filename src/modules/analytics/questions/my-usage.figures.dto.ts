import { ApiProperty } from '@nestjs/swagger';
import type { ExactInteger } from '../../../common/exact-json.js';

/** What model calls come to. */
export class MyModelFigures {
  /**
   * Input plus output with cache discounts and multipliers of models.
   * @example 48200000
   */
  @ApiProperty({ type: 'number' })
  billableTokens: ExactInteger;

  /**
   * Input tokens, cached ones included.
   * @example 91000000
   */
  @ApiProperty({ type: 'number' })
  inputTokens: ExactInteger;

  /**
   * Output tokens.
   * @example 2400000
   */
  @ApiProperty({ type: 'number' })
  outputTokens: ExactInteger;

  /**
   * Input tokens read from a cache; null when it is not known of any day.
   * @example 60000000
   */
  @ApiProperty({ type: 'number', nullable: true })
  cacheReadTokens: ExactInteger | null;

  /**
   * Input tokens written to a cache; null when it is not known of any day.
   * @example 9000000
   */
  @ApiProperty({ type: 'number', nullable: true })
  cacheWriteTokens: ExactInteger | null;

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
  reportedCost: string | null;

  /**
   * Calls of models; null when it is not known of any day.
   * @example 18400
   */
  @ApiProperty({ type: 'number', nullable: true })
  modelCalls: ExactInteger | null;
}

/** Every figure. */
export class MyFigures extends MyModelFigures {
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
  userMessages: ExactInteger;

  /**
   * Tool calls, MCP calls included.
   * @example 70300
   */
  @ApiProperty({ type: 'number' })
  toolCalls: ExactInteger;

  /**
   * Files created by agents.
   * @example 2100
   */
  @ApiProperty({ type: 'number' })
  filesCreated: ExactInteger;

  /**
   * Files edited by agents.
   * @example 14000
   */
  @ApiProperty({ type: 'number' })
  filesEdited: ExactInteger;

  /**
   * Commits made by agents.
   * @example 950
   */
  @ApiProperty({ type: 'number' })
  gitCommits: ExactInteger;

  /**
   * Pull requests opened by agents.
   * @example 230
   */
  @ApiProperty({ type: 'number' })
  gitPrsCreated: ExactInteger;
}
