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
import { PoolLine } from './pool-line.js';
import { grantRequestRole } from './request-role.js';
import { Notifications } from './notifications.js';

const PING_TIMEOUT_MS = 3_000;
/** A database that went silent does not say goodbye either. */
const CLOSE_TIMEOUT_MS = 5_000;

/** The entity classes of all modules, given by `AppModule`: the database knows none of them. */
export const ENTITIES = Symbol('entities');
export type EntityClass = new () => object;

/** The pools of this process and the line on which it hears wake-ups; opened once the database is migrated. */
@Injectable()
export class DatabaseService {
  private readonly logger = new Logger('Database');
  private pools: Pools | null = null;
  private granting: Promise<boolean> | null = null;
  private grantedAtMs = 0;
  /** The lines in front of the two pools; a connection is taken only by who has a place. */
  readonly ownerLine: PoolLine;
  readonly requestLine: PoolLine;

  constructor(
    private readonly config: AppConfig,
    private readonly notifications: Notifications,
    @Inject(ENTITIES) private readonly entities: readonly EntityClass[],
  ) {
    this.ownerLine = new PoolLine(config.database.poolSize);
    this.requestLine = new PoolLine(config.database.poolSize);
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

  /** Gets a connection and an answer as a request does, of either pool that requests need; fails soon when it cannot. */
  async ping(): Promise<void> {
    const { owner, request } = this.opened();
    await Promise.all([answer(this.ownerLine, poolOf(owner)), answer(this.requestLine, poolOf(request))]);
  }

  /**
   * Gives the request role its rights again, unless that was done after `sinceMs`. Releases before this one, when they start
   * beside it, take away the rights on tables that they do not know.
   */
  async restoreGrants(sinceMs: number): Promise<boolean> {
    if (this.grantedAtMs > sinceMs) return true;
    this.granting ??= this.grantAnew().finally(() => (this.granting = null));
    return this.granting;
  }

  private async grantAnew(): Promise<boolean> {
    const { owner, requestRole } = this.opened();
    const release = await this.ownerLine.acquire('grants');
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

  /** Whether a request connection is always the same session; behind PgBouncer, where the role has a login, it is not. */
  get canPrepare(): boolean {
    return this.opened().canPrepare;
  }

  /** What a request's transaction has to set itself, because its connection does not bring it; empty: nothing. */
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
    if (!this.isOpen) return; // on the way out, connections are lost on purpose
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

async function answer(line: PoolLine, pool: Pool): Promise<void> {
  const release = await line.acquire('readiness');
  await line.watch(pool.connect().then(selectOne)).finally(release);
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
 * Checked on every new connection: a proxy that drops the start-up option would otherwise hand out connections of the
 * owner, for whom there is no wall.
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
