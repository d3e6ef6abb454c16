import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import type { Readable, Writable } from 'node:stream';
import { isRecord } from '../shared/bounds.js';
import { AgentFailed } from './agent-driver.js';

export const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_SAMPLE = 500;
const NEWLINE = 0x0a;

export interface AgentStreamHandlers {
  /** The parameters of `session/update`, which do not go through the stream: so they stay in order with answers. */
  readonly onUpdate: (params: unknown) => void;
  /** The agent has closed its output, or sent what cannot be read. Nothing comes any more. */
  readonly onEnd: (error: AgentFailed | null) => void;
}

/**
 * The messages on an agent's standard output and input, one a line. Agents and what they start also print other things
 * there; those lines are left out.
 */
export class AgentStream implements Stream {
  readonly readable: ReadableStream<AnyMessage>;
  readonly writable: WritableStream<AnyMessage>;
  /** The last line that was no message; often it says what is wrong. */
  strayLine = '';
  private controller: ReadableStreamDefaultController<AnyMessage> | null = null;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private hasEnded = false;
  /** The requests that have not been answered. */
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

  /** Answers that have arrived are still read from the stream; requests that have none then fail. */
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

  /** Whether it is worth reading. */
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
    else if ('method' in message && message.method === 'session/update') this.handlers.onUpdate(message.params);
    else this.controller?.enqueue(message);
  }

  private end(error: AgentFailed | null): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.pending = [];
    this.handlers.onEnd(error);
  }
}

/** null for everything that is neither a call nor an answer. */
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

/** Does not fail: an agent that does not read any more has ended, and that is told elsewhere. */
function writeLine(input: Writable, message: AnyMessage): Promise<void> {
  return new Promise((resolve) => {
    if (!input.writable) resolve();
    else input.write(`${JSON.stringify(message)}\n`, () => resolve());
  });
}
