import { v5 as uuidv5 } from 'uuid';
import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import {
  type EndReason,
  MAX_USAGE_EVENTS,
  type RelayMessage,
  type TurnRef,
  type TurnStart,
  type UsageReport,
} from '../../protocol/relay-protocol.js';
import { type Outbox } from '../relay/outbox.js';
import type { ToolCall } from './tool-calls.js';
import { Transcript } from './transcript.js';

const FLUSH_INTERVAL_MS = 200;
/** While the connection is down, intermediate states are not flushed, unless they fill memory. */
const MAX_UNFLUSHED_UPDATES = 200;
const MAX_MESSAGES_PER_FRAME = 100;
const MAX_BYTES_PER_FRAME = 3 * 1024 * 1024;

/** One attempt at a turn: turns what the agent does into messages and usage for the outbox. */
export class TurnRun {
  readonly ref: TurnRef;
  private readonly transcript: Transcript;
  private unflushed = 0;
  private usage: UsageReport[] = [];
  private timer: NodeJS.Timeout | null = null;
  private isOver = false;

  constructor(
    readonly start: TurnStart,
    private readonly outbox: Outbox,
  ) {
    const { sessionId, messageId, attempt } = start;
    this.ref = { sessionId, messageId, attempt };
    this.transcript = new Transcript(messageId);
  }

  /** Ended, or taken over by somebody else: nothing more is sent. */
  get isEnded(): boolean {
    return this.isOver;
  }

  /** The tool call in the update, if any. */
  apply(update: SessionUpdate): ToolCall | null {
    const call = this.transcript.apply(update);
    this.touch();
    return call;
  }

  ask(toolCall: ToolCallUpdate): ToolCall {
    const call = this.transcript.ask(toolCall);
    this.touch();
    return call;
  }

  report(events: UsageReport[]): void {
    this.usage.push(...events);
    if (this.usage.length >= MAX_USAGE_EVENTS) this.flushUsage();
  }

  end(reason: EndReason, ...last: RelayMessage[]): void {
    if (this.isOver) return;
    this.flushUsage();
    const frames = inFrames(this.answers([...this.transcript.changed(), ...last]));
    const messages = frames.pop() ?? [];
    for (const frame of frames) this.put(frame);
    this.outbox.append({ method: 'turn.end', params: { turn: this.ref, reason, messages } });
    this.drop();
  }

  /** Sends what was done; the service offers the turn to the next client. */
  leave(): void {
    this.flush();
    this.drop();
  }

  /** Sends nothing more but the usage so far. */
  drop(): void {
    this.flushUsage();
    this.isOver = true;
    if (this.timer) clearTimeout(this.timer);
  }

  /** A message of the client itself. */
  message(role: RelayMessage['role'], text: string, details: Partial<RelayMessage> = {}): RelayMessage {
    const id = uuidv5(`client ${role}`, this.ref.messageId);
    return { id, role, content: [{ type: 'text', text }], ...details };
  }

  private touch(): void {
    if (this.isOver) return;
    this.unflushed++;
    if (this.unflushed >= MAX_UNFLUSHED_UPDATES) this.flush();
    else this.timer ??= setTimeout(() => this.flushWhenPossible(), FLUSH_INTERVAL_MS);
  }

  private flushWhenPossible(): void {
    this.timer = null;
    if (this.outbox.isEmpty) this.flush();
    else this.timer = setTimeout(() => this.flushWhenPossible(), FLUSH_INTERVAL_MS);
  }

  private flush(): void {
    if (this.isOver) return;
    this.unflushed = 0;
    this.flushUsage();
    for (const frame of inFrames(this.answers(this.transcript.changed()))) this.put(frame);
  }

  private flushUsage(): void {
    const { sessionId } = this.ref;
    while (this.usage.length > 0) {
      const events = this.usage.splice(0, MAX_USAGE_EVENTS);
      this.outbox.append({ method: 'usage.report', params: { sessionId, events } });
    }
  }

  private answers(messages: RelayMessage[]): RelayMessage[] {
    return messages.map((message) => ({ ...message, parentId: this.ref.messageId }));
  }

  private put(messages: RelayMessage[]): void {
    this.outbox.append({ method: 'message.put', params: { turn: this.ref, messages } });
  }
}

/** In as few frames as possible. */
function inFrames(messages: RelayMessage[]): RelayMessage[][] {
  const frames: RelayMessage[][] = [];
  let bytes = Infinity;
  for (const message of messages) {
    const size = Buffer.byteLength(JSON.stringify(message));
    const current = frames.at(-1);
    if (!current || bytes + size > MAX_BYTES_PER_FRAME || current.length === MAX_MESSAGES_PER_FRAME) {
      frames.push([message]);
      bytes = size;
    } else {
      current.push(message);
      bytes += size;
    }
  }
  return frames;
}
