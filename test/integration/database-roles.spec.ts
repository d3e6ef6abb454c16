import { randomBytes } from 'node:crypto';
import { AppConfig } from '../../src/config/app-config.js';
import { connectionTargets } from '../../src/database/connection-settings.js';
import { migrate } from '../../src/database/migrator.js';
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
});
