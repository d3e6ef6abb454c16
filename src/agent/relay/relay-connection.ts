import { finished } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { parseParams, readRpc, RPC_ERROR, RpcError } from '../../protocol/json-rpc.js';
import {
  AGENT_REQUESTS,
  CLOSE_CODE,
  type HelloParams,
  type HelloResult,
  MAX_FRAME_BYTES_TO_AGENT,
  SERVICE_NOTIFICATIONS,
  SERVICE_REQUESTS,
  type TurnRef,
  type TurnStart,
} from '../../protocol/relay-protocol.js';
import { RpcPeer } from '../../protocol/rpc-peer.js';
import type { Log } from '../shared/log.js';
import { Backoff } from './backoff.js';
import { NetworkWatch } from './network-watch.js';

const REQUEST_TIMEOUT_MS = 30_000;
const HANDSHAKE_TIMEOUT_MS = 15_000;
/** The service pings every 12 seconds. */
const HEARTBEAT_TIMEOUT_MS = 40_000;
const CLOSE_TIMEOUT_MS = 2_000;
/** For the service to answer a ping after the network has changed. */
const PROBE_TIMEOUT_MS = 1_000;
/** Codes after which the client must not reconnect. */
const FINAL_CODES: number[] = [CLOSE_CODE.takenOver, CLOSE_CODE.computerDeleted, CLOSE_CODE.protocolError];

/** The service refuses this client for good. */
export class Dismissed extends Error {
  constructor(
    message: string,
    /** The HTTP status, if the socket was not opened. */
    readonly status: number | null = null,
  ) {
    super(message);
  }
}

export interface RelayOptions {
  readonly url: string;
  readonly key: string;
  readonly log: Log;
  /** Called for each connection. */
  readonly hello: () => HelloParams;
  readonly onWelcome: (welcome: HelloResult) => void;
  readonly onDown: () => void;
  /** Throws when it cannot take the turn. */
  readonly onTurn: (turn: TurnStart) => void;
  readonly onCancel: (turn: TurnRef) => void;
  /** Default: the interfaces of this machine. */
  readonly network?: NetworkWatch;
}

type Method = keyof typeof AGENT_REQUESTS;

/** The WebSocket to the service, which reconnects after a failure. */
export class RelayConnection {
  private readonly backoff = new Backoff();
  private readonly stopped = new AbortController();
  private paused = new AbortController();
  private socket: WebSocket | null = null;
  private peer: RpcPeer | null = null;

  constructor(private readonly options: RelayOptions) {}

  /** Until `stop` is called; throws `Dismissed`. */
  async run(): Promise<void> {
    const stopWatch = (this.options.network ?? new NetworkWatch()).start(() => this.onNetworkBack());
    try {
      while (!this.isStopped()) {
        const why = await this.connectOnce();
        if (!this.isStopped()) await this.pause(why);
      }
    } finally {
      stopWatch();
    }
  }

  get isConnected(): boolean {
    return this.peer !== null;
  }

  stop(): void {
    this.stopped.abort();
    const { socket } = this;
    socket?.close(1000, 'The client stops.');
    setTimeout(() => socket?.terminate(), CLOSE_TIMEOUT_MS).unref();
  }

  async call(method: Method, params: object): Promise<unknown> {
    if (!this.peer) throw new RpcError(RPC_ERROR.unavailable, 'There is no connection.');
    const result = await this.peer.request(method, params, REQUEST_TIMEOUT_MS);
    return AGENT_REQUESTS[method].result.parse(result);
  }

  private async pause(why: string): Promise<void> {
    const delayMs = this.backoff.nextMs();
    this.options.log.warn(`${why} Connecting again in ${(delayMs / 1000).toFixed(1)} s.`);
    this.paused = new AbortController();
    const signal = AbortSignal.any([this.stopped.signal, this.paused.signal]);
    await sleep(delayMs, undefined, { signal }).catch(() => undefined);
  }

  /** Connects at once; a connection that did not survive is given up without waiting for its heartbeat. */
  private onNetworkBack(): void {
    this.backoff.reset();
    this.paused.abort();
    const { socket } = this;
    if (socket?.readyState === WebSocket.CONNECTING) socket.terminate();
    if (socket?.readyState !== WebSocket.OPEN) return;
    const timer = setTimeout(() => socket.terminate(), PROBE_TIMEOUT_MS);
    socket.once('pong', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
    socket.ping();
  }

  private isStopped(): boolean {
    return this.stopped.signal.aborted;
  }

  /** Returns why the connection ended. */
  private async connectOnce(): Promise<string> {
    const socket = new WebSocket(this.options.url, {
      headers: { Authorization: `Bearer ${this.options.key}` },
      maxPayload: MAX_FRAME_BYTES_TO_AGENT,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      perMessageDeflate: false,
    });
    this.socket = socket;
    const ended = endOf(socket);
    const peer = this.createPeer(socket);
    watchHeartbeat(socket);
    socket.once('open', () => void this.sendHello(peer, socket));
    const { code, reason } = await ended;
    this.peer = null;
    peer.close(new RpcError(RPC_ERROR.unavailable, 'The connection is gone.'));
    this.options.onDown();
    if (FINAL_CODES.includes(code)) throw new Dismissed(reason);
    return reason === '' ? `The connection ended (${code}).` : `The connection ended: ${reason}`;
  }

  private createPeer(socket: WebSocket): RpcPeer {
    const peer = new RpcPeer({
      send: (text) => socket.send(text),
      onRequest: (method, params) => {
        if (method !== 'turn.start') throw new RpcError(RPC_ERROR.unknownMethod, `There is no method "${method}".`);
        this.options.onTurn(parseParams(SERVICE_REQUESTS['turn.start'].params, params));
      },
      onNotification: (method, params) => {
        if (method === 'turn.cancel') this.options.onCancel(parseParams(SERVICE_NOTIFICATIONS['turn.cancel'], params));
      },
      toRpcError: (error) => new RpcError(RPC_ERROR.internal, error instanceof Error ? error.message : String(error)),
    });
    socket.on('message', (data: Buffer) => {
      Promise.resolve()
        .then(() => peer.receive(readRpc(JSON.parse(data.toString()))))
        .catch((error: unknown) => this.options.log.warn(`The service said something strange: ${String(error)}`));
    });
    return peer;
  }

  private async sendHello(peer: RpcPeer, socket: WebSocket): Promise<void> {
    try {
      const answer = await peer.request('hello', this.options.hello(), REQUEST_TIMEOUT_MS);
      const welcome = AGENT_REQUESTS.hello.result.parse(answer);
      this.peer = peer;
      this.backoff.reset();
      this.options.onWelcome(welcome);
    } catch (error) {
      this.options.log.warn(
        `The service did not answer hello: ${error instanceof Error ? error.message : String(error)}`,
      );
      socket.terminate();
    }
  }
}

/** Rejects with `Dismissed` when a retry would get the same answer. */
function endOf(socket: WebSocket): Promise<{ code: number; reason: string }> {
  return new Promise((resolve, reject) => {
    let failure = '';
    socket.on('error', (error) => (failure = error.message));
    socket.once('unexpected-response', (request, response) => {
      const { statusCode = 0 } = response;
      let body = '';
      response.on('data', (piece: Buffer) => (body += body.length < 10_000 ? piece.toString() : ''));
      finished(response, () => {
        const detail = detailOf(body) ?? `it answered ${statusCode}`;
        if ([400, 401, 403, 404].includes(statusCode))
          reject(new Dismissed(`The service refuses: ${detail}`, statusCode));
        else resolve({ code: 1006, reason: detail });
        request.destroy();
      });
    });
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() || failure }));
  });
}

function watchHeartbeat(socket: WebSocket): void {
  let timer: NodeJS.Timeout;
  const restart = () => {
    clearTimeout(timer);
    timer = setTimeout(() => socket.terminate(), HEARTBEAT_TIMEOUT_MS);
    timer.unref();
  };
  socket.on('open', restart).on('ping', restart).on('message', restart);
  socket.once('close', () => clearTimeout(timer));
}

function detailOf(body: string): string | null {
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown };
    return typeof detail === 'string' ? detail : null;
  } catch {
    return null;
  }
}
