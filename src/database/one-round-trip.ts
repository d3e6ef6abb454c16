import type pg from 'pg';
import { isConnectionFailure } from '../common/errors/database-errors.js';
import { sendStatement, tryRollback } from './pg-client.js';

/** Sends `begin`, the statement and COMMIT together, and releases the client to its pool. */
export async function runInOneRoundTrip<Row>(
  client: pg.PoolClient,
  begin: string,
  statement: pg.QueryConfig,
  options: { canPrepare: boolean },
): Promise<Row[]> {
  const [begun, rows, committed] = await Promise.allSettled([
    sendStatement(client, { text: begin }, options),
    sendStatement<Row & pg.QueryResultRow>(client, statement, options),
    sendStatement(client, { text: 'COMMIT' }, options),
  ]);
  const failure = [begun, rows, committed].find((step) => step.status === 'rejected');
  const isUsable = !failure || (!isConnectionFailure(failure.reason) && (await tryRollback(client)));
  client.release(!isUsable);
  if (failure || rows.status === 'rejected') throw failure?.reason;
  return rows.value.rows;
}
