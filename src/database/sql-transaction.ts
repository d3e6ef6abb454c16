import type pg from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';
import { isConnectionFailure } from '../common/errors/database-errors.js';

/**
 * Something that reads. A method that is called inside a transaction has to read on its connection: waiting for a second
 * one while holding the first is how a pool comes to a standstill.
 */
export interface SqlReader {
  query<Row>(sql: string, parameters?: unknown[]): Promise<Row[]>;
}

/**
 * A running transaction, handed down explicitly to whatever takes part in it. Statements that do not need each other's
 * answers may be sent together, with `Promise.all`: they run in the order in which they were sent.
 */
export class SqlTransaction implements SqlReader {
  constructor(private readonly runner: QueryRunner) {}

  /** For entities: `insert`, `update`, `findOneBy`; `save()` opens a transaction of its own and is not used. */
  get manager(): EntityManager {
    return this.runner.manager;
  }

  async query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const result = await this.runner.query(sql, parameters, true);
    return result.records as Row[];
  }

  /** Wakes every replica when this transaction commits; see `WakeUps`. */
  async notify(topic: string, payload: Record<string, string>): Promise<void> {
    await this.query(`SELECT pg_notify($1, $2)`, [topic, JSON.stringify(payload)]);
  }

  /** Begins with `begin`, ends with COMMIT or, when `work` throws, with ROLLBACK. */
  static async run<T>(runner: QueryRunner, begin: string, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    return SqlTransaction.complete(runner, async () => {
      await runner.query(begin);
      return work(new SqlTransaction(runner));
    });
  }

  /**
   * The same, but nobody waits for the answer to `begin`. Only where a statement outside of the transaction can do no harm:
   * behind the wall, nothing is visible or writable there.
   */
  static async runAhead<T>(runner: QueryRunner, begin: string, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    return SqlTransaction.complete(runner, async () => {
      const [begun, result] = await Promise.allSettled([runner.query(begin), work(new SqlTransaction(runner))]);
      if (begun.status === 'rejected') throw begun.reason;
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  private static async complete<T>(runner: QueryRunner, work: () => Promise<T>): Promise<T> {
    let client: pg.Client | null = null;
    try {
      client = (await runner.connect()) as pg.Client;
      const result = await work();
      await runner.query('COMMIT');
      return result;
    } catch (error) {
      // A connection that cannot say ROLLBACK may be inside the transaction still: nobody may get it again.
      if (client && (isConnectionFailure(error) || !(await rollsBack(runner)))) discard(client);
      throw error;
    } finally {
      await runner.release();
    }
  }
}

/** Whether the connection could still say ROLLBACK. */
export function rollsBack(connection: { query(sql: string): Promise<unknown> }): Promise<boolean> {
  return connection.query('ROLLBACK').then(
    () => true,
    () => false,
  );
}

/** Ends a connection, so that its pool does not hand it out again when it is released. */
export function discard(client: pg.Client): void {
  void client.end().catch(() => undefined);
}
