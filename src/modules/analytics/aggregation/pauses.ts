/** How long a claim holds without a sign of life of its holder. */
export const LEASE_MS = 30_000;
/** A lease that ends later than this was given by a clock that was ahead; previous releases give a minute. */
export const MAX_LEASE_MS = 120_000;

/** A day that could not be computed is tried again after this, then after twice the time, and so on. */
export const FIRST_RETRY_MS = 5_000;
export const MAX_RETRY_MS = 60_000;

const MIN_PAUSE_MS = 30_000;
export const MAX_PAUSE_MS = 15 * 60_000;
/** What late events cost at most: a thirtieth of the time. */
const PAUSE_PER_COMPUTATION = 30;

/** From the start of a computation that late events caused until the next one of the same day. */
export function pauseAfter(tookMs: number): number {
  return Math.min(Math.max(tookMs * PAUSE_PER_COMPUTATION, MIN_PAUSE_MS), MAX_PAUSE_MS);
}
