import { z } from 'zod';

/** JSON-RPC 2.0: one message per text frame, no batches. */

const Id = z.union([z.number().int(), z.string().min(1).max(100)]);

export const RpcRequest = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: Id,
  method: z.string().min(1).max(100),
  params: z.unknown().optional(),
});

export const RpcNotification = z.strictObject({
  jsonrpc: z.literal('2.0'),
  method: z.string().min(1).max(100),
  params: z.unknown().optional(),
});

export const RpcSuccess = z.strictObject({ jsonrpc: z.literal('2.0'), id: Id, result: z.unknown() });

export const RpcFailure = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: Id.nullable(),
  error: z.object({ code: z.number().int(), message: z.string(), data: z.unknown().optional() }),
});

export const RpcMessage = z.union([RpcRequest, RpcNotification, RpcSuccess, RpcFailure]);

export type RpcId = z.infer<typeof Id>;
export type RpcMessage = z.infer<typeof RpcMessage>;

/** Codes below -32000 are defined by the standard. */
export const RPC_ERROR = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Temporary; retry later. */
  unavailable: -32000,
  notFound: -32004,
  /** The turn does not (or no longer) belong to this attempt: stop working on it. */
  stale: -32010,
  /** The first request has to be `hello`. */
  noHello: -32011,
} as const;

export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'RpcError';
  }

  get isTransient(): boolean {
    return this.code === RPC_ERROR.unavailable;
  }
}

export function readRpc(value: unknown): RpcMessage {
  const parsed = RpcMessage.safeParse(value);
  if (!parsed.success) throw new RpcError(RPC_ERROR.invalidRequest, 'The frame is not a JSON-RPC 2.0 message.');
  return parsed.data;
}

/** The message may contain keys from the other side. */
const MAX_MESSAGE = 1_000;

export function parseParams<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  const message = `${field === '' ? 'params' : field}: ${issue?.message ?? 'is invalid'}`;
  throw new RpcError(RPC_ERROR.invalidParams, message.slice(0, MAX_MESSAGE).toWellFormed());
}
