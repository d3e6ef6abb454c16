import { Injectable } from '@nestjs/common';
import type { PoolClient, QueryResultRow } from 'pg';
import { isConnectionFailure } from '../common/errors/database-errors.js';
import { UnavailableError } from '../common/errors/domain-error.js';
import { FairSemaphore } from '../common/fair-semaphore.js';
import { DatabaseService } from './database.service.js';
import { discard, rollsBack } from './sql-transaction.js';

/** Upkeep that takes longer than this has to be cut into smaller pieces. */
const BEGIN_UPKEEP = `BEGIN; SET LOCAL statement_timeout = '60s'; SET LOCAL lock_timeout = '5s'`;

/**
 * The owner's connections for what moves many rows: the ingest writer's COPY, the aggregation, and deleting. Apart from the other
 * pools, so that neither can starve requests, and without their limit on the time of a statement.
 */
@Injectable()
export class BulkDatabase {
  private readonly upkeeper = new FairSemaphore({
    size: 1,
    perCaller: 1,
    refuse: () => new UnavailableError('Upkeep is under way.'),
  });

  constructor(private readonly database: DatabaseService) {}

  /** A statement of a job that deletes what is over; one at a time in this process. */
  upkeep<Row extends QueryResultRow>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.upkeeper.run('upkeep', Infinity, () =>
      this.transaction(BEGIN_UPKEEP, async (client) => (await client.query<Row>(sql, parameters)).rows),
    );
  }

  /** Begins with `begin`, ends with COMMIT or, when `work` throws or `signal` says so, with ROLLBACK. */
  async transaction<T>(begin: string, work: (client: PoolClient) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const client = await this.database.bulk.connect();
    let isUsable = true;
    // Whatever statement is running ends with its connection.
    const abort = () => discard(client);
    signal?.addEventListener('abort', abort);
    try {
      await client.query(begin);
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      // A connection that cannot say ROLLBACK may be inside the transaction still: nobody may get it again.
      isUsable = !isConnectionFailure(error) && (await rollsBack(client));
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
      client.release(!isUsable);
    }
  }
}
