import type pg from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';
import { awaitAll } from '../common/await-all.js';
import { isConnectionFailure } from '../common/errors/database-errors.js';
import type { Topic, Topics } from './notification-topics.js';
import { endInBackground, sendStatement, tryRollback } from './pg-client.js';

/** Runs queries. Inside a transaction, pass the transaction: a second connection could deadlock the pool. */
export interface SqlReader {
  query<Row>(sql: string, parameters?: unknown[], name?: string): Promise<Row[]>;
}

export interface SqlTransactionOptions {
  /** Whether a connection is always the same Postgres session, so that named statements can be prepared. */
  canPrepare: boolean;
  /** Called when the connection is back in its pool, before the handlers of `afterEnd`. */
  onRelease: () => void;
}

type Work<T> = (tx: SqlTransaction) => Promise<T>;
type EndHandler = (isCommitted: boolean) => void | Promise<void>;

/**
 * A running transaction, passed explicitly to whatever takes part in it. What is sent when:
 *
 *   tx.enqueue(sql)        nothing yet; the statement waits in the queue, and its result is never seen
 *   tx.notify(topic, ..)   nothing yet; sent once at the end, without duplicates
 *   await tx.query(sql)    1 round trip: the queue and sql, in one packet
 *   tx.manager             the queue, without waiting; then TypeORM runs statements of its own
 *   end of the work        1 round trip: the queue, the notifications and COMMIT, in one packet
 *
 * `run` waits for BEGIN; `runPipelined` puts it first in the queue. Postgres executes in this order and fails everything behind a failed statement, so an enqueued one fails the next query or the commit.
 */
export class SqlTransaction implements SqlReader {
  private readonly queue: pg.QueryConfig[] = [];
  /** Results of statements that were sent but not awaited. */
  private pending: Promise<pg.QueryResult>[] = [];
  private readonly endHandlers: EndHandler[] = [];
  private readonly notifications = new Map<string, { topic: string; payload: string }>();

  private constructor(
    private readonly runner: QueryRunner,
    private readonly client: pg.Client,
    private readonly options: SqlTransactionOptions,
  ) {}

  /** For entities: `insert`, `update`, `findOneBy`; `save()` opens a transaction of its own and is not used. */
  get manager(): EntityManager {
    this.send();
    return this.runner.manager;
  }

  /** Independent queries may share a round trip with `awaitAll`. A statement with a name is planned once per connection. */
  async query<Row>(sql: string, parameters: unknown[] = [], name?: string): Promise<Row[]> {
    this.enqueue(sql, parameters, name);
    const results = await this.flush();
    return results.at(-1)?.rows as Row[];
  }

  /** For a statement whose result is not needed. */
  enqueue(sql: string, parameters: unknown[] = [], name?: string): void {
    this.queue.push({ text: sql, values: parameters, name });
  }

  /** Notifies every replica if this transaction commits; see `Notifications`. */
  notify<K extends Topic>(topic: K, payload: Topics[K]): void {
    const text = JSON.stringify(payload);
    this.notifications.set(`${topic} ${text}`, { topic, payload: text });
  }

  /**
   * `handler` must not fail; the caller waits for it. `isCommitted` is false also when the answer to COMMIT was lost.
   */
  afterEnd(handler: EndHandler): void {
    this.endHandlers.push(handler);
  }

  /** Ends with COMMIT or, when `work` throws, with ROLLBACK. */
  static run<T>(runner: QueryRunner, begin: string, options: SqlTransactionOptions, work: Work<T>): Promise<T> {
    return SqlTransaction.runToEnd(runner, options, async (tx) => {
      await tx.query(begin);
      return work(tx);
    });
  }

  /**
   * Like `run`, without a round trip for `begin`. If `begin` fails, the statements behind it run outside of a transaction:
   * only for the request role, which sees and writes nothing without the organization that `begin` sets.
   */
  static runPipelined<T>(
    runner: QueryRunner,
    begin: string,
    options: SqlTransactionOptions,
    work: Work<T>,
  ): Promise<T> {
    return SqlTransaction.runToEnd(runner, options, (tx) => {
      tx.enqueue(begin);
      return work(tx);
    });
  }

  private static async runToEnd<T>(runner: QueryRunner, options: SqlTransactionOptions, work: Work<T>): Promise<T> {
    let client: pg.Client | null = null;
    let tx: SqlTransaction | null = null;
    let isCommitted = false;
    try {
      client = (await runner.connect()) as pg.Client;
      tx = new SqlTransaction(runner, client, options);
      const result = await work(tx);
      await tx.commit();
      isCommitted = true;
      return result;
    } catch (error) {
      if (client && (isConnectionFailure(error) || !(await tryRollback(client)))) endInBackground(client);
      throw error;
    } finally {
      await runner.release();
      options.onRelease();
      for (const handler of tx?.endHandlers ?? []) await handler(isCommitted);
    }
  }

  private async commit(): Promise<void> {
    if (this.notifications.size > 0) {
      const all = [...this.notifications.values()];
      this.enqueue(
        `SELECT pg_notify(n.topic, n.payload) FROM unnest($1::text[], $2::text[]) AS n (topic, payload)`,
        [all.map(({ topic }) => topic), all.map(({ payload }) => payload)],
        'notify',
      );
    }
    this.enqueue('COMMIT');
    const results = await this.flush();
    // After a failed statement, even if its error was caught, Postgres answers COMMIT with ROLLBACK instead of an error.
    if (results.at(-1)?.command !== 'COMMIT') throw new Error('The transaction had failed before its COMMIT');
  }

  /** Sends the queue and waits for all pending results. */
  private async flush(): Promise<pg.QueryResult[]> {
    this.send();
    const pending = this.pending;
    this.pending = [];
    return awaitAll(pending);
  }

  private send(): void {
    for (const statement of this.queue.splice(0)) {
      const result = sendStatement(this.client, statement, this.options);
      result.catch(() => undefined); // `flush` handles it; until then it must not count as unhandled
      this.pending.push(result);
    }
  }
}
