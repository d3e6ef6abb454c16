import { Injectable } from '@nestjs/common';
import { isInsufficientPrivilege, isTransient } from '../common/errors/database-errors.js';
import { DatabaseService } from './database.service.js';
import { poolOf } from './driver-internals.js';
import { runInOneRoundTrip } from './one-round-trip.js';
import { type SqlReader, SqlTransaction } from './sql-transaction.js';
import { beginForOrg } from './row-level-security.js';

const MAX_ATTEMPTS = 3;

/** Where a read differs from the others in how long it may take. */
export interface ReadLimits {
  /** How long it waits for a connection; Infinity: until one is free. */
  readonly patienceMs?: number;
  /** After how long the statement is ended. */
  readonly statementMs?: number;
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

  /** Runs `work` in a transaction, again from its start when another transaction was in the way. */
  async transaction<T>(orgId: string, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.withGrants(() => this.attempt(orgId, work));
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isTransient(error)) throw error;
      }
    }
  }

  /** Does `work` once more when the rights that it lacked have been given back. */
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
    const { requestLine, request, canPrepare, timeLimits } = this.database;
    const begin = beginForOrg(orgId, 'READ WRITE', timeLimits);
    const release = await requestLine.acquire(orgId);
    return requestLine
      .watch(SqlTransaction.runPipelined(request.createQueryRunner(), begin, { canPrepare, onRelease: release }, work))
      .finally(release);
  }

  /** Reads of this organization, each on its own; where a transaction is open, that is used instead. */
  reader(orgId: string): SqlReader {
    return { query: (sql, parameters, name) => this.read(orgId, sql, parameters, name) };
  }

  /**
   * One read in one round trip: preamble, statement and commit are sent together. If the preamble fails, the statement runs
   * without an organization and returns nothing. A statement with a name is planned once for each connection: for those
   * that cost more to plan than to run.
   */
  read<Row>(orgId: string, sql: string, parameters: unknown[] = [], name?: string): Promise<Row[]> {
    return this.withGrants(() => this.run({ orgId, mode: 'READ ONLY' }, sql, parameters, name));
  }

  /** The same with time limits of its own. */
  readWithin<Row>(orgId: string, limits: ReadLimits, sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.withGrants(() => this.run({ orgId, mode: 'READ ONLY', limits }, sql, parameters));
  }

  /** The same for a write that is one statement. */
  write<Row>(orgId: string, sql: string, parameters: unknown[] = [], name?: string): Promise<Row[]> {
    return this.withGrants(() => this.run({ orgId, mode: 'READ WRITE' }, sql, parameters, name));
  }

  private async run<Row>(
    { orgId, mode, limits = {} }: RoundTrip,
    sql: string,
    parameters: unknown[],
    name?: string,
  ): Promise<Row[]> {
    const { requestLine, request, canPrepare, timeLimits } = this.database;
    const own = limits.statementMs === undefined ? '' : `SET LOCAL statement_timeout = ${limits.statementMs}`;
    const begin = beginForOrg(orgId, mode, [timeLimits, own].filter((part) => part !== '').join('; '));
    const release = await requestLine.acquire(orgId, limits.patienceMs);
    const statement = { text: sql, values: parameters, name };
    return requestLine
      .watch(
        poolOf(request)
          .connect()
          .then((client) => runInOneRoundTrip<Row>(client, begin, statement, { canPrepare })),
      )
      .finally(release);
  }
}
