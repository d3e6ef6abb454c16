/** How often a tool was called. */
export class ToolCount {
  /**
   * The tool; `unknown` stands for what was no name.
   * @example 'Read'
   */
  tool: string;

  /**
   * Calls.
   * @example 420
   */
  invocations: number;
}

/** How often tools of an MCP server were called. */
export class ServerCount {
  /**
   * The server, in the day's most frequent spelling; letter case does not matter.
   * @example 'github'
   */
  server: string;

  /**
   * Calls.
   * @example 42
   */
  invocations: number;
}

/** How often something was used. */
export class NameCount {
  /**
   * Its name.
   * @example 'review'
   */
  name: string;

  /**
   * Uses.
   * @example 12
   */
  count: number;
}

/** How often a hook ran. */
export class HookCount {
  /**
   * The event that raised it.
   * @example 'PostToolUse'
   */
  event: string;

  /**
   * What it was bound to; may be empty.
   * @example 'Edit'
   */
  matcher: string;

  /**
   * The command.
   * @example 'npm run lint'
   */
  command: string;

  /**
   * Runs.
   * @example 33
   */
  count: number;
}

/** Shares of tool calls by the autonomy level in force; they sum to 1, or are all 0 without tool calls. */
export class AutonomyShares {
  /**
   * High autonomy.
   * @example 0.5
   */
  auto_high: number;

  /**
   * Medium autonomy.
   * @example 0.25
   */
  auto_medium: number;

  /**
   * Low autonomy.
   * @example 0.125
   */
  auto_low: number;

  /**
   * Everything else: off, spec, and calls that did not say.
   * @example 0.125
   */
  manual: number;
}

export class ToolDayRow {
  /**
   * The day.
   * @example '2026-10-01'
   */
  date: string;

  /**
   * Tool calls, MCP calls included.
   * @example 5600
   */
  tool_calls: number;

  /** By tool, most calls first. */
  by_tool: ToolCount[];

  /**
   * Users who called a tool of an MCP server.
   * @example 31
   */
  mcp_users_with_mcp: number;

  /** By MCP server, most calls first. */
  mcp_by_server: ServerCount[];

  /**
   * Skills used.
   * @example 80
   */
  skills_invocations: number;

  /** By skill, most used first. */
  skills_by_name: NameCount[];

  /**
   * Slash commands used.
   * @example 120
   */
  slash_commands_invocations: number;

  /** By command, most used first. */
  slash_commands_by_name: NameCount[];

  /**
   * Hooks run.
   * @example 330
   */
  hooks_invocations: number;

  /** By hook, most runs first. */
  hooks_by_event: HookCount[];

  /**
   * Users with an event of the web client.
   * @example 40
   */
  web_users: number;

  /**
   * Tool calls per user message, averaged over the day's sessions with at least one user message.
   * @example 8.5
   */
  autonomy_ratio_avg: number;

  /**
   * The median of the same, by linear interpolation.
   * @example 6
   */
  autonomy_ratio_p50: number;

  /**
   * The 90th percentile of the same.
   * @example 19.5
   */
  autonomy_ratio_p90: number;

  /**
   * Tool calls per session with any event that day.
   * @example 45.2
   */
  tool_calls_per_session_avg: number;

  /**
   * User messages per session with any event that day.
   * @example 5.3
   */
  user_turns_per_session_avg: number;

  /** Shares of tool calls by autonomy level. */
  tool_autonomy_level_ratio: AutonomyShares;
}

export class ToolGroupRow {
  /**
   * The day.
   * @example '2026-10-01'
   */
  date: string;

  /**
   * The tool.
   * @example 'Read'
   */
  group_key: string;

  /**
   * Calls.
   * @example 420
   */
  tool_calls: number;
}

/** Files by extension. */
export class ExtensionCount {
  /**
   * In lower case with its dot; `(none)` for files without one.
   * @example '.ts'
   */
  extension: string;

  /**
   * Files created and edited.
   * @example 890
   */
  count: number;
}

/** Files by language. */
export class LanguageCount {
  /**
   * The language; `Other` when the extension does not tell.
   * @example 'TypeScript'
   */
  language: string;

  /**
   * Files created and edited.
   * @example 1310
   */
  count: number;
}

export class ProductivityDayRow {
  /**
   * The day.
   * @example '2026-10-01'
   */
  date: string;

  /**
   * Files created by agents.
   * @example 210
   */
  files_created: number;

  /**
   * Files edited by agents.
   * @example 1400
   */
  files_edited: number;

  /** By extension, most files first. */
  by_extension: ExtensionCount[];

  /** By language, most files first. */
  by_language: LanguageCount[];

  /**
   * Commits made by agents.
   * @example 95
   */
  git_commits: number;

  /**
   * Pull requests opened by agents.
   * @example 23
   */
  git_prs_created: number;
}
