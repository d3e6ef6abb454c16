import type { Logger } from '@nestjs/common';
import type { WebSocket } from 'ws';
import { toDomainError } from '../../common/errors/database-errors.js';
import { type DomainError, InvalidRequestError } from '../../common/errors/domain-error.js';
import { readStrictJson } from '../../common/validation/strict-json.js';
import { readRpc, RPC_ERROR, RpcError } from '../../protocol/json-rpc.js';
import { CLOSE_CODE, MAX_FRAME_VALUES } from '../../protocol/relay-protocol.js';
import { RpcPeer } from '../../protocol/rpc-peer.js';
import { StaleTurnError } from '../turns/turn.js';

/** A peer that answers no ping until the next one is gone: noticed after at most twice this. */
const PING_INTERVAL_MS = 12_000;
/** A token bucket: frames above it wait in the network. */
const FRAMES_PER_SECOND = 200;
const FRAME_BURST = 1_000;
/** A peer that leaves more unread is disconnected. */
const MAX_UNSENT_BYTES = 128 * 1024 * 1024;

/** JSON-RPC over a WebSocket. Backpressure: nothing is read while a frame is handled, so no queue grows here. */
export class RpcSocket {
  readonly peer: RpcPeer;
  private tokens = FRAME_BURST;
  private refilledAtMs = performance.now();
  private isAlive = true;
  private isClosing = false;
  private unhandled = 0;
  private work: Promise<void> = Promise.resolve();
  private readonly ping: NodeJS.Timeout;

  constructor(
    private readonly socket: WebSocket,
    private readonly logger: Logger,
    onRequest: (method: string, params: unknown) => Promise<unknown>,
    onClose: () => void,
  ) {
    this.peer = new RpcPeer({
      send: (text) => this.send(text),
      onRequest,
      onNotification: () => undefined, // the protocol has none in this direction
      toRpcError: (error) => this.toRpcError(error),
    });
    socket.on('message', (data, isBinary) => this.read(data as Buffer, isBinary));
    socket.on('pong', () => (this.isAlive = true));
    socket.on('error', (error) => this.logger.debug(`A socket failed: ${error.message}`));
    socket.on('close', () => {
      clearInterval(this.ping);
      this.peer.close(new Error('The socket is closed.'));
      onClose();
    });
    this.ping = setInterval(() => this.checkHeartbeat(), PING_INTERVAL_MS);
    this.ping.unref();
  }

  /** Frames that arrive after `bye` are ignored. */
  close(code: number, reason: string): void {
    if (this.isClosing) return;
    this.isClosing = true;
    this.peer.notify('bye', { reason });
    this.socket.close(code, reason.slice(0, 120));
  }

  private read(data: Buffer, isBinary: boolean): void {
    if (this.isClosing) return;
    this.isAlive = true;
    if (isBinary) {
      this.close(CLOSE_CODE.protocolError, 'Frames have to be text.');
      return;
    }
    this.socket.pause();
    // Frames that were buffered before the pause arrive nevertheless: resumed after the last of them.
    this.unhandled++;
    this.work = this.work
      .then(() => this.handle(data))
      .catch((error: unknown) => this.logger.error(String(error)))
      .finally(() => {
        if (--this.unhandled === 0) this.socket.resume();
      });
  }

  private async handle(data: Buffer): Promise<void> {
    await this.takeToken();
    if (this.isClosing) return;
    try {
      await this.peer.receive(readRpc(await readStrictJson(data, 'The frame', MAX_FRAME_VALUES)));
    } catch (error) {
      const isUnreadable = error instanceof InvalidRequestError;
      if (!isUnreadable && !(error instanceof RpcError)) throw error;
      this.peer.refuse(isUnreadable ? new RpcError(RPC_ERROR.parse, error.detail) : error);
    }
  }

  private async takeToken(): Promise<void> {
    const nowMs = performance.now();
    const refill = ((nowMs - this.refilledAtMs) / 1000) * FRAMES_PER_SECOND;
    this.tokens = Math.min(FRAME_BURST, this.tokens + refill) - 1;
    this.refilledAtMs = nowMs;
    if (this.tokens >= 0) return;
    await new Promise((resolve) => setTimeout(resolve, (-this.tokens / FRAMES_PER_SECOND) * 1000));
  }

  private send(text: string): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.socket.send(text);
    if (this.socket.bufferedAmount > MAX_UNSENT_BYTES) this.socket.terminate();
  }

  private checkHeartbeat(): void {
    if (this.unhandled > 0) return; // its pong waits behind the frames that are being handled
    if (!this.isAlive) {
      this.socket.terminate();
      return;
    }
    this.isAlive = false;
    this.socket.ping();
  }

  private toRpcError(error: unknown): RpcError {
    const known = toDomainError(error);
    if (known) return new RpcError(codeOf(known), known.detail);
    this.logger.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return new RpcError(RPC_ERROR.internal, 'The request could not be completed.');
  }
}

function codeOf(error: DomainError): number {
  if (error instanceof StaleTurnError) return RPC_ERROR.stale;
  if (error.code === 'not_found') return RPC_ERROR.notFound;
  return error.code === 'unavailable' || error.code === 'rate_limited'
    ? RPC_ERROR.unavailable
    : RPC_ERROR.invalidParams;
}
