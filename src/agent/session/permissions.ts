import type { AgentControls, TurnSettings } from '../../protocol/relay-protocol.js';
import type { ToolCall } from './tool-calls.js';

export interface Decision {
  readonly allow: boolean;
  /** A sentence that names the rule, for the log and for the agent. */
  readonly reason: string;
}

export interface PermissionQuestion {
  readonly settings: TurnSettings;
  readonly controls: AgentControls;
  readonly call: Pick<ToolCall, 'name' | 'kind' | 'command' | 'mcpServer'>;
}

/** Whether an agent may make a tool call. What no rule allows is denied. */
export function decide(question: PermissionQuestion): Decision {
  throw new Error(`to be written ${String(question)}`);
}
