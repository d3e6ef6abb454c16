import { agentOfName, type KnownAgent } from '../acp/known-agents.js';
import type { TurnSettings } from '../../protocol/relay-protocol.js';
import type { ToolCall } from './tool-calls.js';

/** Where a known agent, although it is told to ask, may be told otherwise. */
const EXCEPTIONS: Record<KnownAgent, string> = {
  'Claude Code': 'Look for hooks and sandbox settings of Claude Code that allow tools without a question.',
  'Gemini CLI': 'Look for policies of an administrator that allow tools of Gemini CLI without a question.',
  Codex: 'Look for rules of Codex (~/.codex/rules) that allow commands without a question.',
  opencode: 'Look for permissions of single agents in the configuration of opencode.',
};
const GENERAL = 'Configure the agent so that it asks before it edits files or runs commands.';
const MAX_DETAIL = 200;

export interface UnaskedChange {
  readonly call: ToolCall;
  readonly reason: string;
  readonly settings: TurnSettings;
  /** As the agent calls itself. */
  readonly agentName: string | null;
}

/** What the session shows when its turn ends because of a change without a permission. */
export function explainUnasked({ call, reason, settings, agentName }: UnaskedChange): string {
  const detail = (call.command ?? call.files[0]?.path ?? call.paths[0] ?? '').slice(0, MAX_DETAIL);
  const known = agentName === null ? null : agentOfName(agentName);
  return [
    `The agent used ${call.name}${detail === '' ? '' : ` (${detail})`} without a permission`,
    ` at the autonomy level ${settings.autonomyLevel ?? 'off'}. ${reason}`,
    ' The turn was ended and the agent was stopped; what it did is not undone.',
    ` ${known === null ? GENERAL : EXCEPTIONS[known]}`,
    ' A session may also be given a higher autonomyLevel.',
  ].join('');
}
