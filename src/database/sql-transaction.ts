import type { Writable } from 'node:stream';
import type pg from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';
import { isConnectionFailure } from '../common/errors/database-errors.js';

/**
 * Something that reads. A method that is called inside a transaction has to read on its connection: waiting for a second
 * one while holding the first is how a pool comes to a standstill.
 */
export interface SqlReader {
  query<Row>(sql: string, parameters?: unknown[], name?: string): Promise<Row[]>;
}

export interface SqlTransactionOptions {
  /** Whether the connection is always the same session of Postgres, so that a statement with a name is planned once. */
  keepsStatements: boolean;
  /** Called as soon as the connection is back in its pool, before those who wait for the end are told. */
  released: () => void;
}

/**
 * A running transaction, handed down explicitly to whatever takes part in it. Statements that do not need each other's
 * answers may be sent together, with `Promise.all`: they run in the order in which they were sent.
 */
export class SqlTransaction implements SqlReader {
  private readonly queued: pg.QueryConfig[] = [];
  /** Answers that nobody has looked at yet. */
  private pending: Promise<pg.QueryResult>[] = [];
  private readonly endings: ((isCommitted: boolean) => void | Promise<void>)[] = [];
  private readonly notices = new Map<string, { topic: string; payload: string }>();

  private constructor(
    private readonly runner: QueryRunner,
    private readonly client: pg.Client,
    private readonly options: SqlTransactionOptions,
  ) {}

  /** For entities: `insert`, `update`, `findOneBy`; `save()` opens a transaction of its own and is not used. */
  get manager(): EntityManager {
    this.send(); // entities are read and written on the same connection, behind what waits
    return this.runner.manager;
  }

  /** A statement with a name is planned once for each connection: for those that run often. */
  async query<Row>(sql: string, parameters: unknown[] = [], name?: string): Promise<Row[]> {
    this.enqueue(sql, parameters, name);
    const answers = await this.flush();
    return answers.at(-1)?.rows as Row[];
  }

  /** A statement whose answer nobody needs: it travels with the next one, or with the COMMIT, and fails with that. */
  enqueue(sql: string, parameters: unknown[] = [], name?: string): void {
    this.queued.push({ text: sql, values: parameters, name });
  }

  /** Wakes every replica when this transaction commits; see `Notifications`. */
  notify(topic: string, payload: Record<string, string>): void {
    const text = JSON.stringify(payload);
    this.notices.set(`${topic} ${text}`, { topic, payload: text });
  }

  /**
   * Calls `handler`, which must not fail, when this transaction is over and its connection free, and waits for it. When the
   * answer to COMMIT got lost, nobody knows; that is `false` too.
   */
  afterEnd(handler: (isCommitted: boolean) => void | Promise<void>): void {
    this.endings.push(handler);
  }

  /** Begins with `begin`, ends with COMMIT or, when `work` throws, with ROLLBACK. */
  static run<T>(
    runner: QueryRunner,
    begin: string,
    options: SqlTransactionOptions,
    work: (tx: SqlTransaction) => Promise<T>,
  ): Promise<T> {
    return SqlTransaction.complete(runner, options, async (tx) => {
      await tx.query(begin);
      return work(tx);
    });
  }

  /**
   * The same, but nobody waits for the answer to `begin`. Only where a statement outside of the transaction can do no harm:
   * behind the wall, nothing is visible or writable there.
   */
  static runPipelined<T>(
    runner: QueryRunner,
    begin: string,
    options: SqlTransactionOptions,
    work: (tx: SqlTransaction) => Promise<T>,
  ): Promise<T> {
    return SqlTransaction.complete(runner, options, (tx) => {
      tx.enqueue(begin);
      return work(tx);
    });
  }

  private static async complete<T>(
    runner: QueryRunner,
    options: SqlTransactionOptions,
    work: (tx: SqlTransaction) => Promise<T>,
  ): Promise<T> {
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
      // A connection that cannot say ROLLBACK may be inside the transaction still: nobody may get it again.
      if (client && (isConnectionFailure(error) || !(await rollsBack(client)))) discard(client);
      throw error;
    } finally {
      await runner.release();
      options.released();
      for (const handler of tx?.endings ?? []) await handler(isCommitted);
    }
  }

  /** In one packet with what waits. */
  private async commit(): Promise<void> {
    if (this.notices.size > 0) {
      const notices = [...this.notices.values()];
      const values = [notices.map(({ topic }) => topic), notices.map(({ payload }) => payload)];
      this.enqueue(
        `SELECT pg_notify(n.topic, n.payload) FROM unnest($1::text[], $2::text[]) AS n (topic, payload)`,
        values,
        'notify',
      );
    }
    this.enqueue('COMMIT');
    const answers = await this.flush();
    // After a failure, even one that somebody has caught, Postgres takes COMMIT for ROLLBACK and says only that.
    if (answers.at(-1)?.command !== 'COMMIT') throw new Error('The transaction had failed before its COMMIT');
  }

  /** Sends what waits, and waits for all answers; of several failures the first, which caused the others. */
  private async flush(): Promise<pg.QueryResult[]> {
    this.send();
    const sent = this.pending;
    this.pending = [];
    return inOrder(sent);
  }

  private send(): void {
    for (const statement of this.queued.splice(0)) {
      const answer = submit(this.client, statement, this.options.keepsStatements);
      answer.catch(() => undefined); // looked at later, in `flush`
      this.pending.push(answer);
    }
  }
}

/** The results of what was begun in this order; of several failures the first. */
export async function inOrder<T extends unknown[]>(begun: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const settled = await Promise.allSettled(begun);
  return settled.map((step) => {
    if (step.status === 'rejected') throw step.reason;
    return step.value;
  }) as T;
}

/** Sends a statement, in one packet with all others that are sent now. */
export function submit<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  { text, values, name }: pg.QueryConfig,
  keepsStatements: boolean,
): Promise<pg.QueryResult<Row>> {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
  const isKept = name !== undefined && keepsStatements;
  return isKept ? client.query<Row>({ name, text, values }) : client.query<Row>(text, values);
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

/** Breaks a connection off at once: whatever waits for an answer on it fails. Unlike `discard` it waits for nobody. */
export function destroy(client: pg.ClientBase, why: string): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.destroy(new Error(why));
}
