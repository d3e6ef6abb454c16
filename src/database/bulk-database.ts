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
/** Starts to watch a connection and calls `giveUp` when it seems lost. Returns the function that stops watching. */
type Guard = (client: PoolClient, giveUp: (why: string) => void) => Promise<() => void> | (() => void);

/** Work that takes longer has to be split into batches. */
const BEGIN_UPKEEP = `BEGIN; SET LOCAL statement_timeout = '60s'; SET LOCAL lock_timeout = '5s'`;

/**
 * Connections of the owner for work on many rows (COPY, aggregation, deletions); a pool apart from that of requests.
 */
@Injectable()
export class BulkDatabase {
  private readonly logger = new Logger('Database');
  private readonly upkeepQueue = new FairSemaphore({
    size: 1,
    perCaller: 1,
    refuse: () => new UnavailableError('Upkeep is under way.'),
  });
  private readonly limits: SilenceLimits;
  private readonly workedAtMs = new WeakMap<PoolClient, number>();
  private distrustedBeforeMs = 0;

  constructor(
    private readonly database: DatabaseService,
    private readonly system: SystemDatabase,
    config: AppConfig,
  ) {
    this.limits = silenceLimits(config.database.silenceSeconds);
  }

  /** For jobs that delete old rows; one statement at a time in this process. */
  upkeep<Row extends QueryResultRow>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.upkeepQueue.run('upkeep', Infinity, () =>
      this.transaction(BEGIN_UPKEEP, async (client) => (await client.query<Row>(sql, parameters)).rows),
    );
  }

  /**
   * Ends with COMMIT, or with ROLLBACK when `work` throws or `signal` aborts. No time limit as long as Postgres works.
   */
  transaction<T>(begin: string, work: Work<T>, signal?: AbortSignal): Promise<T> {
    const { checkMs } = this.limits;
    const watch: Guard = async (client, giveUp) => {
      const watching = await ConnectionWatch.begin(client, { system: this.system, checkMs, onLost: giveUp });
      return () => watching.end();
    };
    return this.run(`${begin}; ${this.serverLimits()}`, work, watch, signal);
  }

  shortTransaction<T>(work: Work<T>): Promise<T> {
    const { lockMs, shortTransactionMs } = this.limits;
    const begin = `BEGIN; SET LOCAL lock_timeout = ${lockMs}; SET LOCAL statement_timeout = ${shortTransactionMs}`;
    const timer: Guard = (_client, giveUp) => {
      const expiry = setTimeout(() => giveUp(`no answer within ${shortTransactionMs} ms`), shortTransactionMs);
      return () => clearTimeout(expiry);
    };
    return this.run(`${begin}; ${this.serverLimits()}`, work, timer);
  }

  /** Makes Postgres detect that this process is gone, even in the middle of a COPY, and release its locks. */
  private serverLimits(): string {
    return `SET LOCAL idle_in_transaction_session_timeout = ${this.limits.idleInTransactionMs};
      SET LOCAL tcp_keepalives_idle = 10; SET LOCAL tcp_keepalives_interval = 5; SET LOCAL tcp_keepalives_count = 3`;
  }

  private async run<T>(begin: string, work: Work<T>, guard: Guard, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const client = await this.begin(begin);
    const giveUp = (why: string) => this.giveUp(client, why);
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
      isUsable = !isConnectionFailure(error) && (await tryRollback(client));
      throw error;
    } finally {
      unguard();
      signal?.removeEventListener('abort', abort);
      client.release(!isUsable);
    }
  }

  /** An idle connection may be dead: if it does not answer BEGIN, nothing is lost and another one is tried. */
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

  /** Connections tend to be lost together: those that have been idle since are not tried again. */
  private giveUp(client: PoolClient, why: string): void {
    this.logger.warn(`A database connection is given up: ${why}.`);
    this.distrustedBeforeMs = performance.now();
    destroyConnection(client, `Connection terminated: ${why}`);
  }
}
