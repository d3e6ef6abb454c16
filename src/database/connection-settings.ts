import pg from 'pg';
import type { DatabaseConfig } from '../config/app-config.js';

/** Without an error listener, losing a connection in use would end the process; the running statement fails anyway. */
class PoolClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

/** For connecting only; the wait for a free connection is limited by `PoolQueue`. */
const CONNECT_TIMEOUT_MS = 1_500;
/** Upper bound for statements of requests, enforced by Postgres, and by the client in case Postgres stops answering. */
const STATEMENT_TIMEOUT_MS = 10_000;
const LOCK_TIMEOUT_MS = 5_000;
/** A dead idle connection is detected after this delay and ten probes, one per second. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
const TIME_LIMITS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS * 3,
};
/** The same limits for one transaction: needed behind PgBouncer, which accepts no start-up options. */
export const SET_TIME_LIMITS = Object.entries(TIME_LIMITS)
  .map(([name, ms]) => `SET LOCAL ${name} = ${ms}`)
  .join('; ');
/** Four ingest writers, four aggregation sessions, two days that a request waits for, and upkeep. */
const BULK_CONNECTIONS = 11;

export interface ConnectionTargets {
  readonly ownerUrl: string;
  readonly directUrl: string;
  readonly requestUrl: string;
  readonly requestRole: string;
  /** Whether the request role has a login of its own; else the owner logs in with `-c role=...`. */
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

/** No start-up options, because this connection may go through PgBouncer. */
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

export function requestPoolOptions(targets: ConnectionTargets, poolSize: number): Record<string, unknown> {
  const startUp = { role: targets.requestRole, ...TIME_LIMITS };
  return {
    ...ownerPoolOptions(poolSize),
    // A role with its own login may connect through PgBouncer; its time limits are set at the start of each
    // transaction.
    ...(targets.requestRoleLogsIn
      ? {}
      : {
          options: Object.entries(startUp)
            .map(([name, value]) => `-c ${name}=${value}`)
            .join(' '),
        }),
  };
}
