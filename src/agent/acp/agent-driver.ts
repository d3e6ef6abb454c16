import type { RequestPermissionRequest, SessionUpdate, StopReason } from '@agentclientprotocol/sdk';
import type { ContentBlock, TurnSettings } from '../../protocol/relay-protocol.js';

export type { SessionUpdate, StopReason };

/** An agent asks whether it may use a tool. */
export type PermissionRequest = RequestPermissionRequest;

/** The agent said that it cannot do what it was asked, or it does not speak the protocol. */
export class AgentFailed extends Error {
  override readonly name: string = 'AgentFailed';
}

/** The agent's process has ended, or could not be started. */
export class AgentExited extends AgentFailed {
  override readonly name = 'AgentExited';
}

export interface OpenedSession {
  /** What the agent calls the session; give it to `open` to go on with it later. */
  readonly agentSessionId: string;
  /** Whether the agent knows what was said before. */
  readonly isResumed: boolean;
}

/** What a session wants of its agent. */
export type AgentChoices = Pick<TurnSettings, 'model' | 'interactionMode' | 'autonomyLevel' | 'reasoningEffort'>;

/** Tokens of a turn. `inputTokens` includes those read from and written to the cache. */
export interface TurnUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** Part of the output. */
  readonly thinkingTokens?: number;
}

export interface ModelUsage extends TurnUsage {
  readonly modelId: string;
}

export interface PromptResult {
  readonly stopReason: StopReason;
  /** Of all models together; null when the agent does not tell. */
  readonly usage: TurnUsage | null;
  /** The same by model, when the agent tells that; otherwise empty. */
  readonly models: readonly ModelUsage[];
  /** The model that the agent says it uses, when it says so. */
  readonly currentModel: string | null;
}

/** One session with an agent in processes of its own. */
export interface AgentDriver {
  /** Starts the agent and begins a session, or goes on with the one that it called `resume`. */
  open(options: { resume: string | null }): Promise<OpenedSession>;

  /** Sets what the agent lets itself be set; the answer tells what could not be, in words. */
  configure(choices: AgentChoices): Promise<string[]>;

  /** Gives the agent the user's words; resolves when it has done with them. Throws `AgentFailed` or `AgentExited`. */
  prompt(blocks: readonly ContentBlock[]): Promise<PromptResult>;

  /** Asks the agent to stop; `prompt` then resolves with `cancelled`. An agent that does not listen has to be closed. */
  cancel(): Promise<void>;

  /** Ends the agent and everything that it has started. */
  close(): Promise<void>;
}

export interface AgentDriverOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** The whole environment; absent: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** What the agent does, in order. Called only while a session is open; must not throw. */
  readonly onUpdate: (update: SessionUpdate) => void;
  /** Whether the agent may. A rejection counts as no. */
  readonly onPermission: (request: PermissionRequest) => Promise<{ readonly allow: boolean }>;
  /** Once, when the processes have ended: null after `close`, otherwise why. */
  readonly onExit: (error: Error | null) => void;
  readonly openTimeoutMs?: number;
  /** How long the processes have between being asked to end and being killed. */
  readonly graceMs?: number;
}
