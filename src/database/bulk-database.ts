import { Injectable, Logger } from '@nestjs/common';
import type { PoolClient, QueryResultRow } from 'pg';
import { isConnectionFailure } from '../common/errors/database-errors.js';
import { UnavailableError } from '../common/errors/domain-error.js';
import { FairSemaphore } from '../common/fair-semaphore.js';
import { AppConfig } from '../config/app-config.js';
import { ConnectionWatch } from './connection-watch.js';
import { DatabaseService } from './database.service.js';
import { destroyConnection } from './driver-internals.js';
import { queryWithin, tryRollback } from './pg-client.js';
import { type SilenceLimits, silenceLimits } from './silence-limits.js';
import { SystemDatabase } from './system-database.js';

type Work<T> = (client: PoolClient) => Promise<T>;
/** Gives a connection up when its time is over; returns what stops that. */
type Guard = (client: PoolClient, giveUp: (why: string) => void) => Promise<() => void> | (() => void);

/** Upkeep that takes longer than this has to be cut into smaller pieces. */
const BEGIN_UPKEEP = `BEGIN; SET LOCAL statement_timeout = '60s'; SET LOCAL lock_timeout = '5s'`;

/**
 * The owner's connections for what moves many rows: the ingest writer's COPY, the aggregation, and deleting. Apart from
 * the other pools, so that neither can starve requests. A connection that was lost without a sign is noticed and given up.
 */
@Injectable()
export class BulkDatabase {
  private readonly logger = new Logger('Database');
  private readonly upkeeper = new FairSemaphore({
    size: 1,
    perCaller: 1,
    refuse: () => new UnavailableError('Upkeep is under way.'),
  });
  private readonly limits: SilenceLimits;
  /** When each connection of the pool was last known to work. */
  private readonly workedAtMs = new WeakMap<PoolClient, number>();
  private distrustedBeforeMs = 0;

  constructor(
    private readonly database: DatabaseService,
    private readonly system: SystemDatabase,
    config: AppConfig,
  ) {
    this.limits = silenceLimits(config.database.silenceSeconds);
  }

  /** A statement of a job that deletes what is over; one at a time in this process. */
  upkeep<Row extends QueryResultRow>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.upkeeper.run('upkeep', Infinity, () =>
      this.transaction(BEGIN_UPKEEP, async (client) => (await client.query<Row>(sql, parameters)).rows),
    );
  }

  /**
   * Begins with `begin`, ends with COMMIT or, when `work` throws or `signal` says so, with ROLLBACK. Takes as long as
   * Postgres works on it.
   */
  transaction<T>(begin: string, work: Work<T>, signal?: AbortSignal): Promise<T> {
    const { checkMs } = this.limits;
    const watch: Guard = async (client, giveUp) => {
      const watching = await ConnectionWatch.begin(client, { system: this.system, checkMs, onLost: giveUp });
      return () => watching.end();
    };
    return this.run(`${begin}; ${this.serverLimits()}`, work, watch, signal);
  }

  /** A read-write transaction that is over soon; one that is not is given up with its connection. */
  shortTransaction<T>(work: Work<T>): Promise<T> {
    const { lockMs, shortTransactionMs } = this.limits;
    const begin = `BEGIN; SET LOCAL lock_timeout = ${lockMs}; SET LOCAL statement_timeout = ${shortTransactionMs}`;
    const timer: Guard = (_client, giveUp) => {
      const expiry = setTimeout(() => giveUp(`no answer within ${shortTransactionMs} ms`), shortTransactionMs);
      return () => clearTimeout(expiry);
    };
    return this.run(`${begin}; ${this.serverLimits()}`, work, timer);
  }

  /** With these Postgres notices that this process is gone, also in the middle of a COPY, and gives up its locks. */
  private serverLimits(): string {
    return `SET LOCAL idle_in_transaction_session_timeout = ${this.limits.idleInTransactionMs};
      SET LOCAL tcp_keepalives_idle = 10; SET LOCAL tcp_keepalives_interval = 5; SET LOCAL tcp_keepalives_count = 3`;
  }

  private async run<T>(begin: string, work: Work<T>, guard: Guard, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const client = await this.begin(begin);
    const giveUp = (why: string) => this.giveUp(client, why);
    // Whatever statement is running ends with its connection.
    const abort = () => destroyConnection(client, 'Connection terminated: the work was broken off');
    let isUsable = true;
    let unguard: () => void = () => undefined;
    signal?.addEventListener('abort', abort);
    try {
      unguard = await guard(client, giveUp);
      signal?.throwIfAborted();
      const result = await work(client);
      await client.query('COMMIT');
      this.workedAtMs.set(client, performance.now());
      return result;
    } catch (error) {
      // A connection that cannot say ROLLBACK may be inside the transaction still: nobody may get it again.
      isUsable = !isConnectionFailure(error) && (await tryRollback(client));
      throw error;
    } finally {
      unguard();
      signal?.removeEventListener('abort', abort);
      client.release(!isUsable);
    }
  }

  /** Nothing is lost with a connection that does not answer BEGIN; one that had been idle may be dead, so take another. */
  private async begin(begin: string): Promise<PoolClient> {
    for (;;) {
      const client = await this.database.bulk.connect();
      const workedAtMs = this.workedAtMs.get(client);
      if (workedAtMs !== undefined && workedAtMs < this.distrustedBeforeMs) {
        client.release(true);
        continue;
      }
      try {
        await queryWithin(client, begin, this.limits.beginMs);
        this.workedAtMs.set(client, performance.now());
        return client;
      } catch (error) {
        if (isConnectionFailure(error)) this.giveUp(client, 'BEGIN was not answered');
        client.release(true);
        if (workedAtMs === undefined || !isConnectionFailure(error)) throw error;
      }
    }
  }

  /** Connections are lost together: those that have been idle since are not worth a try. */
  private giveUp(client: PoolClient, why: string): void {
    this.logger.warn(`A database connection is given up: ${why}.`);
    this.distrustedBeforeMs = performance.now();
    destroyConnection(client, `Connection terminated: ${why}`);
  }
}
