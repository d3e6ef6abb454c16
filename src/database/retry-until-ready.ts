import { setTimeout } from 'node:timers/promises';
import { isConnectionFailure, sqlState } from '../common/errors/database-errors.js';

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** PgBouncer reports the same as a message without a code. */
const TOO_MANY_CONNECTIONS = '53300';
const BOUNCER_IS_FULL = /no more connections allowed/;
const LOCK_NOT_AVAILABLE = '55P03';

/** Repeats `work` with growing pauses while the database is not up yet, full or busy, until `signal` aborts. */
export async function retryUntilReady<T>(
  work: () => Promise<T>,
  progress: (message: string) => void,
  signal: AbortSignal,
): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      const obstacle = obstacleIn(error);
      // A wrong password or a missing database is not fixed by waiting.
      if (obstacle === null) throw error;
      progress(`${obstacle} (${(error as Error).message}); next try in ${pauseMs / 1000} s ...`);
      await setTimeout(pauseMs, undefined, { signal });
    }
  }
}

function obstacleIn(error: unknown): string | null {
  const state = sqlState(error);
  if (state === LOCK_NOT_AVAILABLE) return 'The database is in use, and a migration would hold up everybody';
  if (state === TOO_MANY_CONNECTIONS || (error instanceof Error && BOUNCER_IS_FULL.test(error.message))) {
    return 'The database has no connection left';
  }
  return state?.startsWith('57P') || isConnectionFailure(error) ? 'The database does not answer yet' : null;
}
