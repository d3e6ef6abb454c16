import type { ContentChunk, SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { v5 as uuidv5 } from 'uuid';
import type { RelayMessage } from '../../protocol/relay-protocol.js';
import { AssistantMessage, type ToolUse, toolResultMessage } from './assistant-message.js';
import { type ToolCall, ToolCalls } from './tool-calls.js';
import { textOfBlock } from './tool-output.js';

interface Place {
  readonly message: AssistantMessage;
  readonly block: ToolUse;
}

/**
 * The messages of one turn. Ids depend only on the turn and the position, so that a retry replaces the messages of an
 * earlier attempt. Completed messages are dropped once taken.
 */
export class Transcript {
  private readonly calls = new ToolCalls();
  private readonly places = new Map<string, Place>();
  private entries: (AssistantMessage | RelayMessage)[] = [];
  private current: AssistantMessage | null = null;
  private ordinal = 0;

  constructor(private readonly turnMessageId: string) {}

  /** The current state of the tool call in the update; null when there is none. */
  apply(update: SessionUpdate): ToolCall | null {
    if (update.sessionUpdate === 'agent_message_chunk') this.addChunk(update, 'text');
    if (update.sessionUpdate === 'agent_thought_chunk') this.addChunk(update, 'thinking');
    const call = this.calls.apply(update);
    if (call) this.place(call);
    return call;
  }

  /** To be called before the permission is decided. */
  ask(toolCall: ToolCallUpdate): ToolCall {
    const call = this.calls.ask(toolCall);
    if (!this.calls.isFinished(toolCall.toolCallId)) this.place(call);
    return call;
  }

  /** The messages that have changed since the last call, in order. */
  changed(): RelayMessage[] {
    const messages = this.entries.flatMap((entry) => {
      if (!(entry instanceof AssistantMessage)) return [entry];
      return entry.takeChange() ?? [];
    });
    this.entries = this.entries.filter((entry) => entry instanceof AssistantMessage && !entry.isComplete);
    return messages;
  }

  isComplete(messageId: string): boolean {
    return !this.entries.some((entry) => entry.id === messageId && entry instanceof AssistantMessage);
  }

  private addChunk({ content, messageId }: ContentChunk, kind: 'text' | 'thinking'): void {
    const isImage = content.type === 'image' && kind === 'text';
    const text = isImage ? '' : textOfBlock(content);
    if (!isImage && text === '') return;
    if (!this.current?.isOf(messageId ?? null)) this.begin();
    if (isImage) this.fill((message) => message.addImage(content.data, content.mimeType));
    else this.fill((message) => message.addText(kind, text));
    this.current?.belongsTo(messageId ?? null);
  }

  private place(call: ToolCall): void {
    const known = this.places.get(call.id);
    if (known) known.message.updateToolUse(known.block, call);
    const { message } = known ?? this.placeNew(call);
    if (!call.isFinished) return;
    message.settle(call.id);
    this.places.delete(call.id);
    this.end();
    this.entries.push(toolResultMessage(this.nextId('tool'), call));
  }

  private placeNew(call: ToolCall): Place {
    const place = this.fill((message) => {
      const block = message.addToolUse(call);
      return block && { message, block };
    });
    this.places.set(call.id, place);
    this.settleForgotten();
    return place;
  }

  /** Calls that the agent never ends do not keep messages open for ever. */
  private settleForgotten(): void {
    if (this.places.size <= this.calls.openCount) return;
    for (const [id, { message }] of this.places) {
      if (!this.calls.isFinished(id)) continue;
      message.settle(id);
      this.places.delete(id);
    }
  }

  private fill<T>(add: (message: AssistantMessage) => T | null): T {
    const added = add(this.current ?? this.begin()) ?? add(this.begin());
    if (added === null) throw new Error('A new message has room for anything.');
    return added;
  }

  private begin(): AssistantMessage {
    this.end();
    const message = new AssistantMessage(this.nextId('assistant'));
    this.entries.push(message);
    this.current = message;
    return message;
  }

  private end(): void {
    this.current?.close();
    this.current = null;
  }

  private nextId(role: 'assistant' | 'tool'): string {
    const id = uuidv5(`${role}-${this.ordinal}`, this.turnMessageId);
    this.ordinal += 1;
    return id;
  }
}
