import { databaseAway, isConnectionFailure } from '../common/errors/database-errors.js';
import { UnavailableError } from '../common/errors/domain-error.js';
import { FairSemaphore, type Release } from '../common/fair-semaphore.js';
import { requestContext } from '../common/request-context.js';

/** How long a request waits for a connection, unless it says something else. */
const PATIENCE_MS = 1_500;

/**
 * The line in front of a pool. Callers take turns, and none holds more than half of the connections: whoever waits for
 * locks, or reads and writes much, slows down nobody else.
 */
export class PoolLine {
  private readonly connections: FairSemaphore;
  /** Whether the last thing that was heard of the database is that it does not answer. */
  private isAway = false;

  constructor(size: number) {
    this.connections = new FairSemaphore({
      size,
      perCaller: Math.ceil(size / 2),
      refuse: () => (this.isAway ? databaseAway() : busy()),
    });
  }

  /** `otherwise` stands for whoever is not calling in a request: jobs, agents, an organization. */
  acquire(otherwise: string, patienceMs = PATIENCE_MS): Promise<Release> {
    return this.connections.acquire(requestContext.getStore()?.caller ?? otherwise, patienceMs);
  }

  /** Learns from what comes of `use` whether the database answers. */
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
