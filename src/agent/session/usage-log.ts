import type { TurnSettings, UsageReport } from '../../protocol/relay-protocol.js';
import type { PromptResult } from '../acp/agent-driver.js';
import type { ToolCall } from './tool-calls.js';

export interface UsageContext {
  readonly settings: TurnSettings;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** What a tool call that has just ended counts as; to be asked once for each. */
export function reportsOfToolCall(call: ToolCall, context: UsageContext): UsageReport[] {
  throw new Error(`to be written ${String(call)} ${String(context)}`);
}

/** The model calls of a turn; none when the agent does not tell. */
export function reportsOfPrompt(result: PromptResult, context: UsageContext): UsageReport[] {
  throw new Error(`to be written ${String(result)} ${String(context)}`);
}

/** The slash command that a user's text begins with, if it is one that the agent has. */
export function reportsOfText(text: string, commands: readonly string[], context: UsageContext): UsageReport[] {
  throw new Error(`to be written ${text} ${String(commands)} ${String(context)}`);
}
