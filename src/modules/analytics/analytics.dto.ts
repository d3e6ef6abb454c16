import { ApiProperty } from '@nestjs/swagger';
import { Day, OneOf, Optional, PageLimit, TextLength } from '../../common/validation/rules.js';

/** The days of an answer. */
export class RangeQuery {
  /**
   * First day (UTC), YYYY-MM-DD. Before the first day of data, rows begin with that day.
   * @example '2026-10-01'
   */
  @Day()
  startDate: string;

  /**
   * Last day (UTC), YYYY-MM-DD, yesterday at the latest; at most 366 days in all.
   * @example '2026-10-31'
   */
  @Day()
  endDate: string;
}

export class TokensQuery extends RangeQuery {
  /**
   * One row for each model and day instead of one for each day.
   * @example 'model'
   */
  @Optional()
  @OneOf(['model'])
  group_by?: string;
}

export class ToolsQuery extends RangeQuery {
  /**
   * One row for each tool and day instead of one for each day.
   * @example 'tool_name'
   */
  @Optional()
  @OneOf(['tool_name'])
  group_by?: string;
}

export class ActivityQuery extends RangeQuery {
  /**
   * One row for each client and day instead of one for each day.
   * @example 'client'
   */
  @Optional()
  @OneOf(['client'])
  group_by?: string;
}

export class UsersQuery extends RangeQuery {
  /**
   * Most users on a page, 1 to 100; 20 when left out.
   * @example '20'
   */
  @Optional()
  @PageLimit(100)
  limit?: string;

  /**
   * The `next_cursor` of the page before: a user id. Users behind it are listed, whether it still exists or not.
   * @example '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e'
   */
  @Optional()
  @TextLength(1, 100)
  cursor?: string;
}

/** What the rows belong to. */
export class AnalyticsMeta {
  /**
   * The organization.
   * @example '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d40'
   */
  org_id: string;

  /**
   * The first day of the rows.
   * @example '2026-10-01'
   */
  start_date: string;

  /**
   * The last day of the rows.
   * @example '2026-10-31'
   */
  end_date: string;
}

export class UsersMeta extends AnalyticsMeta {
  /**
   * Whether there are further users.
   * @example true
   */
  has_more: boolean;

  /**
   * The cursor of the next page; absent on the last one.
   * @example '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e'
   */
  next_cursor?: string;
}

/** Tokens of one model. */
export class ModelTokens {
  /**
   * The model.
   * @example 'claude-sonnet-4-5'
   */
  model_id: string;

  /**
   * Its tier.
   * @example 'standard'
   */
  @ApiProperty({ enum: ['standard', 'thinking'] })
  model_tier: string;

  /**
   * Input plus output with cache discounts and the model's multiplier.
   * @example 980000
   */
  billable_tokens: number;

  /**
   * Raw input tokens.
   * @example 700000
   */
  input_tokens: number;

  /**
   * Generated tokens.
   * @example 280000
   */
  output_tokens: number;
}

/** Tokens of one user. */
export class UserTokens {
  /**
   * The user.
   * @example '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e'
   */
  user_id: string;

  /**
   * Their address when the day was computed; null when it was erased.
   * @example 'ada@example.com'
   */
  @ApiProperty({ type: 'string', nullable: true })
  user_email: string | null;

  /**
   * Billable tokens of the user.
   * @example 980000
   */
  billable_tokens: number;

  /** By model, largest first; adds up to the user. */
  by_model: ModelTokens[];
}

export class TokenDayRow {
  /**
   * The day.
   * @example '2026-10-01'
   */
  date: string;

  /**
   * Input plus output with cache discounts and the models' multipliers; rounded once for each model call.
   * @example 1250000
   */
  billable_tokens: number;

  /**
   * Raw input tokens, cached input included.
   * @example 980000
   */
  input_tokens: number;

  /**
   * Generated tokens.
   * @example 270000
   */
  output_tokens: number;

  /**
   * Tokens read from the prompt cache.
   * @example 500000
   */
  cache_read_tokens: number;

  /**
   * Tokens written to the prompt cache.
   * @example 60000
   */
  cache_write_tokens: number;

  /** By model, largest first; adds up to the day. */
  by_model: ModelTokens[];

  /** By user with a model call that day, largest first; adds up to the day. */
  by_user: UserTokens[];
}

export class TokenGroupRow {
  /**
   * The day.
   * @example '2026-10-01'
   */
  date: string;

  /**
   * The model.
   * @example 'claude-sonnet-4-5'
   */
  group_key: string;

  /**
   * Billable tokens.
   * @example 980000
   */
  billable_tokens: number;

  /**
   * Raw input tokens.
   * @example 700000
   */
  input_tokens: number;

  /**
   * Generated tokens.
   * @example 280000
   */
  output_tokens: number;
}

export class ActivityDayRow {
  /**
   * The day.
   * @example '2026-10-01'
   */
  date: string;

  /**
   * Users with any event that day.
   * @example 128
   */
  daily_active_users: number;

  /**
   * Distinct users of the seven days that end with this one.
   * @example 210
   */
  weekly_active_users: number;

  /**
   * Distinct users of the thirty days that end with this one.
   * @example 320
   */
  monthly_active_users: number;

  /**
   * Users by client; one who used several counts in each.
   */
  @ApiProperty({
    type: 'object',
    example: { 'terminal-ui': 90, web: 40, 'non-interactive-cli': 25 },
    properties: {
      'terminal-ui': { type: 'number', description: 'Interactive command-line sessions.' },
      web: { type: 'number', description: 'The web interface.' },
      'non-interactive-cli': { type: 'number', description: 'Headless and automated runs.' },
    },
    required: ['terminal-ui', 'web', 'non-interactive-cli'],
  })
  daily_active_users_by_client: Record<string, number>;

  /**
   * Sessions started.
   * @example 240
   */
  sessions: number;

  /**
   * User and assistant messages.
   * @example 1800
   */
  messages: number;

  /**
   * User messages.
   * @example 620
   */
  user_messages: number;
}

export class ActivityGroupRow {
  /**
   * The day.
   * @example '2026-10-01'
   */
  date: string;

  /**
   * The client.
   * @example 'terminal-ui'
   */
  @ApiProperty({ enum: ['non-interactive-cli', 'terminal-ui', 'web'] })
  group_key: string;

  /**
   * Its users that day.
   * @example 90
   */
  daily_active_users: number;
}
