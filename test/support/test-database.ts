import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  readonly url: string;
  readonly appRole: string;
  readonly drop: () => Promise<void>;
}

/** A copy of the migrated template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${required('TEST_TEMPLATE_DATABASE')} STRATEGY file_copy`);
  return {
    url: databaseUrl(name),
    appRole: required('TEST_APP_ROLE'),
    drop: async () => {
      await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** As the owner, without row-level security. */
export async function query<Row extends object>(url: string, sql: string, parameters: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql, parameters)).rows;
  } finally {
    await client.end();
  }
}

/** As administrator. */
export function serverUrl(): string {
  return required('TEST_SERVER_URL');
}

export function databaseUrl(name: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.toString();
}

export async function onServer(sql: string): Promise<void> {
  await query(serverUrl(), sql);
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is set by the global set-up of the test run`);
  return value;
}
