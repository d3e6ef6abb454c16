import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { type ConnectionTargets, KEEP_ALIVE } from './connection-settings.js';
import { MigrationLockLimit } from './migration-lock-limit.js';
import { MIGRATIONS } from './migrations/migrations.js';
import { ensureRequestRole, grantRequestRole } from './request-role.js';
import { endInBackground } from './pg-client.js';

type Progress = (message: string) => void;

/** An arbitrary number, the same in every replica. */
const MIGRATION_LOCK = 7_081_968_344;
const LOCK_POLL_MS = 500;
const CONNECT_TIMEOUT_MS = 3_000;
/** For the connection that holds the lock; all of its statements are fast. */
const ANSWER_TIMEOUT_MS = 15_000;
/** A transaction-level lock because of PgBouncer; keep-alives free it when this machine dies. */
const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL tcp_keepalives_idle = 10; SET LOCAL tcp_keepalives_interval = 5; SET LOCAL tcp_keepalives_count = 3`;

/**
 * Updates the schema, the request role and its grants. Replicas wait for each other. Safe to repeat after any failure.
 */
export async function migrate(targets: ConnectionTargets, progress: Progress, signal?: AbortSignal): Promise<void> {
  const client = new pg.Client({
    connectionString: targets.directUrl,
    application_name: 'agent-platform migrations',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    ...KEEP_ALIVE,
  });
  client.on('error', () => undefined); // the running statement fails and reports it
  await client.connect();
  try {
    await client.query(BEGIN);
    await waitForTurn(client, progress, signal);
    await runMigrations(targets.directUrl, progress);
    await prepareRequestRole(targets);
    await client.query('COMMIT');
  } catch (error) {
    endInBackground(client); // a database that stopped answering would never confirm
    throw error;
  }
  await client.end();
}

async function waitForTurn(client: pg.Client, progress: Progress, signal?: AbortSignal): Promise<void> {
  for (let isAnnounced = false; ; isAnnounced = true) {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.locked) return;
    if (!isAnnounced) progress('Another replica is migrating the database; waiting for it ...');
    await setTimeout(LOCK_POLL_MS, undefined, { signal });
  }
}

async function runMigrations(url: string, progress: Progress): Promise<void> {
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    migrations: MIGRATIONS,
    migrationsTableName: 'schema_migrations',
    subscribers: [MigrationLockLimit],
    synchronize: false,
    logging: false,
    extra: { max: 2, ...KEEP_ALIVE },
  });
  await dataSource.initialize();
  try {
    const known = MIGRATIONS.length;
    if (await dataSource.showMigrations()) progress('Migrating the database ...');
    const applied = await dataSource.runMigrations({ transaction: 'each' });
    if (applied.length > 0) progress(`Applied ${applied.length} of ${known} migrations`);
    for (const { instance } of applied) for (const note of notesOf(instance)) progress(note);
  } finally {
    await dataSource.destroy();
  }
}

/** What a migration reports about existing data. */
function notesOf(migration: object | undefined): string[] {
  return migration && 'notes' in migration ? (migration.notes as string[]) : [];
}

async function prepareRequestRole(targets: ConnectionTargets): Promise<void> {
  const owner = new pg.Client({ connectionString: targets.directUrl, ...KEEP_ALIVE });
  owner.on('error', () => undefined); // the running statement fails and reports it
  await owner.connect();
  try {
    await ensureRequestRole(owner, targets.requestRole, { ownLogin: targets.requestRoleLogsIn });
    await grantRequestRole(owner, targets.requestRole);
  } finally {
    await owner.end();
  }
}
