import { AUTONOMY_CODE, CLIENT_CODE, EVENT_KIND } from '../../../ingest/event-codes.js';

const K = EVENT_KIND;
const ofKind = (kind: number) => `e.kind = ${kind}`;

/** Figures that count events `e`: of a user and day in `user_facts`, summed up in `day_facts`, each in a column of this name. */
export const COUNTED = {
  tool_calls: ofKind(K.tool_call),
  mcp_calls: `e.kind = ${K.tool_call} AND e.detail_id IS NOT NULL`,
  skill_calls: ofKind(K.skill_used),
  slash_commands: ofKind(K.slash_command),
  hooks: ofKind(K.hook_run),
  user_messages: ofKind(K.user_message),
  assistant_messages: ofKind(K.assistant_message),
  files_created: ofKind(K.file_created),
  files_edited: ofKind(K.file_edited),
  git_commits: ofKind(K.git_commit),
  git_prs_created: ofKind(K.pull_request_created),
  auto_high: `e.autonomy = ${AUTONOMY_CODE.high}`,
  auto_medium: `e.autonomy = ${AUTONOMY_CODE.medium}`,
  auto_low: `e.autonomy = ${AUTONOMY_CODE.low}`,
  spec: `e.autonomy = ${AUTONOMY_CODE.spec}`,
  terminal_ui_events: `e.client = ${CLIENT_CODE['terminal-ui']}`,
  web_events: `e.client = ${CLIENT_CODE.web}`,
  headless_events: `e.client = ${CLIENT_CODE['non-interactive-cli']}`,
} as const;
export type CountedFigure = keyof typeof COUNTED;
export const COUNTED_FIGURES = Object.keys(COUNTED) as CountedFigure[];

/** Figures of a user that are not numbers of events; days have their sums too. */
export const OTHER_FIGURES = ['billable_tokens', 'sessions', 'manual'] as const;
export type Figure = CountedFigure | (typeof OTHER_FIGURES)[number];
export const FIGURES: readonly Figure[] = [...COUNTED_FIGURES, ...OTHER_FIGURES];

/** Sums of model calls; a column of `user_model_facts` and `day_model_facts` each, with its SQL over events `e`. */
export const TOKEN_SUMS = {
  input: 'sum(e.input_tokens)',
  output: 'sum(e.output_tokens)',
  billable: 'sum(e.billable_tokens)::bigint',
  calls: 'count(*)',
  cache_read: 'sum(coalesce(e.cache_read_tokens, 0))',
  cache_write: 'sum(coalesce(e.cache_write_tokens, 0))',
  cache_write_1h: 'sum(e.cache_write_1h_tokens)',
  reported_cost: 'sum(e.reported_cost)',
} as const;
export type TokenSum = keyof typeof TOKEN_SUMS;
export const TOKEN_COLUMNS = Object.keys(TOKEN_SUMS) as TokenSum[];

/** Changes when the same events give other facts. */
export const FACT_FORMAT = 1;
/** The rules of facts that were made from stored rows, because the raw events were gone. */
export const FROZEN_RULES = 'frozen';
