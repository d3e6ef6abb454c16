import type { SessionUpdate, ToolCallStatus, ToolCallUpdate, ToolKind } from '@agentclientprotocol/sdk';

export interface TouchedFile {
  readonly path: string;
  readonly isNew: boolean;
}

/** What is known of a tool call. */
export interface ToolCall {
  readonly id: string;
  /** The name of the tool as the agent says it, else a word for its kind. */
  readonly name: string;
  readonly kind: ToolKind;
  readonly input: Record<string, unknown>;
  readonly status: ToolCallStatus;
  /** Completed or failed: nothing about it changes any more. */
  readonly isFinished: boolean;
  /** The MCP server that offers the tool. */
  readonly mcpServer: string | null;
  /** What a shell is to run. */
  readonly command: string | null;
  readonly files: readonly TouchedFile[];
  /** What came out, as text. */
  readonly output: string;
}

/** The tool calls of a turn, put together from what the agent says about them bit by bit. Forgets those that ended. */
export class ToolCalls {
  /** The call that an update is about; null when it is about none, or about one that has ended before. */
  apply(update: SessionUpdate): ToolCall | null {
    throw new Error(`to be written ${String(update)}`);
  }

  /** The call that a permission is asked for: agents may ask before they have said anything else about it. */
  ask(toolCall: ToolCallUpdate): ToolCall {
    throw new Error(`to be written ${String(toolCall)}`);
  }
}
