import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { adminConnect, isPassing } from './admin-connection.js';
import { isCluster, locateDataDirectory, readOrCreatePassword } from './data-directory.js';
import { initializeCluster, SUPERUSER } from './initialize-cluster.js';
import { OwnershipLock } from './ownership-lock.js';
import { isRunning, type Postmaster, stopPostmaster } from './postmaster.js';
import { installedPackageDir, usableBinaries } from './postgres-binaries.js';
import { reachServer, type ServerRequest } from './reach-server.js';

const DATABASE = 'agent_platform';
const IN_USE_WAIT_MS = 10_000;
const ANNOUNCE_AFTER_MS = 1_000;
const POLL_MS = 100;

export interface EmbeddedPostgresOptions {
  /** Absolute. Holds `postgres` (the cluster), `postgres-password` and `postgres.log`. */
  dataDir: string;
  onProgress: (message: string) => void;
  /** Further server settings, such as `{ fsync: 'off' }` for tests. */
  settings?: Record<string, string>;
  /** Aborts a start and stops what it has started. */
  signal?: AbortSignal;
  /** How long `start` waits for another owner to finish (10 s). */
  inUseWaitMs?: number;
}

/** The bundled Postgres. One process owns the server and stops it; others may join. */
export class EmbeddedPostgres {
  private stopping: Promise<void> | null = null;

  private constructor(
    private readonly server: ServerRequest,
    private readonly postmaster: Postmaster,
    private readonly lock: OwnershipLock | null,
    readonly url: string,
  ) {}

  /** Creates the cluster on first use. Takes over a server that a killed process left running. */
  static start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    return EmbeddedPostgres.open(options, 'wait');
  }

  /** For the command line. A joined server stops with its owner; the command then fails and can be repeated. */
  static startOrJoin(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    return EmbeddedPostgres.open(options, 'join');
  }

  /** Differs from the configured directory when the database user cannot reach that. */
  get dataDir(): string {
    return this.server.home.path;
  }

  /** False when joined: `stop` leaves the server running. */
  get owned(): boolean {
    return this.lock !== null;
  }

  stop(): Promise<void> {
    this.stopping ??= this.shutDown();
    return this.stopping;
  }

  private async shutDown(): Promise<void> {
    if (!this.lock) return;
    try {
      await stopPostmaster(this.server.home.clusterDir, this.postmaster.pid);
    } finally {
      await this.lock.release();
    }
  }

  private async withDatabase(): Promise<this> {
    try {
      await createDatabase(await this.server.connect(this.postmaster.port));
      return this;
    } catch (error) {
      await this.stop().catch(() => undefined);
      throw error;
    }
  }

  private static async open(options: EmbeddedPostgresOptions, whenInUse: 'wait' | 'join'): Promise<EmbeddedPostgres> {
    const { server, password } = await prepare(options);
    let inUseSince: number | null = null;
    for (let announced = false; ; await sleep(POLL_MS)) {
      options.signal?.throwIfAborted();
      const { launched, ...postmaster } = await reachServer(server);
      try {
        const lock = await OwnershipLock.tryAcquire(
          () => server.connect(postmaster.port),
          () => isRunning(server.home.clusterDir, postmaster.pid),
        );
        if (lock || whenInUse === 'join') {
          if (lock && !launched) options.onProgress('Taking over the Postgres that an earlier run left running.');
          const url = `postgres://${SUPERUSER}:${password}@127.0.0.1:${postmaster.port}/${DATABASE}`;
          return await new EmbeddedPostgres(server, postmaster, lock, url).withDatabase();
        }
      } catch (error) {
        if (!isPassing(error)) throw error;
        continue;
      }
      inUseSince ??= Date.now();
      const waitedMs = Date.now() - inUseSince;
      if (waitedMs > (options.inUseWaitMs ?? IN_USE_WAIT_MS)) {
        throw new Error(
          `Another process is already running this database (${server.home.path}). ` +
            'Stop it, or set DATA_DIR or DATABASE_URL.',
        );
      }
      if (!announced && waitedMs > ANNOUNCE_AFTER_MS) {
        options.onProgress('Waiting for another process that uses this database ...');
        announced = true;
      }
    }
  }
}

async function prepare({ dataDir, onProgress, signal, settings = {} }: EmbeddedPostgresOptions) {
  const packageDir = installedPackageDir();
  const home = await locateDataDirectory(dataDir, onProgress);
  const { user, copiesDir } = home;
  const binaries = await usableBinaries({ packageDir, user, copiesDir, onProgress });
  const password = await readOrCreatePassword(home);
  if (!isCluster(home.clusterDir)) {
    onProgress('Creating the database (first start) ...');
    await initializeCluster(home, binaries, settings.fsync !== 'off');
  }
  const server: ServerRequest = { home, binaries, connect: adminConnect(password), settings, onProgress, signal };
  return { server, password };
}

async function createDatabase(client: pg.Client): Promise<void> {
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database d WHERE d.datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } catch (error) {
    // An owner and a joining process may both get here on the first start.
    if (!['42P04', '23505'].includes((error as { code?: string }).code ?? '')) throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
