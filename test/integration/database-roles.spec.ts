import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { AppConfig } from '../../src/config/app-config.js';
import { connectionTargets } from '../../src/database/connection-settings.js';
import { migrate } from '../../src/database/migrator.js';
import { eventually } from '../support/eventually.js';
import { databaseUrl, onServer, query } from '../support/test-database.js';
import { TestApp } from '../support/test-app.js';

const PASSWORD = 'only-for-this-test';

/** A database with an owner who is not a superuser. */
class OwnedDatabase {
  readonly name = `owned_${randomBytes(6).toString('hex')}`;
  readonly owner = `${this.name}_owner`;
  readonly appRole = `${this.name}_app`;
  readonly url = this.urlFor(this.owner);

  static async create(attributes: string): Promise<OwnedDatabase> {
    const database = new OwnedDatabase();
    await onServer(`CREATE ROLE ${database.owner} LOGIN NOSUPERUSER ${attributes} PASSWORD '${PASSWORD}'`);
    await onServer(`CREATE DATABASE ${database.name} OWNER ${database.owner}`);
    return database;
  }

  urlFor(role: string): string {
    const url = new URL(databaseUrl(this.name));
    url.username = role;
    url.password = PASSWORD;
    return url.toString();
  }

  migrate(): Promise<void> {
    const config = AppConfig.fromEnv({ DATABASE_URL: this.url, SECRETS_KEY: '0'.repeat(64) }).database;
    return migrate(connectionTargets(config, this.url), () => undefined);
  }

  /** A service that starts; what it says meanwhile comes in `progress`. */
  start(progress: string[]): Promise<TestApp> {
    const database = { url: this.url, appRole: this.appRole, drop: () => Promise.resolve() };
    return TestApp.start({ database, onProgress: (message) => progress.push(message) });
  }

  async expectWorkingService(env: Record<string, string> = {}): Promise<void> {
    const database = { url: this.url, appRole: this.appRole, drop: () => Promise.resolve() };
    const app = await TestApp.start({ database, env });
    try {
      const org = await app.given.organization();
      await app.given.organization();
      expect((await app.as(org.owner).get('/api/v0/organization/users')).body.users).toHaveLength(1);
      expect((await app.as(org.owner).post('/api/v0/api-keys', { name: 'x' })).status).toBe(201);
    } finally {
      await app.stop();
    }
  }

  async drop(): Promise<void> {
    await onServer(`DROP DATABASE ${this.name} WITH (FORCE)`);
    await onServer(`DROP ROLE IF EXISTS ${this.appRole}`);
    await onServer(`DROP ROLE ${this.owner}`);
  }
}

describe('a database owner who is not a superuser', () => {
  let database: OwnedDatabase;
  afterEach(() => database.drop());

  it('creates the request role when it may create roles', async () => {
    database = await OwnedDatabase.create('CREATEROLE');
    await database.expectWorkingService();
  });

  it('is told which statements an administrator has to run when it may not', async () => {
    database = await OwnedDatabase.create('NOCREATEROLE');
    const refused = await database.migrate().then(
      () => null,
      (error: unknown) => error as Error & { sql: string[] },
    );

    expect(refused?.message).toContain('Let an administrator of the database run');
    expect(refused?.sql).toEqual([
      `CREATE ROLE "${database.appRole}" NOLOGIN;`,
      `GRANT "${database.appRole}" TO "${database.owner}";`,
    ]);

    for (const statement of refused?.sql ?? []) await onServer(statement);
    await database.expectWorkingService();
  });

  it('works with a request role that logs in itself', async () => {
    database = await OwnedDatabase.create('NOCREATEROLE');
    await onServer(`CREATE ROLE ${database.appRole} LOGIN PASSWORD '${PASSWORD}'`);
    await database.expectWorkingService({ DATABASE_APP_URL: database.urlFor(database.appRole) });
  });
});

describe('migrations', () => {
  let database: OwnedDatabase;
  afterEach(() => database.drop());

  it('run once when several replicas start together', async () => {
    database = await OwnedDatabase.create('CREATEROLE');
    await Promise.all([1, 2, 3, 4].map(() => database.migrate()));

    const applied = await query<{ name: string }>(database.url, 'SELECT name FROM schema_migrations');
    expect(applied.map(({ name }) => name)).toEqual([...new Set(applied.map(({ name }) => name))]);
    expect(applied.length).toBeGreaterThan(0);
  });

  it('wait for a lock for two seconds at most, and are tried again', async () => {
    database = await OwnedDatabase.create('CREATEROLE');
    await database.migrate();
    const pending = 'StatisticsOfSessions1768953600000';
    await query(database.url, `DELETE FROM schema_migrations m WHERE m.name = $1`, [pending]);
    await query(database.url, `DROP STATISTICS messages_of_session, turns_of_session, session_events_of_session`);
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query(`BEGIN; LOCK TABLE turns IN SHARE UPDATE EXCLUSIVE MODE`);

    const progress: string[] = [];
    const app = database.start(progress);
    await eventually('it gives up for the moment', () => progress.some((line) => /in use.*lock timeout/.test(line)));
    const waiting = `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                      WHERE NOT l.granted AND d.datname = current_database()`;
    await eventually('nobody waits for a lock', async () => (await query(database.url, waiting)).length === 0);
    await holder.end();

    await (await app).stop();
    expect(progress).toContainEqual(expect.stringMatching(/Applied 1 of \d+ migrations/));
  });
});

describe('a start while the server has no connection left', () => {
  let database: OwnedDatabase;
  afterEach(() => database.drop());

  it.each([
    ['none', 0],
    ['one, which is not enough', 4],
  ])('waits as for a database that is not ready: %s', async (_, limit) => {
    database = await OwnedDatabase.create(`CREATEROLE CONNECTION LIMIT ${limit}`);
    const taken = await Promise.all(Array.from({ length: Math.max(limit - 1, 0) }, () => connected(database.url)));
    const progress: string[] = [];
    const app = database.start(progress);
    await eventually('it says so', () =>
      progress.some((line) => /no connection left \(.*too many connections/.test(line)),
    );
    await Promise.all(taken.map((client) => client.end()));
    await onServer(`ALTER ROLE ${database.owner} CONNECTION LIMIT -1`);

    await (await app).stop();
  });
});

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
