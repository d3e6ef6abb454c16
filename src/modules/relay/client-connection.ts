import type { Logger } from '@nestjs/common';
import type { WebSocket } from 'ws';
import { parseParams, RPC_ERROR, RpcError } from '../../protocol/json-rpc.js';
import { CLIENT_REQUESTS } from '../../protocol/relay-protocol.js';
import { type StreamedEvent, toServerSentEvent } from '../sessions/stream/streamed-event.js';
import type { ReadingPace } from '../sessions/stream/session-stream.service.js';
import { BatchSlots } from './batch-slots.js';
import { RpcSocket } from './rpc-socket.js';

const MAX_FOLLOWED = 100;
/** Backpressure: no event is read from the database while more is unsent. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** In memory, over all followed sessions. */
const MAX_BATCHES = 2;
const MAX_STALL_MS = 30_000;
const STALL_CHECK_MS = 50;

type Events = AsyncGenerator<StreamedEvent | null>;

export class ClientConnection {
  private readonly rpc: RpcSocket;
  private readonly followed = new Map<string, Events>();
  private readonly batches = new BatchSlots(MAX_BATCHES);

  constructor(
    private readonly socket: WebSocket,
    private readonly follow: (sessionId: string, after: number | null, pace: ReadingPace) => Promise<Events>,
    private readonly logger: Logger,
    onClose: () => void,
  ) {
    this.rpc = new RpcSocket(
      socket,
      logger,
      (method, params) => this.answer(method, params),
      () => {
        for (const sessionId of [...this.followed.keys()]) this.unfollow(sessionId);
        onClose();
      },
    );
  }

  close(code: number, reason: string): void {
    this.rpc.close(code, reason);
  }

  private async answer(method: string, params: unknown): Promise<object> {
    switch (method) {
      case 'session.follow': {
        const { sessionId, after } = parseParams(CLIENT_REQUESTS['session.follow'].params, params);
        return this.startFollowing(sessionId, after ?? null);
      }
      case 'session.unfollow':
        this.unfollow(parseParams(CLIENT_REQUESTS['session.unfollow'].params, params).sessionId);
        return {};
      default:
        throw new RpcError(RPC_ERROR.unknownMethod, `There is no method "${method}".`);
    }
  }

  private async startFollowing(sessionId: string, after: number | null): Promise<object> {
    if (this.followed.has(sessionId)) throw new RpcError(RPC_ERROR.invalidParams, 'sessionId: is followed already');
    if (this.followed.size >= MAX_FOLLOWED) {
      throw new RpcError(RPC_ERROR.invalidParams, `sessionId: at most ${MAX_FOLLOWED} sessions at a time`);
    }
    const events = await this.follow(sessionId, after, this.batches);
    this.followed.set(sessionId, events);
    // After the answer, so that no event overtakes it.
    setImmediate(() => {
      this.pass(sessionId, events).catch((error: unknown) => {
        this.logger.warn(`Session ${sessionId} can no longer be followed: ${String(error)}`);
        this.socket.terminate(); // the client reconnects with the last id it has seen
      });
    });
    return {};
  }

  private async pass(sessionId: string, events: Events): Promise<void> {
    for await (const event of events) {
      if (this.followed.get(sessionId) !== events) return;
      if (!event) continue; // a heartbeat; the socket has its own
      const { id, ...rest } = toServerSentEvent(event);
      this.rpc.peer.notify('session.event', { sessionId, id: Number(id), ...rest });
      await this.waitForDrain();
    }
    if (!this.followed.delete(sessionId)) return;
    this.rpc.peer.notify('session.ended', { sessionId });
  }

  private async waitForDrain(): Promise<void> {
    const deadlineMs = performance.now() + MAX_STALL_MS;
    while (this.socket.bufferedAmount > MAX_UNREAD_BYTES) {
      if (performance.now() > deadlineMs) this.socket.terminate();
      await new Promise((resolve) => setTimeout(resolve, STALL_CHECK_MS));
    }
  }

  private unfollow(sessionId: string): void {
    const events = this.followed.get(sessionId);
    this.followed.delete(sessionId);
    void events?.return(undefined);
  }
}
