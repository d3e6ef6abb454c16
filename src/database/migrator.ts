import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import type { ConnectionTargets } from './connection-settings.js';
import { isConnectionFailure, sqlState } from '../common/errors/database-errors.js';
import { MIGRATIONS } from './migrations/migrations.js';
import { ensureRequestRole, grantRequestRole } from './request-role.js';

type Progress = (message: string) => void;

/** Any number, the same in every replica: whoever holds it migrates. */
const MIGRATION_LOCK = 7_081_968_344;
const MAX_WAIT_MS = 5_000;

/** Brings the schema, the request role and its grants up to date. Replicas that start together wait for each other. */
export async function migrate(targets: ConnectionTargets, progress: Progress): Promise<void> {
  const client = new pg.Client({ connectionString: targets.directUrl, application_name: 'agent-platform migrations' });
  client.on('error', () => undefined); // the statement that is running fails and tells
  await client.connect();
  try {
    // Held by a transaction, not by the session: the connection may go through PgBouncer.
    await client.query('BEGIN');
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [
      MIGRATION_LOCK,
    ]);
    if (!rows[0]?.locked) {
      progress('Another replica is migrating the database; waiting for it ...');
      await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    }
    await runMigrations(targets.directUrl, progress);
    await prepareRequestRole(targets);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

/** Waits for a database that is not up yet, with growing pauses; gives up only when `signal` says so. */
export async function waitForDatabase(url: string, progress: Progress, signal: AbortSignal): Promise<void> {
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, MAX_WAIT_MS)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      void client.end().catch(() => undefined);
      // A wrong password or a missing database does not heal by waiting.
      if (!isConnectionFailure(error) && !sqlState(error)?.startsWith('57')) throw error;
      progress(`The database does not answer yet (${(error as Error).message}); next try in ${pauseMs / 1000} s ...`);
      await setTimeout(pauseMs, undefined, { signal });
    }
  }
}

async function runMigrations(url: string, progress: Progress): Promise<void> {
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    migrations: MIGRATIONS,
    migrationsTableName: 'schema_migrations',
    synchronize: false,
    logging: false,
    extra: { max: 2 },
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

/** What a migration has to tell about the data that it found. */
function notesOf(migration: object | undefined): string[] {
  return migration && 'notes' in migration ? (migration.notes as string[]) : [];
}

async function prepareRequestRole(targets: ConnectionTargets): Promise<void> {
  const owner = new pg.Client({ connectionString: targets.directUrl });
  await owner.connect();
  try {
    await ensureRequestRole(owner, targets.requestRole, { ownLogin: targets.requestRoleLogsIn });
    await grantRequestRole(owner, targets.requestRole);
  } finally {
    await owner.end();
  }
}
