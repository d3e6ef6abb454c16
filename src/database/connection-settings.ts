import pg from 'pg';
import type { DatabaseConfig } from '../config/app-config.js';

/**
 * A client that outlives the loss of its connection: the statement that is running fails and tells. Without a listener
 * the loss of a connection in use would end the process.
 */
class PoolClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

/** How long the database may take to let a connection in. Waiting for a free one is the matter of `PoolLine`. */
const CONNECT_TIMEOUT_MS = 1_500;
/** No statement of a request runs longer; the client-side limit also ends waits on a database that went silent. */
const STATEMENT_TIMEOUT_MS = 10_000;
const LOCK_TIMEOUT_MS = 5_000;
/** An idle connection whose other end is gone without a word is noticed after this and ten probes, a second apart. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
const TIME_LIMITS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS * 3,
};
/** The same for one transaction: behind PgBouncer nothing else holds, because it takes no start-up options. */
export const SET_TIME_LIMITS = Object.entries(TIME_LIMITS)
  .map(([name, ms]) => `SET LOCAL ${name} = ${ms}`)
  .join('; ');
/** Four ingest writers, four aggregation sessions, two days that somebody waits for, and upkeep. */
const BULK_CONNECTIONS = 11;

/** Where each kind of connection goes, once it is known which database is used. */
export interface ConnectionTargets {
  readonly ownerUrl: string;
  readonly directUrl: string;
  readonly requestUrl: string;
  readonly requestRole: string;
  /** Whether the request role logs in itself; else the owner logs in and becomes it with its first breath. */
  readonly requestRoleLogsIn: boolean;
}

export function connectionTargets(
  config: Pick<DatabaseConfig, 'appUrl' | 'directUrl' | 'appRole'>,
  ownerUrl: string,
): ConnectionTargets {
  const databaseName = decodeURIComponent(new URL(ownerUrl).pathname.slice(1)) || 'postgres';
  const loginRole = config.appUrl === null ? null : decodeURIComponent(new URL(config.appUrl).username);
  return {
    ownerUrl,
    directUrl: config.directUrl ?? ownerUrl,
    requestUrl: config.appUrl ?? ownerUrl,
    requestRole: loginRole ?? config.appRole ?? `${databaseName}_app`,
    requestRoleLogsIn: loginRole !== null,
  };
}

/**
 * Options of the owner's pool. A statement is sent without waiting for the answer to the one before. No start-up options:
 * this connection may go through PgBouncer.
 */
export function ownerPoolOptions(poolSize: number): Record<string, unknown> {
  return {
    application_name: 'agent-platform',
    max: poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + 1_000,
    pipeline: true,
    Client: PoolClient,
    ...KEEP_ALIVE,
  };
}

/** Options of the pool for COPY and aggregation: few connections, whose time `BulkDatabase` limits. */
export function bulkPoolOptions(url: string): pg.PoolConfig {
  return {
    connectionString: url,
    application_name: 'agent-platform bulk',
    max: BULK_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    Client: PoolClient,
    ...KEEP_ALIVE,
  };
}

/** Options of the request pool: the role from the first statement on. */
export function requestPoolOptions(targets: ConnectionTargets, poolSize: number): Record<string, unknown> {
  const startUp = { role: targets.requestRole, ...TIME_LIMITS };
  return {
    ...ownerPoolOptions(poolSize),
    // PgBouncer takes no start-up options; a role with its own login needs none but the limits, which `begin` then sets.
    ...(targets.requestRoleLogsIn
      ? {}
      : {
          options: Object.entries(startUp)
            .map(([name, value]) => `-c ${name}=${value}`)
            .join(' '),
        }),
  };
}
