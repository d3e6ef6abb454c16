import type pg from 'pg';
import { isConnectionFailure } from '../common/errors/database-errors.js';
import { rollsBack, submit } from './sql-transaction.js';

/** Sends `begin`, the statement and COMMIT together, and gives the client back to its pool. */
export async function runInOneRoundTrip<Row>(
  client: pg.PoolClient,
  begin: string,
  statement: pg.QueryConfig,
  keepsStatements: boolean,
): Promise<Row[]> {
  const [begun, rows, committed] = await Promise.allSettled([
    submit(client, { text: begin }, keepsStatements),
    submit<Row & pg.QueryResultRow>(client, statement, keepsStatements),
    submit(client, { text: 'COMMIT' }, keepsStatements),
  ]);
  const failure = [begun, rows, committed].find((step) => step.status === 'rejected');
  await releaseClient(client, failure);
  if (failure || rows.status === 'rejected') throw failure?.reason;
  return rows.value.rows;
}

/** After a failure the client goes back to the pool only if it can still say ROLLBACK; else it is thrown away. */
async function releaseClient(client: pg.PoolClient, failure: PromiseRejectedResult | undefined): Promise<void> {
  const isUsable = !failure || (!isConnectionFailure(failure.reason) && (await rollsBack(client)));
  client.release(!isUsable);
}
