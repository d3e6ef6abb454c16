import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { isConnectionFailure } from '../common/errors/database-errors.js';
import { DatabaseService } from './database.service.js';
import { discard, rollsBack } from './sql-transaction.js';

/**
 * The owner's connections for what moves many rows: the ingest writer's COPY and the aggregation. Apart from the other
 * pools, so that neither can starve requests, and without their limit on the time of a statement.
 */
@Injectable()
export class BulkDatabase {
  constructor(private readonly database: DatabaseService) {}

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
