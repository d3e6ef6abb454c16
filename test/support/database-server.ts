import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { connectionTargets } from '../../src/database/connection-settings.js';
import { EmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.js';
import { migrate } from '../../src/database/migrator.js';

/** Durability is not needed. */
const THROW_AWAY: Record<string, string> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  jit: 'off',
  max_connections: '300',
};

const MEMORY_DIRECTORY = '/dev/shm';
/** Five times what a whole run uses. */
const NEEDED_BYTES = 1024 ** 3;

/** Only this machine can connect, and thousands of connections are opened, so no passwords. */
const OPEN_TO_THIS_MACHINE = 'host all all 127.0.0.1/32 trust\n';

/** Full-text search needs a Unicode locale, which is not the default in every image. */
const UNICODE_WORDS = `TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8'`;

interface Server {
  readonly url: string;
  readonly stop: () => Promise<void>;
  readonly databaseOptions?: string;
}

export interface DatabaseServer extends Server {
  readonly template: { readonly name: string; readonly appRole: string };
}

/**
 * A Postgres server for one test run with a migrated template database: TEST_DATABASE_URL, a container
 * (TEST_DATABASE=container) or the embedded one. DATABASE_URL is never used.
 */
export async function startDatabaseServer(env: NodeJS.ProcessEnv): Promise<DatabaseServer> {
  const { url, stop, databaseOptions = '' } = await startServer(env);
  const run = `agent_platform_test_${randomBytes(4).toString('hex')}`;
  const template = { name: `${run}_template`, appRole: `${run}_app` };
  await onServer(url, `CREATE DATABASE ${template.name} ${databaseOptions}`);
  const config = { url: null, appUrl: null, directUrl: null, appRole: template.appRole, poolSize: 1 };
  await migrate(connectionTargets(config, withDatabase(url, template.name)), () => undefined);
  return {
    url,
    template,
    async stop() {
      await onServer(url, `DROP DATABASE ${template.name} WITH (FORCE)`);
      await onServer(url, `DROP ROLE ${template.appRole}`).catch(() => undefined); // a database that was kept may still grant to it
      await stop();
    },
  };
}

async function startServer(env: NodeJS.ProcessEnv): Promise<Server> {
  if (env.TEST_DATABASE_URL) return { url: env.TEST_DATABASE_URL, stop: () => Promise.resolve() };
  if (env.TEST_DATABASE === 'container') return startContainer();
  const dataDir = await mkdtemp(join(await roomiest(), 'agent-platform-test-'));
  await chmod(dataDir, 0o711); // as root, Postgres runs as another user and needs access
  const accessFile = join(dataDir, 'access.conf');
  await writeFile(accessFile, OPEN_TO_THIS_MACHINE);
  const settings = { ...THROW_AWAY, hba_file: accessFile };
  const server = await EmbeddedPostgres.start({ dataDir, onProgress: () => undefined, settings });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(server.dataDir, { recursive: true, force: true });
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Copying the template takes 12 ms in memory and 170 ms on disk; but a Docker container has only 64 MB of shared
 * memory.
 */
async function roomiest(): Promise<string> {
  const memory = await statfs(MEMORY_DIRECTORY).catch(() => null);
  return memory !== null && memory.bavail * memory.bsize > NEEDED_BYTES ? MEMORY_DIRECTORY : tmpdir();
}

async function startContainer(): Promise<Server> {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const { Wait } = await import('testcontainers');
  const settings = Object.entries(THROW_AWAY).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const container = await new PostgreSqlContainer('postgres:17-bookworm')
    .withCommand(['postgres', ...settings])
    // Logged once during initialization and once when it is ready. Some engines run no health checks.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .start();
  return {
    url: container.getConnectionUri(),
    stop: () => container.stop().then(() => undefined),
    databaseOptions: UNICODE_WORDS,
  };
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const target = new URL(url);
  target.pathname = `/${name}`;
  return target.toString();
}
