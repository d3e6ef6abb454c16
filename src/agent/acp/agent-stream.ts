import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import type { Readable, Writable } from 'node:stream';
import { isRecord } from '../shared/bounds.js';
import { AgentFailed } from './agent-driver.js';
import { TOLD_METHOD } from './told-model.js';

export const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_SAMPLE = 500;
const NEWLINE = 0x0a;
const UPDATE_METHODS = ['session/update', TOLD_METHOD];

export interface AgentStreamHandlers {
  /** Unparsed parameters of `session/update` and of messages about the model; called directly, so that updates stay in order with responses. */
  readonly onUpdate: (params: unknown) => void;
  /** The output is closed or unreadable. */
  readonly onEnd: (error: AgentFailed | null) => void;
}

/** JSON messages on the agent's standard streams, one per line; other lines are skipped. */
export class AgentStream implements Stream {
  readonly readable: ReadableStream<AnyMessage>;
  readonly writable: WritableStream<AnyMessage>;
  /** The last skipped line, which often has the cause of a failure. */
  strayLine = '';
  private controller: ReadableStreamDefaultController<AnyMessage> | null = null;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private hasEnded = false;
  /** Ids of open requests. */
  private readonly asked = new Set<unknown>();

  constructor(
    output: Readable,
    input: Writable,
    private readonly handlers: AgentStreamHandlers,
  ) {
    this.readable = new ReadableStream({
      start: (controller) => {
        this.controller = controller;
      },
      cancel: () => {
        this.controller = null;
      },
    });
    this.writable = new WritableStream({
      write: (message) => {
        if ('method' in message && 'id' in message) this.asked.add(message.id);
        return writeLine(input, message);
      },
    });
    output.on('data', (data: Buffer) => this.take(data));
    output.once('close', () => {
      if (!this.hasEnded) this.readLine();
      this.end(null);
    });
  }

  /** Responses that have arrived are still read; open requests fail. */
  close(): void {
    this.controller?.close();
    this.controller = null;
  }

  private take(data: Buffer): void {
    let start = 0;
    for (let end = data.indexOf(NEWLINE); end !== -1; end = data.indexOf(NEWLINE, start)) {
      if (this.keep(data.subarray(start, end))) this.readLine();
      start = end + 1;
    }
    this.keep(data.subarray(start));
  }

  /** Whether the line is within the limit. */
  private keep(bytes: Buffer): boolean {
    if (this.hasEnded) return false;
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
    if (this.pendingBytes <= MAX_LINE_BYTES) return true;
    this.end(new AgentFailed(`The agent sent a line of more than ${MAX_LINE_BYTES} bytes.`));
    return false;
  }

  private readLine(): void {
    const line = Buffer.concat(this.pending).toString().trim();
    this.pending = [];
    this.pendingBytes = 0;
    if (line === '') return;
    const message = parseMessage(line);
    const isExpected = message !== null && ('method' in message || this.asked.delete(message.id));
    if (!isExpected) this.strayLine = line.slice(0, MAX_SAMPLE);
    else if ('method' in message && UPDATE_METHODS.includes(message.method)) this.handlers.onUpdate(message.params);
    else this.controller?.enqueue(message);
  }

  private end(error: AgentFailed | null): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.pending = [];
    this.handlers.onEnd(error);
  }
}

/** null for everything that is neither a request nor a response. */
function parseMessage(line: string): AnyMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isRecord(value) || value.jsonrpc !== '2.0') return null;
  const isCall = typeof value.method === 'string';
  const isAnswer = 'id' in value && ('result' in value || 'error' in value);
  return isCall || isAnswer ? (value as unknown as AnyMessage) : null;
}

/** Never rejects: a closed input means that the process has ended, which is reported elsewhere. */
function writeLine(input: Writable, message: AnyMessage): Promise<void> {
  return new Promise((resolve) => {
    if (!input.writable) resolve();
    else input.write(`${JSON.stringify(message)}\n`, () => resolve());
  });
}
