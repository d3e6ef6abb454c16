import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { RelayMessage } from '../../protocol/relay-protocol.js';
import type { ToolCall } from './tool-calls.js';

/** The messages of one turn, made from what the agent does. Their ids depend only on the turn and their place in it. */
export class Transcript {
  constructor(private readonly turnMessageId: string) {}

  /** The tool call that the update was about, as it is now; null when it was about none. */
  apply(update: SessionUpdate): ToolCall | null {
    throw new Error(`to be written ${String(update)} ${this.turnMessageId}`);
  }

  /** To be called with what a permission is asked for, before that is decided. */
  ask(toolCall: ToolCallUpdate): ToolCall {
    throw new Error(`to be written ${String(toolCall)}`);
  }

  /** The messages that have changed since the last call, each as it is now, in order. */
  changed(): RelayMessage[] {
    throw new Error('to be written');
  }

  /** Whether a message that `changed` has told of will not change any more. */
  isComplete(messageId: string): boolean {
    throw new Error(`to be written ${messageId}`);
  }
}
