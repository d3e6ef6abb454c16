import { connect, type Socket } from 'node:net';
import type { ApiAnswer } from './api-client.js';
import { expectDocumented } from './openapi.js';

export interface RawRequest {
  method: string;
  /** Sent as it is, without normalisation or escaping. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

/** Adds Content-Length unless the headers define the length. */
export function requestBytes({ method, path, headers = {}, body = '' }: RawRequest): Buffer {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const isFramed = names.includes('content-length') || names.includes('transfer-encoding');
  const all = {
    Host: 'localhost',
    ...headers,
    ...(isFramed || body.length === 0 ? {} : { 'Content-Length': `${Buffer.byteLength(body)}` }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

/** Over a new connection; returns the first answer. */
export function sendBytes(url: string, bytes: Uint8Array | string, timeoutMs = 10_000): Promise<ApiAnswer> {
  return new RawConnection(url).exchange(bytes, timeoutMs);
}

/** Sends a request that no HTTP client would; checks the answer against the API document. */
export async function sendRaw(url: string, request: RawRequest): Promise<ApiAnswer> {
  const answer = await sendBytes(url, requestBytes(request));
  expectDocumented(request.method.toLowerCase(), request.path, answer);
  return answer;
}

/** For requests that arrive in pieces or never end. */
export class RawConnection {
  private readonly socket: Socket;
  private received: Buffer = Buffer.alloc(0);
  private expectsBody = true;
  private closed: Error | true | null = null;
  private wake: () => void = () => undefined;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.on('data', (data: Buffer) => this.note(() => (this.received = Buffer.concat([this.received, data]))));
    this.socket.on('error', (error) => this.note(() => (this.closed ??= error)));
    this.socket.on('close', () => this.note(() => (this.closed ??= true)));
  }

  write(bytes: Uint8Array | string): void {
    if (Buffer.from(bytes.slice(0, 5)).toString() === 'HEAD ') this.expectsBody = false;
    if (this.socket.writable) this.socket.write(bytes);
  }

  async exchange(bytes: Uint8Array | string, timeoutMs?: number): Promise<ApiAnswer> {
    this.write(bytes);
    const answer = await this.answer(timeoutMs);
    this.close();
    return answer;
  }

  async answer(timeoutMs = 10_000): Promise<ApiAnswer> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const answer = this.takeAnswer();
      if (answer) return answer;
      if (this.closed) throw new Error(`The connection was closed without an answer: ${String(this.closed)}`);
      if (performance.now() > deadline) throw new Error(`There was no answer within ${timeoutMs} ms`);
      await this.event(deadline - performance.now());
    }
  }

  async end(timeoutMs = 10_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!this.closed) {
      if (performance.now() > deadline) throw new Error(`The connection was still open after ${timeoutMs} ms`);
      await this.event(deadline - performance.now());
    }
  }

  close(): void {
    this.socket.destroy();
  }

  private note(change: () => void): void {
    change();
    this.wake();
  }

  private async event(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      timer = setTimeout(resolve, Math.max(0, timeoutMs));
    });
    clearTimeout(timer);
  }

  private takeAnswer(): ApiAnswer | null {
    const headEnd = this.received.indexOf('\r\n\r\n');
    if (headEnd === -1) return null;
    const [statusLine = '', ...lines] = this.received.subarray(0, headEnd).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const rest = this.received.subarray(headEnd + 4);
    const body =
      headers['transfer-encoding'] === 'chunked' && this.expectsBody ? unchunk(rest) : this.ofLength(rest, headers);
    if (!body) return null;
    this.received = rest.subarray(body.length);
    const { text } = body;
    const isJson = /json/.test(headers['content-type'] ?? '') && text !== '';
    const value: unknown = isJson ? JSON.parse(text) : undefined;
    return { status: Number(statusLine.split(' ')[1]), text, body: value, headers };
  }

  private ofLength(rest: Buffer, headers: Record<string, string>): ReceivedBody | null {
    const length = this.expectsBody ? Number(headers['content-length'] ?? 0) : 0;
    return rest.length < length ? null : { text: rest.subarray(0, length).toString(), length };
  }
}

interface ReceivedBody {
  text: string;
  /** Bytes on the wire. */
  length: number;
}

/** null while incomplete. */
function unchunk(bytes: Buffer): ReceivedBody | null {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString(), 16);
    const end = lineEnd + 2 + size;
    if (bytes.length < end + 2) return null;
    if (size === 0) return { text: Buffer.concat(parts).toString(), length: end + 2 };
    parts.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}
