/** Of a claim whose holder does not extend it. */
export const LEASE_MS = 30_000;
/** A longer lease was given by a clock that was ahead; earlier releases use one minute. */
export const MAX_LEASE_MS = 120_000;

/** Doubles with each failure. */
export const FIRST_RETRY_MS = 5_000;
export const MAX_RETRY_MS = 60_000;

const MIN_PAUSE_MS = 30_000;
export const MAX_PAUSE_MS = 15 * 60_000;
/** Late events take at most a thirtieth of the time. */
const PAUSE_PER_COMPUTATION = 30;

/** From the start of a computation for late events to the next one of the same day. */
export function pauseAfter(tookMs: number): number {
  return Math.min(Math.max(tookMs * PAUSE_PER_COMPUTATION, MIN_PAUSE_MS), MAX_PAUSE_MS);
}
