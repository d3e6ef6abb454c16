/** What happened, as the number that stands in `events.kind`. */
export const EVENT_KIND = {
  model_call: 1,
  tool_call: 2,
  user_message: 3,
  assistant_message: 4,
  session_started: 5,
  file_created: 6,
  file_edited: 7,
  git_commit: 8,
  pull_request_created: 9,
  skill_used: 10,
  slash_command: 11,
  hook_run: 12,
} as const;
export type EventType = keyof typeof EVENT_KIND;

/** Where it happened, as the number that stands in `events.client`. */
export const CLIENT_CODE = { 'terminal-ui': 1, web: 2, 'non-interactive-cli': 3 } as const;
export type ClientType = keyof typeof CLIENT_CODE;

/** The autonomy of a tool call, as the number that stands in `events.autonomy`; smaller is more autonomous. */
export const AUTONOMY_CODE = { high: 1, medium: 2, low: 3, spec: 4, off: 5 } as const;
export type Autonomy = keyof typeof AUTONOMY_CODE;

/** The tier of a model, as the number that stands in `events.tier`; of several on one day, the largest counts. */
export const TIER_CODE = { standard: 1, thinking: 2 } as const;
export type ModelTier = keyof typeof TIER_CODE;

/** What a row of `event_names` names. */
export const NAME_KIND = {
  model: 1,
  tool: 2,
  mcpServer: 3,
  skill: 4,
  slashCommand: 5,
  /** `[event, matcher, command]` as JSON. */
  hook: 6,
  extension: 7,
  language: 8,
  priceBook: 9,
} as const;
export type NameKind = (typeof NAME_KIND)[keyof typeof NAME_KIND];

/** The partition that holds the events of a day. */
export function eventPartition(day: { toString(): string }): string {
  return `events_${day.toString().replaceAll('-', '')}`;
}
