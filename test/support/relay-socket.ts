import type { IncomingHttpHeaders } from 'node:http';
import { WebSocket } from 'ws';
import { readRpc, RpcError } from '../../src/protocol/json-rpc.js';
import { RpcPeer } from '../../src/protocol/rpc-peer.js';
import { eventually } from './eventually.js';

const TIMEOUT_MS = 10_000;

export interface Closed {
  code: number;
  reason: string;
}

export interface Heard {
  method: string;
  params: Record<string, unknown>;
}

export interface SocketOptions {
  headers?: Record<string, string>;
  /** Default: answers `{}`. */
  onRequest?: (method: string) => unknown;
  /** Masking long frames would slow down this process in tests that measure delays of the service. */
  isUnmasked?: boolean;
}

/** A relay socket under the control of a test. */
export class RelaySocket {
  /** All frames received, in order. */
  readonly heard: (Heard & { isRequest: boolean })[] = [];
  closed: Closed | null = null;
  private readonly peer: RpcPeer;

  private constructor(
    readonly socket: WebSocket,
    { onRequest = () => ({}) }: SocketOptions,
  ) {
    const hear = (isRequest: boolean, method: string, params: unknown) =>
      this.heard.push({ isRequest, method, params: params as Record<string, unknown> });
    this.peer = new RpcPeer({
      send: (text) => socket.send(text),
      onRequest: (method, params) => {
        hear(true, method, params);
        return onRequest(method);
      },
      onNotification: (method, params) => hear(false, method, params),
      toRpcError: (error) => new RpcError(-32603, String(error)),
    });
    socket.on('message', (data: Buffer) => void this.peer.receive(readRpc(JSON.parse(data.toString()))));
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      this.peer.close(new Error(`closed: ${code} ${reason.toString()}`));
    });
    socket.on('error', () => undefined);
  }

  /** Rejects with `Refused` when the service refuses the upgrade. */
  static open(url: string, path: string, bearer: string | null, options: SocketOptions = {}): Promise<RelaySocket> {
    const headers = { ...(bearer === null ? {} : { Authorization: `Bearer ${bearer}` }), ...options.headers };
    const generateMask = options.isUnmasked ? (mask: Buffer) => void mask.fill(0) : undefined;
    const socket = new WebSocket(url.replace(/^http/, 'ws') + path, { headers, generateMask });
    return new Promise((resolve, reject) => {
      const opened = new RelaySocket(socket, options);
      socket.once('open', () => resolve(opened));
      socket.once('unexpected-response', (_request, response) => {
        let body = '';
        response.on('data', (piece: Buffer) => (body += piece.toString()));
        response.on('end', () => reject(new Refused(response.statusCode ?? 0, response.headers, body)));
      });
      socket.once('error', reject);
    });
  }

  get notifications(): Heard[] {
    return this.heard.filter(({ isRequest }) => !isRequest).map(({ method, params }) => ({ method, params }));
  }

  call(method: string, params: object): Promise<unknown> {
    return this.peer.request(method, params, TIMEOUT_MS);
  }

  /** The error with which a request is answered. */
  async refusal(method: string, params: object): Promise<{ code: number; message: string }> {
    const outcome = await this.call(method, params).catch((error: unknown) => error);
    if (outcome instanceof RpcError) return { code: outcome.code, message: outcome.message };
    throw new Error(`${method} was not refused but answered with ${String(outcome)}`);
  }

  /** Closes, and waits until the service has closed too. */
  async end(): Promise<void> {
    this.socket.close();
    await this.untilClosed();
  }

  untilClosed(timeoutMs?: number): Promise<Closed> {
    return eventually('the socket is closed', () => this.closed, timeoutMs);
  }
}

/** Refused with an HTTP answer. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly headers: IncomingHttpHeaders,
    readonly text: string,
  ) {
    super(`refused with ${status}: ${text}`);
  }

  get body(): Record<string, unknown> {
    return JSON.parse(this.text) as Record<string, unknown>;
  }
}
