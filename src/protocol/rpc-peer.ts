import { type RpcId, RPC_ERROR, RpcError, type RpcMessage } from './json-rpc.js';

export interface RpcPeerOptions {
  send: (text: string) => void;
  onRequest: (method: string, params: unknown) => unknown;
  onNotification: (method: string, params: unknown) => void;
  /** Maps other errors; also the place to log them. */
  toRpcError: (error: unknown) => RpcError;
}

interface Pending {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/** One end of a JSON-RPC connection, independent of sockets. */
export class RpcPeer {
  private readonly pending = new Map<RpcId, Pending>();
  private nextId = 1;
  private closedBecause: Error | null = null;

  constructor(private readonly options: RpcPeerOptions) {}

  /** Resolves when the message, or the request in it, has been handled: backpressure for readers of frames. */
  async receive(message: RpcMessage): Promise<void> {
    if ('method' in message) {
      if ('id' in message) await this.answer(message.id, message.method, message.params);
      else this.options.onNotification(message.method, message.params);
      return;
    }
    if (message.id === null) return;
    const pending = this.pending.get(message.id);
    if (!pending) return; // timed out
    this.pending.delete(message.id);
    clearTimeout(pending.timer);
    if ('error' in message) pending.reject(new RpcError(message.error.code, message.error.message));
    else pending.resolve(message.result);
  }

  request(method: string, params: object, timeoutMs: number): Promise<unknown> {
    if (this.closedBecause) return Promise.reject(this.closedBecause);
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.pending.delete(id);
        reject(new RpcError(RPC_ERROR.unavailable, `${method} was not answered within ${timeoutMs / 1000} s.`));
      }, timeoutMs);
      this.pending.set(id, { resolve, reject, timer });
      this.send({ jsonrpc: '2.0', id, method, params });
    });
  }

  notify(method: string, params: object): void {
    if (!this.closedBecause) this.send({ jsonrpc: '2.0', method, params });
  }

  /** For frames without a usable id. */
  refuse({ code, message }: RpcError): void {
    if (!this.closedBecause) this.send({ jsonrpc: '2.0', id: null, error: { code, message } });
  }

  close(because: Error): void {
    this.closedBecause = because;
    for (const { reject, timer } of this.pending.values()) {
      clearTimeout(timer);
      reject(because);
    }
    this.pending.clear();
  }

  private async answer(id: RpcId, method: string, params: unknown): Promise<void> {
    const answer = await this.resultOrError(method, params);
    if (!this.closedBecause) this.send({ jsonrpc: '2.0', id, ...answer });
  }

  private async resultOrError(method: string, params: unknown): Promise<object> {
    try {
      return { result: (await this.options.onRequest(method, params)) ?? {} };
    } catch (error) {
      const { code, message } = error instanceof RpcError ? error : this.options.toRpcError(error);
      return { error: { code, message } };
    }
  }

  private send(message: object): void {
    this.options.send(JSON.stringify(message));
  }
}
