import { type ContentBlock, MAX_MESSAGE_BYTES, type RelayMessage } from '../../protocol/relay-protocol.js';
import { boundedObject, cleanText, cutNote, jsonLength, jsonPrefix } from '../shared/bounds.js';
import type { ToolCall } from './tool-calls.js';

export const MAX_MESSAGE_TEXT = 1_000_000;
export const MAX_BLOCKS = 100;
/** The rest is for the envelope of the blocks and for shortened inputs. */
const MAX_BYTES = MAX_MESSAGE_BYTES - 400_000;
const SMALL_INPUT = 1_000;

type ProseType = 'text' | 'thinking';

interface Prose {
  type: ProseType;
  text: string;
  /** Number of characters cut off. */
  cut: number;
}

interface Image {
  type: 'image';
  data: string;
  mediaType: string;
}

export interface ToolUse {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
  bytes: number;
}

type Block = Prose | Image | ToolUse;

export class AssistantMessage {
  private readonly blocks: Block[] = [];
  private readonly unsettled = new Set<string>();
  private agentMessageId: string | null = null;
  private isClosed = false;
  private isChanged = false;
  private textLength = 0;
  private bytes = 0;

  constructor(readonly id: string) {}

  /** Nothing will be added, and all of its tool calls have ended. */
  get isComplete(): boolean {
    return this.isClosed && this.unsettled.size === 0;
  }

  close(): void {
    this.isClosed = true;
  }

  /** Whether a chunk with this id may be appended. */
  isOf(agentMessageId: string | null): boolean {
    return agentMessageId === null || this.agentMessageId === null || agentMessageId === this.agentMessageId;
  }

  belongsTo(agentMessageId: string | null): void {
    this.agentMessageId ??= agentMessageId;
  }

  /** Like the other `add` methods, null when there is no room. A text that is too long by itself is cut. */
  addText(type: ProseType, text: string): Prose | null {
    const fitting = jsonPrefix(text, MAX_MESSAGE_TEXT - this.textLength);
    const last = this.blocks.at(-1);
    const continued = last?.type === type ? last : null;
    if (!this.hasRoom(byteLength(fitting), continued ? 0 : 1)) return null;
    const block = continued ?? (fitting === '' ? this.lastProse() : null) ?? this.beginProse(type);
    block.text += fitting;
    block.cut += text.length - fitting.length;
    this.textLength += jsonLength(fitting) - 2;
    this.bytes += byteLength(fitting);
    this.isChanged = true;
    return block;
  }

  addImage(data: string, mediaType: string): Prose | Image | null {
    if (data.length > MAX_BYTES) return this.addText('text', `[image: ${mediaType}, too large to be kept]`);
    if (!this.hasRoom(data.length, 1)) return null;
    const block: Image = { type: 'image', data, mediaType };
    this.blocks.push(block);
    this.bytes += data.length;
    this.isChanged = true;
    return block;
  }

  addToolUse({ id, name, input }: ToolCall): ToolUse | null {
    const bytes = byteLength([id, name, input]);
    if (!this.hasRoom(bytes, 1)) return null;
    const block: ToolUse = { type: 'tool_use', id, name, input, bytes };
    this.blocks.push(block);
    this.unsettled.add(id);
    this.bytes += bytes;
    this.isChanged = true;
    return block;
  }

  updateToolUse(block: ToolUse, { name, input }: ToolCall): void {
    if (block.name === name && block.input === input) return;
    const others = this.bytes - block.bytes;
    const isFitting = others + byteLength([block.id, name, input]) <= MAX_BYTES;
    block.name = name;
    block.input = isFitting ? input : boundedObject(input, SMALL_INPUT);
    block.bytes = byteLength([block.id, name, block.input]);
    this.bytes = others + block.bytes;
    this.isChanged = true;
  }

  settle(toolCallId: string): void {
    this.unsettled.delete(toolCallId);
  }

  /** The message, if it has changed since the last call. */
  takeChange(): RelayMessage | null {
    if (!this.isChanged) return null;
    this.isChanged = false;
    const content = this.blocks.map(toContentBlock).filter((block) => block !== null);
    return content.length === 0 ? null : { id: this.id, role: 'assistant', content };
  }

  private hasRoom(bytes: number, blocks: 0 | 1): boolean {
    if (this.blocks.length === 0) return true;
    return this.blocks.length + blocks <= MAX_BLOCKS && this.bytes + bytes <= MAX_BYTES;
  }

  private beginProse(type: ProseType): Prose {
    const block: Prose = { type, text: '', cut: 0 };
    this.blocks.push(block);
    return block;
  }

  private lastProse(): Prose | null {
    const isProse = (block: Block): block is Prose => block.type === 'text' || block.type === 'thinking';
    return this.blocks.filter(isProse).at(-1) ?? null;
  }
}

export function toolResultMessage(id: string, { id: toolUseId, output, status }: ToolCall): RelayMessage {
  const block: ContentBlock = { type: 'tool_result', toolUseId, content: output };
  if (status === 'failed') block.isError = true;
  return { id, role: 'tool', content: [block] };
}

function toContentBlock(block: Block): ContentBlock | null {
  if (block.type === 'tool_use') {
    return { type: 'tool_use', id: block.id, name: block.name, input: block.input };
  }
  if (block.type === 'image') {
    return { type: 'image', source: { type: 'base64', mediaType: block.mediaType, data: block.data } };
  }
  const text = cleanText(block.text) + (block.cut === 0 ? '' : cutNote(block.cut));
  if (text === '') return null;
  return block.type === 'text' ? { type: 'text', text } : { type: 'thinking', thinking: text, signature: '' };
}

function byteLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
