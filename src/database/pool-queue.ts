import { databaseAway, isConnectionFailure } from '../common/errors/database-errors.js';
import { UnavailableError } from '../common/errors/domain-error.js';
import { FairSemaphore, type Release } from '../common/fair-semaphore.js';
import { requestContext } from '../common/request-context.js';

const PATIENCE_MS = 1_500;

/** Callers take turns for the connections of a pool, and none may hold more than half of them. */
export class PoolQueue {
  private readonly connections: FairSemaphore;
  /** Whether the last use of a connection failed because the database did not answer. */
  private isAway = false;

  constructor(size: number) {
    this.connections = new FairSemaphore({
      size,
      perCaller: Math.ceil(size / 2),
      refuse: () => (this.isAway ? databaseAway() : busy()),
    });
  }

  /** `fallback` names the caller outside of requests: a job, an agent, an organization. */
  acquire(fallback: string, patienceMs = PATIENCE_MS): Promise<Release> {
    return this.connections.acquire(requestContext.getStore()?.caller ?? fallback, patienceMs);
  }

  /** Learns from the outcome of `use` whether the database answers. */
  async watch<T>(use: Promise<T>): Promise<T> {
    try {
      const result = await use;
      this.isAway = false;
      return result;
    } catch (error) {
      this.isAway = isConnectionFailure(error);
      throw error;
    }
  }
}

function busy(): UnavailableError {
  return new UnavailableError('The service is busy: no database connection was free in time. Try again shortly.');
}
