import type { Client, ClientBase, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { corkUntilNextTick } from './driver-internals.js';

/** Sends a statement without waiting, in one packet with all others that are sent in this tick. */
export function sendStatement<Row extends QueryResultRow>(
  client: ClientBase,
  { text, values, name }: QueryConfig,
  { canPrepare }: { canPrepare: boolean },
): Promise<QueryResult<Row>> {
  corkUntilNextTick(client);
  const isPrepared = name !== undefined && canPrepare;
  return isPrepared ? client.query<Row>({ name, text, values }) : client.query<Row>(text, values);
}

/** Runs `text` and fails when there is no result in time, whatever the pool's own limit is. */
export async function queryWithin(client: ClientBase, text: string, timeoutMs: number): Promise<void> {
  const statement: QueryConfig & { query_timeout: number } = { text, query_timeout: timeoutMs }; // missing in @types/pg
  await client.query(statement);
}

/** Whether ROLLBACK succeeded. If not, the connection may still be inside its transaction and must not be reused. */
export function tryRollback(client: ClientBase): Promise<boolean> {
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  );
}

/** Ends a connection without waiting for it; its pool does not hand it out again. */
export function endInBackground(client: Client): void {
  void client.end().catch(() => undefined);
}
