import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { OrgDatabase } from '../../src/database/org-database.js';
import { SystemDatabase } from '../../src/database/system-database.js';
import { describeWith } from '../support/describe-with.js';
import { freePort } from '../support/free-port.js';
import { TestApp } from '../support/test-app.js';
import { createTestDatabase, onServer, query, type TestDatabase } from '../support/test-database.js';

const PASSWORD = 'only-for-this-test';
const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0;

describeWith('pgbouncer', isInstalled)('behind PgBouncer in transaction mode', () => {
  let bouncer: ChildProcess;
  let directory: string;
  let database: TestDatabase;
  let login: string;
  let app: TestApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    login = `${new URL(database.url).pathname.slice(1)}_login`;
    await onServer(`CREATE ROLE ${login} LOGIN PASSWORD '${PASSWORD}'`);
    const port = await freePort();
    directory = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
    bouncer = await startBouncer(directory, port, database.url, login);
    const through = (user: string, password: string) => {
      const url = new URL(database.url);
      Object.assign(url, { host: `127.0.0.1:${port}`, username: user, password });
      return url.toString();
    };
    const owner = new URL(database.url);
    app = await TestApp.start({
      database,
      env: {
        DATABASE_URL: through(owner.username, owner.password),
        DATABASE_DIRECT_URL: database.url,
        DATABASE_APP_URL: through(login, PASSWORD),
        DATABASE_POOL_SIZE: '20',
      },
    });
  });

  afterAll(async () => {
    await app.stop();
    bouncer.kill('SIGINT');
    await database.drop();
    await onServer(`DROP ROLE ${login}`);
    await rm(directory, { recursive: true, force: true });
  });

  it('keeps organizations apart while they share two server connections', async () => {
    const orgs = await Promise.all([app.given.organization(), app.given.organization(), app.given.organization()]);
    const reads = Array.from({ length: 300 }, async (_, i) => {
      const org = orgs[i % 3] ?? orgs[0];
      const { body } = await app.as(org.owner).get('/api/v0/organization/users');
      return body.users.length === 1 && body.users[0].id === org.owner.id;
    });
    expect(new Set(await Promise.all(reads))).toEqual(new Set([true]));
  });

  it('reads and writes as the request role', async () => {
    const org = await app.given.organization();
    const created = await app
      .as(org.owner)
      .post('/api/v0/organization/users', { email: 'a@example.com', role: 'guest' });
    expect(created.status).toBe(201);

    const sessions = await query<{ usename: string }>(
      database.url,
      `SELECT DISTINCT usename FROM pg_stat_activity WHERE datname = current_database() AND usename = $1`,
      [login],
    );
    expect(sessions).toEqual([{ usename: login }]);
  });

  const LIMITS = `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
                         current_setting('idle_in_transaction_session_timeout') AS idle`;

  it('has limits on the time of statements, locks and idle transactions, in everything that is sent', async () => {
    const [org, db, system] = [await app.given.organization(), app.nest.get(OrgDatabase), app.nest.get(SystemDatabase)];
    const expected = [{ statement: '10s', lock: '5s', idle: '30s' }];
    expect(await db.read(org.id, LIMITS)).toEqual(expected);
    expect(await db.write(org.id, LIMITS)).toEqual(expected);
    expect(await db.transaction(org.id, (tx) => tx.query(LIMITS))).toEqual(expected);
    expect(await system.query(LIMITS)).toEqual(expected);
    expect(await system.transaction((tx) => tx.query(LIMITS))).toEqual(expected);
  });

  it('ends a statement in Postgres itself, and leaves the connection as it was', async () => {
    const [org, db] = [await app.given.organization(), app.nest.get(OrgDatabase)];
    const slow = Array.from({ length: 4 }, () => db.readWithin(org.id, { statementMs: 100 }, 'SELECT pg_sleep(60)'));
    for (const outcome of await Promise.allSettled(slow)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: '57014' } });
    }
    const running = `SELECT 1 FROM pg_stat_activity a WHERE a.datname = current_database() AND a.query LIKE 'SELECT pg_sleep%'
                       AND a.state = 'active'`;
    expect(await query(database.url, running)).toEqual([]);
    expect((await db.read<{ statement: string }>(org.id, LIMITS))[0]?.statement).toBe('10s');
  });
});

/** Two server connections for everybody: transactions of different callers take turns on them. */
async function startBouncer(directory: string, port: number, url: string, login: string): Promise<ChildProcess> {
  const target = new URL(url);
  const name = target.pathname.slice(1);
  await writeFile(
    join(directory, 'users.txt'),
    `"${target.username}" "${decodeURIComponent(target.password)}"\n"${login}" "${PASSWORD}"\n`,
  );
  const configuration = join(directory, 'pgbouncer.ini');
  await writeFile(
    configuration,
    `[databases]
${name} = host=${target.hostname} port=${target.port || '5432'} dbname=${name}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${join(directory, 'users.txt')}
pool_mode = transaction
default_pool_size = 2
max_client_conn = 200
${process.getuid?.() === 0 ? 'user = nobody' : ''}
`,
  );
  await chmod(directory, 0o755);
  const bouncer = spawn('pgbouncer', ['-q', configuration], { stdio: 'ignore' });
  const throughBouncer = new URL(url);
  throughBouncer.host = `127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 50; attempt++) {
    const answered = await query(throughBouncer.toString(), 'SELECT 1').catch(() => null);
    if (answered) return bouncer;
    await setTimeout(100);
  }
  throw new Error('PgBouncer did not start');
}
