import { setTimeout as sleep } from 'node:timers/promises';
import { RPC_ERROR, RpcError } from '../../protocol/json-rpc.js';

const RETRY_MS = 1_000;
/** About a minute: a failure of the service passes, but a request that always fails must not block the outbox. */
const PAUSES_AFTER_INTERNAL_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000];

export interface DeliveryOptions {
  readonly call: () => Promise<unknown>;
  readonly isConnected: () => boolean;
  readonly onRefused: (error: unknown) => void;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Repeats a call until it succeeds or is refused for good. Throws when the connection is lost. */
export async function deliver({ call, isConnected, onRefused, pause = sleep }: DeliveryOptions): Promise<void> {
  const pauses = [...PAUSES_AFTER_INTERNAL_MS];
  for (;;) {
    try {
      await call();
      return;
    } catch (error) {
      const pauseMs = pauseBeforeRetry(error, pauses);
      if (pauseMs === undefined) {
        onRefused(error);
        return;
      }
      if (!isConnected()) throw error;
      await pause(pauseMs);
    }
  }
}

/** undefined: no retry. Consumes a pause after an internal error. */
function pauseBeforeRetry(error: unknown, pauses: number[]): number | undefined {
  if (!(error instanceof RpcError)) return undefined;
  if (error.isTransient) return RETRY_MS;
  return error.code === RPC_ERROR.internal ? pauses.shift() : undefined;
}
