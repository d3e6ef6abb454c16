/** How long each part of the service waits for a database that says nothing; all follow from DATABASE_SILENCE_SECONDS. */
export interface SilenceLimits {
  /** A connection that lives answers BEGIN at once, whatever the load. */
  readonly beginMs: number;
  /** A short transaction as a whole. */
  readonly shortTransactionMs: number;
  /** Waiting for a lock inside a short transaction. */
  readonly lockMs: number;
  /** Postgres itself ends a transaction whose client says nothing, and with it the locks of a client that is gone. */
  readonly idleInTransactionMs: number;
  /** How often Postgres is asked whether it still works on a long transaction. */
  readonly checkMs: number;
  /** A write that waits for longer means that further ones would fail. */
  readonly waitingWriteMs: number;
}

export function silenceLimits(silenceSeconds: number): SilenceLimits {
  const part = (share: number) => Math.round(silenceSeconds * 1000 * share);
  return {
    beginMs: part(1 / 6),
    shortTransactionMs: part(1),
    lockMs: part(1 / 3),
    idleInTransactionMs: part(2 / 3),
    checkMs: part(1 / 3),
    waitingWriteMs: part(1 / 2),
  };
}
