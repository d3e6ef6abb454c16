/** Time limits for a database that stopped answering; all derived from DATABASE_SILENCE_SECONDS. */
export interface SilenceLimits {
  /** A live connection answers BEGIN at once, whatever the load. */
  readonly beginMs: number;
  readonly shortTransactionMs: number;
  /** For a lock inside a short transaction. */
  readonly lockMs: number;
  /** Postgres ends an idle transaction after this, and frees the locks of a client that is gone. */
  readonly idleInTransactionMs: number;
  /** How often `ConnectionWatch` asks Postgres about a long transaction. */
  readonly checkMs: number;
  /** When a write has waited this long, further ones are refused. */
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
