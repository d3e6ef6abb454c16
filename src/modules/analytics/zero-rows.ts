import type { UtcDay } from '../../common/time/utc-day.js';

/** Rows of days without events. */

export const zeroTokenTotals = (day: UtcDay) => ({
  date: day.toString(),
  billable_tokens: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
});

export const zeroTokens = (day: UtcDay) => ({ ...zeroTokenTotals(day), by_model: [], by_user: [] });

export const zeroTools = (day: UtcDay) => ({
  date: day.toString(),
  tool_calls: 0,
  by_tool: [],
  mcp_users_with_mcp: 0,
  mcp_by_server: [],
  skills_invocations: 0,
  skills_by_name: [],
  slash_commands_invocations: 0,
  slash_commands_by_name: [],
  hooks_invocations: 0,
  hooks_by_event: [],
  web_users: 0,
  autonomy_ratio_avg: 0,
  autonomy_ratio_p50: 0,
  autonomy_ratio_p90: 0,
  tool_calls_per_session_avg: 0,
  user_turns_per_session_avg: 0,
  tool_autonomy_level_ratio: { auto_high: 0, auto_medium: 0, auto_low: 0, manual: 0 },
});

export const zeroActivity = (day: UtcDay) => ({
  date: day.toString(),
  daily_active_users: 0,
  weekly_active_users: 0,
  monthly_active_users: 0,
  daily_active_users_by_client: { 'terminal-ui': 0, web: 0, 'non-interactive-cli': 0 },
  sessions: 0,
  messages: 0,
  user_messages: 0,
});

export const zeroActivityGroup = { date: '', group_key: '', daily_active_users: 0 };

export const zeroProductivity = (day: UtcDay) => ({
  date: day.toString(),
  files_created: 0,
  files_edited: 0,
  by_extension: [],
  by_language: [],
  git_commits: 0,
  git_prs_created: 0,
});

/** Days without activity have no rows of `/users`; only its fields are used. */
export const zeroUser = {
  user_id: '',
  user_email: '',
  date: '',
  tool_calls: 0,
  billable_tokens: 0,
  primary_model: '',
  primary_model_tier: '',
  files_created: 0,
  files_edited: 0,
  git_commits: 0,
  git_prs_created: 0,
  mcp_calls: 0,
  skill_calls: 0,
  slash_commands: 0,
  hooks: 0,
  sessions: 0,
  messages: 0,
  user_messages: 0,
  assistant_messages: 0,
  autonomy_ratio: 0,
  delegation_level: '',
  languages: [],
};
