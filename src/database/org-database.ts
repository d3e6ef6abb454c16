import { Injectable } from '@nestjs/common';
import { isInsufficientPrivilege, isTransient } from '../common/errors/database-errors.js';
import { DatabaseService } from './database.service.js';
import { poolOf } from './driver-internals.js';
import { runInOneRoundTrip } from './one-round-trip.js';
import { type SqlReader, SqlTransaction } from './sql-transaction.js';
import { beginForOrg } from './row-level-security.js';

const MAX_ATTEMPTS = 3;

export interface ReadLimits {
  /** How long to wait for a free connection; may be Infinity. */
  readonly patienceMs?: number;
  readonly statementMs?: number;
  /** `SET LOCAL` statements for the planner. */
  readonly settings?: string;
}

interface RoundTrip {
  readonly orgId: string;
  readonly mode: 'READ ONLY' | 'READ WRITE';
  readonly limits?: ReadLimits;
}

/** The only way in which a request reaches the database: as the request role, inside one organization. */
@Injectable()
export class OrgDatabase {
  constructor(private readonly database: DatabaseService) {}

  /** Retries `work` from its start after a serialization failure or a deadlock. */
  async transaction<T>(orgId: string, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.withGrants(() => this.attempt(orgId, work));
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isTransient(error)) throw error;
      }
    }
  }

  /** Retries once after missing privileges have been granted again. */
  private async withGrants<T>(work: () => Promise<T>): Promise<T> {
    const beganAtMs = performance.now();
    try {
      return await work();
    } catch (error) {
      if (!isInsufficientPrivilege(error) || !(await this.database.restoreGrants(beganAtMs))) throw error;
      return work();
    }
  }

  private async attempt<T>(orgId: string, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    const { requestQueue, request, canPrepare, timeLimits } = this.database;
    const begin = beginForOrg(orgId, 'READ WRITE', timeLimits);
    const release = await requestQueue.acquire(orgId);
    return requestQueue
      .watch(SqlTransaction.runPipelined(request.createQueryRunner(), begin, { canPrepare, onRelease: release }, work))
      .finally(release);
  }

  /** For reads outside of a transaction. */
  reader(orgId: string): SqlReader {
    return { query: (sql, parameters, name) => this.read(orgId, sql, parameters, name) };
  }

  /**
   * One round trip. Safe if BEGIN fails: without an organization the statement sees no rows. Name statements that cost more to plan than to run: they are planned once per connection.
   */
  read<Row>(orgId: string, sql: string, parameters: unknown[] = [], name?: string): Promise<Row[]> {
    return this.withGrants(() => this.run({ orgId, mode: 'READ ONLY' }, sql, parameters, name));
  }

  readWithin<Row>(orgId: string, limits: ReadLimits, sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.withGrants(() => this.run({ orgId, mode: 'READ ONLY', limits }, sql, parameters));
  }

  /** A write of one statement, in one round trip. */
  write<Row>(orgId: string, sql: string, parameters: unknown[] = [], name?: string): Promise<Row[]> {
    return this.withGrants(() => this.run({ orgId, mode: 'READ WRITE' }, sql, parameters, name));
  }

  private async run<Row>(
    { orgId, mode, limits = {} }: RoundTrip,
    sql: string,
    parameters: unknown[],
    name?: string,
  ): Promise<Row[]> {
    const { requestQueue, request, canPrepare, timeLimits } = this.database;
    const own = limits.statementMs === undefined ? '' : `SET LOCAL statement_timeout = ${limits.statementMs}`;
    const parts = [timeLimits, own, limits.settings ?? ''];
    const begin = beginForOrg(orgId, mode, parts.filter((part) => part !== '').join('; '));
    const release = await requestQueue.acquire(orgId, limits.patienceMs);
    const statement = { text: sql, values: parameters, name };
    return requestQueue
      .watch(
        poolOf(request)
          .connect()
          .then((client) => runInOneRoundTrip<Row>(client, begin, statement, { canPrepare })),
      )
      .finally(release);
  }
}
