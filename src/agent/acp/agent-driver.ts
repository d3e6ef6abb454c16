import type { RequestPermissionRequest, SessionUpdate, StopReason } from '@agentclientprotocol/sdk';
import type { ContentBlock, TurnSettings } from '../../protocol/relay-protocol.js';

export type { SessionUpdate, StopReason };

export type PermissionRequest = RequestPermissionRequest;

/** The agent reported an error, or violates the protocol. */
export class AgentFailed extends Error {
  override readonly name: string = 'AgentFailed';
}

/** The process has ended, or could not be started. */
export class AgentExited extends AgentFailed {
  override readonly name = 'AgentExited';
}

export interface OpenedSession {
  /** The agent's own session id; pass it to `open` to resume. */
  readonly agentSessionId: string;
  /** Whether the agent has the earlier conversation. */
  readonly isResumed: boolean;
}

export type AgentChoices = Pick<TurnSettings, 'model' | 'interactionMode' | 'autonomyLevel' | 'reasoningEffort'>;

/** `inputTokens` includes tokens read from and written to the cache. */
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
  /** Total of all models; null when the agent does not report it. */
  readonly usage: TurnUsage | null;
  /** Empty when the agent does not report usage by model. */
  readonly models: readonly ModelUsage[];
  /** As reported by the agent. */
  readonly currentModel: string | null;
}

/** One session with an agent in its own processes. */
export interface AgentDriver {
  /** As the agent calls itself; null before `open`, and when it does not. */
  readonly agentName: string | null;

  /** Starts the agent and opens a session, or resumes the one with this agent session id. */
  open(options: { resume: string | null }): Promise<OpenedSession>;

  /** Applies what the agent supports; returns a note for each choice that it does not. */
  configure(choices: AgentChoices): Promise<string[]>;

  /** Resolves when the agent has ended the turn. Throws `AgentFailed` or `AgentExited`. */
  prompt(blocks: readonly ContentBlock[]): Promise<PromptResult>;

  /** `prompt` then resolves with `cancelled`; an agent that ignores it has to be closed. */
  cancel(): Promise<void>;

  /** Also ends the processes that the agent has started. */
  close(): Promise<void>;
}

export interface AgentDriverOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  /** The whole environment; default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** In order, and only while a session is open; must not throw. */
  readonly onUpdate: (update: SessionUpdate) => void;
  /** A rejected promise counts as no. */
  readonly onPermission: (request: PermissionRequest) => Promise<{ readonly allow: boolean }>;
  /** Called once, when the processes have ended; null after `close`. */
  readonly onExit: (error: Error | null) => void;
  readonly openTimeoutMs?: number;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
}
