import { WebSocket } from 'ws';
import { readRpc } from '../../src/protocol/json-rpc.js';
import { RELAY_PROTOCOL, type TurnRef, type TurnStart } from '../../src/protocol/relay-protocol.js';
import { RpcPeer } from '../../src/protocol/rpc-peer.js';
import { RpcError } from '../../src/protocol/json-rpc.js';
import { eventually } from './eventually.js';

const TIMEOUT_MS = 10_000;

/** How a socket came to its end. */
export interface Closed {
  code: number;
  reason: string;
}

/** A socket of the relay in the hands of a test: it does nothing by itself. */
export class RelaySocket {
  readonly notifications: { method: string; params: Record<string, unknown> }[] = [];
  readonly requests: { method: string; params: Record<string, unknown> }[] = [];
  closed: Closed | null = null;
  private readonly peer: RpcPeer;

  private constructor(readonly socket: WebSocket) {
    this.peer = new RpcPeer({
      send: (text) => socket.send(text),
      onRequest: (method, params) => {
        this.requests.push({ method, params: params as Record<string, unknown> });
        return Promise.resolve({});
      },
      onNotification: (method, params) =>
        this.notifications.push({ method, params: params as Record<string, unknown> }),
      toRpcError: (error) => new RpcError(-32603, String(error)),
    });
    socket.on('message', (data: Buffer) => void this.peer.receive(readRpc(JSON.parse(data.toString()))));
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      this.peer.close(new Error(`closed: ${code} ${reason.toString()}`));
    });
    socket.on('error', () => undefined);
  }

  /** Rejects with the HTTP status when the socket is refused. */
  static open(url: string, path: string, bearer: string | null): Promise<RelaySocket> {
    const headers = bearer === null ? {} : { Authorization: `Bearer ${bearer}` };
    const socket = new WebSocket(url.replace(/^http/, 'ws') + path, { headers });
    return new Promise((resolve, reject) => {
      const opened = new RelaySocket(socket);
      socket.once('open', () => resolve(opened));
      socket.once('unexpected-response', (_request, response) => {
        let body = '';
        response.on('data', (piece: Buffer) => (body += piece.toString()));
        response.on('end', () => reject(new Refused(response.statusCode ?? 0, body)));
      });
      socket.once('error', reject);
    });
  }

  call(method: string, params: object): Promise<unknown> {
    return this.peer.request(method, params, TIMEOUT_MS);
  }

  end(): void {
    this.socket.close();
  }

  untilClosed(): Promise<Closed> {
    return eventually('the socket is closed', () => this.closed);
  }
}

/** The socket was refused with an HTTP answer. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly body: string,
  ) {
    super(`refused with ${status}: ${body}`);
  }
}

/** An agent in the hands of a test. */
export class RelayAgent {
  private constructor(readonly relay: RelaySocket) {}

  /** Connects and says hello. */
  static async connect(
    url: string,
    bearer: string,
    computerId: string,
    { slots = 4, turns = [] }: { slots?: number; turns?: TurnRef[] } = {},
  ): Promise<RelayAgent & { hello: { lostTurns: TurnRef[]; leaseSeconds: number } }> {
    const relay = await RelaySocket.open(url, `/api/v0/computers/${computerId}/agent`, bearer);
    const agent = { name: 'test agent', version: '1' };
    const hello = await relay.call('hello', { protocol: RELAY_PROTOCOL, agent, slots, turns });
    return Object.assign(new RelayAgent(relay), { hello: hello as { lostTurns: TurnRef[]; leaseSeconds: number } });
  }

  get turns(): TurnStart[] {
    return this.relay.requests
      .filter(({ method }) => method === 'turn.start')
      .map(({ params }) => params as unknown as TurnStart);
  }

  /** The n-th turn that it was given. */
  turn(n = 0): Promise<TurnStart> {
    return eventually(`turn ${n} arrives`, () => this.turns[n]);
  }
}

export function refOf({ sessionId, messageId, attempt }: TurnRef): TurnRef {
  return { sessionId, messageId, attempt };
}
