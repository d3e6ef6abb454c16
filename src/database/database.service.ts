import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import pg, { type Pool, type PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { UnavailableError } from '../common/errors/domain-error.js';
import { AppConfig } from '../config/app-config.js';
import {
  bulkPoolOptions,
  type ConnectionTargets,
  ownerPoolOptions,
  requestPoolOptions,
  SET_TIME_LIMITS,
} from './connection-settings.js';
import { poolOf } from './driver-internals.js';
import { queryWithin } from './pg-client.js';
import { PoolQueue } from './pool-queue.js';
import { grantRequestRole } from './request-role.js';
import { Notifications } from './notifications.js';

const PING_TIMEOUT_MS = 3_000;
/** A database that stopped answering does not confirm the close either. */
const CLOSE_TIMEOUT_MS = 5_000;

export const ENTITIES = Symbol('entities');
export type EntityClass = new () => object;

/** The connection pools of this process; opened once the database is migrated. */
@Injectable()
export class DatabaseService {
  private readonly logger = new Logger('Database');
  private pools: Pools | null = null;
  private granting: Promise<boolean> | null = null;
  private grantedAtMs = 0;
  /** Callers queue here before they take a connection from the pool. */
  readonly ownerQueue: PoolQueue;
  readonly requestQueue: PoolQueue;

  constructor(
    private readonly config: AppConfig,
    private readonly notifications: Notifications,
    @Inject(ENTITIES) private readonly entities: readonly EntityClass[],
  ) {
    this.ownerQueue = new PoolQueue(config.database.poolSize);
    this.requestQueue = new PoolQueue(config.database.poolSize);
  }

  async open(targets: ConnectionTargets): Promise<void> {
    const poolSize = this.config.database.poolSize;
    const owner = this.dataSource(targets.ownerUrl, ownerPoolOptions(poolSize));
    const request = this.dataSource(targets.requestUrl, {
      ...requestPoolOptions(targets, poolSize),
      verify: refuseOtherRoles(targets.requestRole),
    });
    await owner.initialize();
    try {
      await request.initialize();
    } catch (error) {
      await owner.destroy();
      throw error;
    }
    const canPrepare = !targets.requestRoleLogsIn;
    const bulk = this.bulkPool(targets.ownerUrl);
    this.pools = { owner, request, bulk, canPrepare, requestRole: targets.requestRole };
    await this.notifications.start(targets.directUrl);
  }

  async close(): Promise<void> {
    const pools = this.pools;
    this.pools = null;
    const closed = Promise.all([
      this.notifications.stop(),
      pools?.request.destroy(),
      pools?.owner.destroy(),
      pools?.bulk.end(),
    ]);
    const patience = new AbortController();
    await Promise.race([closed, delay(CLOSE_TIMEOUT_MS, undefined, patience)]);
    patience.abort();
  }

  async ping(): Promise<void> {
    const { owner, request } = this.opened();
    await Promise.all([checkPool(this.ownerQueue, poolOf(owner)), checkPool(this.requestQueue, poolOf(request))]);
  }

  /** Releases before 1.0 revoke privileges on tables that they do not know when they start beside this one. */
  async restoreGrants(sinceMs: number): Promise<boolean> {
    if (this.grantedAtMs > sinceMs) return true;
    this.granting ??= this.grantAgain().finally(() => (this.granting = null));
    return this.granting;
  }

  private async grantAgain(): Promise<boolean> {
    const { owner, requestRole } = this.opened();
    const release = await this.ownerQueue.acquire('grants');
    try {
      const client = await poolOf(owner).connect();
      await grantRequestRole(client, requestRole).finally(() => client.release());
      this.grantedAtMs = performance.now();
      this.logger.warn('The rights of requests were not complete, and were given again: has an older version started?');
      return true;
    } catch (error) {
      this.logger.error(`The rights of requests could not be given again: ${String(error)}`);
      return false;
    } finally {
      release();
    }
  }

  get isOpen(): boolean {
    return this.pools !== null;
  }

  get owner(): DataSource {
    return this.opened().owner;
  }

  get request(): DataSource {
    return this.opened().request;
  }

  get bulk(): Pool {
    return this.opened().bulk;
  }

  /** False when the request role logs in by itself: then PgBouncer may be in between, and prepared statements get lost. */
  get canPrepare(): boolean {
    return this.opened().canPrepare;
  }

  /** Time limits that a request's transaction has to set because its connection has none; may be empty. */
  get timeLimits(): string {
    return this.canPrepare ? '' : SET_TIME_LIMITS;
  }

  private opened(): Pools {
    if (this.pools === null) throw new UnavailableError('The service is starting. Try again shortly.');
    return this.pools;
  }

  private bulkPool(url: string): Pool {
    const pool = new pg.Pool(bulkPoolOptions(url));
    return pool.on('error', (error) => this.noteLostConnection(error));
  }

  private dataSource(url: string, extra: Record<string, unknown>): DataSource {
    return new DataSource({
      type: 'postgres',
      url,
      entities: [...this.entities],
      synchronize: false,
      logging: false,
      extra,
      poolErrorHandler: (error: Error) => this.noteLostConnection(error),
    });
  }

  private noteLostConnection(error: Error): void {
    if (!this.isOpen) return; // expected while closing
    this.logger.warn(`An idle database connection was lost: ${error.message}`);
  }
}

interface Pools {
  owner: DataSource;
  request: DataSource;
  bulk: Pool;
  canPrepare: boolean;
  requestRole: string;
}

async function checkPool(queue: PoolQueue, pool: Pool): Promise<void> {
  const release = await queue.acquire('readiness');
  await queue.watch(pool.connect().then(selectOne)).finally(release);
}

async function selectOne(client: PoolClient): Promise<void> {
  const failure = await queryWithin(client, 'SELECT 1', PING_TIMEOUT_MS).then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  client.release(failure);
  if (failure) throw failure;
}

/**
 * Row-level security does not apply to the owner, whose connections a proxy would hand out if it dropped the role
 * option.
 */
function refuseOtherRoles(role: string): (client: VerifiedClient, done: (error?: Error) => void) => void {
  return (client, done) => {
    client
      .query(
        `SELECT r.rolname AS name, r.rolsuper OR r.rolbypassrls AS unbound FROM pg_roles r WHERE r.rolname = current_user`,
      )
      .then(({ rows: [me] }) => {
        if (me?.name === role && !me.unbound) done();
        else done(new Error(`Request connections have to be "${role}" without BYPASSRLS, but are "${me?.name}"`));
      }, done);
  };
}

interface VerifiedClient {
  query(sql: string): Promise<{ rows: { name: string; unbound: boolean }[] }>;
}
