import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { isConnectionFailure, isTransient } from '../common/errors/database-errors.js';
import { DatabaseService, poolOf } from './database.service.js';
import { rollsBack, type SqlReader, SqlTransaction, submit } from './sql-transaction.js';
import { beginForOrg } from './tenant-wall.js';

const MAX_ATTEMPTS = 3;

/** The only way in which a request reaches the database: as the request role, inside one organization. */
@Injectable()
export class OrgDatabase {
  constructor(private readonly database: DatabaseService) {}

  /** Runs `work` in a transaction, again from its start when another transaction was in the way. */
  async transaction<T>(orgId: string, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const runner = this.database.request.createQueryRunner();
        return await SqlTransaction.runAhead(runner, beginForOrg(orgId, 'READ WRITE'), this.database, work);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isTransient(error)) throw error;
      }
    }
  }

  /** Reads of this organization, each on its own; where a transaction is open, that is used instead. */
  reader(orgId: string): SqlReader {
    return { query: (sql, parameters, name) => this.read(orgId, sql, parameters, name) };
  }

  /**
   * One read in one flight: preamble, statement and commit are sent together. If the preamble fails, the statement runs
   * without an organization and returns nothing. A statement with a name is planned once for each connection: for those
   * that cost more to plan than to run.
   */
  read<Row>(orgId: string, sql: string, parameters: unknown[] = [], name?: string): Promise<Row[]> {
    return this.fly({ orgId, mode: 'READ ONLY' }, sql, parameters, name);
  }

  /** The same for a write that is one statement. */
  write<Row>(orgId: string, sql: string, parameters: unknown[] = [], name?: string): Promise<Row[]> {
    return this.fly({ orgId, mode: 'READ WRITE' }, sql, parameters, name);
  }

  private async fly<Row>(
    { orgId, mode }: { orgId: string; mode: 'READ ONLY' | 'READ WRITE' },
    sql: string,
    parameters: unknown[],
    name?: string,
  ): Promise<Row[]> {
    const begin = beginForOrg(orgId, mode);
    const client = await poolOf(this.database.request).connect();
    const { keepsStatements } = this.database;
    const statement = { text: sql, values: parameters, name };
    const [begun, rows, committed] = await Promise.allSettled([
      submit(client, { text: begin }, keepsStatements),
      submit<Row & Record<string, unknown>>(client, statement, keepsStatements),
      submit(client, { text: 'COMMIT' }, keepsStatements),
    ]);
    const failure = [begun, rows, committed].find((step) => step.status === 'rejected');
    await leaveClean(client, failure);
    if (failure || rows.status === 'rejected') throw failure?.reason;
    return rows.value.rows;
  }
}

/** After a failure the client goes back to the pool only if it can still say ROLLBACK; else it is thrown away. */
async function leaveClean(client: PoolClient, failure: PromiseRejectedResult | undefined): Promise<void> {
  const isUsable = !failure || (!isConnectionFailure(failure.reason) && (await rollsBack(client)));
  client.release(!isUsable);
}
