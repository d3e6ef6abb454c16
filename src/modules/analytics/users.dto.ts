import { ApiProperty } from '@nestjs/swagger';

export class UserDayRow {
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
   * The day; there is a row for each day on which the user was active.
   * @example '2026-10-01'
   */
  date: string;

  /**
   * Tool calls.
   * @example 460
   */
  tool_calls: number;

  /**
   * Billable tokens.
   * @example 980000
   */
  billable_tokens: number;

  /**
   * The model with most billable tokens; `unknown` without a model call.
   * @example 'claude-sonnet-4-5'
   */
  primary_model: string;

  /**
   * Its tier.
   * @example 'standard'
   */
  @ApiProperty({ enum: ['standard', 'thinking'] })
  primary_model_tier: string;

  /**
   * Files created.
   * @example 6
   */
  files_created: number;

  /**
   * Files edited.
   * @example 41
   */
  files_edited: number;

  /**
   * Commits.
   * @example 4
   */
  git_commits: number;

  /**
   * Pull requests opened.
   * @example 1
   */
  git_prs_created: number;

  /**
   * Calls of tools of MCP servers.
   * @example 20
   */
  mcp_calls: number;

  /**
   * Skills used.
   * @example 3
   */
  skill_calls: number;

  /**
   * Slash commands used.
   * @example 5
   */
  slash_commands: number;

  /**
   * Hooks run.
   * @example 12
   */
  hooks: number;

  /**
   * Sessions started.
   * @example 4
   */
  sessions: number;

  /**
   * User and assistant messages.
   * @example 180
   */
  messages: number;

  /**
   * User messages.
   * @example 62
   */
  user_messages: number;

  /**
   * Assistant messages.
   * @example 118
   */
  assistant_messages: number;

  /**
   * Tool calls per user message; 0 without one.
   * @example 7.5
   */
  autonomy_ratio: number;

  /**
   * The mode with most tool calls; of equals the more autonomous, `manual` without tool calls.
   * @example 'auto-medium'
   */
  @ApiProperty({ enum: ['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'] })
  delegation_level: string;

  /**
   * Languages of the files that were created and edited, by name.
   * @example ['SQL', 'TypeScript']
   */
  languages: string[];
}
