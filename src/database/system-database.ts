import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { isConnectionFailure } from '../common/errors/database-errors.js';
import { BEGIN_AS_OWNER } from './connection-settings.js';
import { DatabaseService } from './database.service.js';
import { discard, SqlTransaction } from './sql-transaction.js';

/**
 * The owner's side of the database: no wall. For what concerns no single organization: finding out who is calling,
 * scheduled jobs, operator commands. A request handler uses `OrgDatabase`.
 */
@Injectable()
export class SystemDatabase {
  constructor(private readonly database: DatabaseService) {}

  async query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const runner = this.database.owner.createQueryRunner();
    try {
      const client = (await runner.connect()) as pg.Client;
      try {
        const result = await runner.query(sql, parameters, true);
        return result.records as Row[];
      } catch (error) {
        // A statement that got no answer may still be running: whoever got its connection next would wait behind it.
        if (isConnectionFailure(error)) discard(client);
        throw error;
      }
    } finally {
      await runner.release();
    }
  }

  transaction<T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    return SqlTransaction.run(this.database.owner.createQueryRunner(), BEGIN_AS_OWNER, work);
  }
}
