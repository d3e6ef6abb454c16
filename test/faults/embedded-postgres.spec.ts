import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { databaseUserFor } from '../../src/embedded-postgres/database-user.js';
import { EmbeddedPostgres, type EmbeddedPostgresOptions } from '../../src/embedded-postgres/embedded-postgres.js';
import { installedPackageDir, usableBinaries } from '../../src/embedded-postgres/postgres-binaries.js';

const itAsRoot = process.getuid?.() === 0 ? it : it.skip;

describe('embedded Postgres', () => {
  const open: EmbeddedPostgres[] = [];
  const children: ChildProcess[] = [];
  let scratch: string;
  /** Every test finds it as a clean stop leaves it, with a note in its database. */
  let dataDir: string;
  let progress: string[];

  const options = (directory = dataDir): EmbeddedPostgresOptions => ({
    dataDir: directory,
    settings: { fsync: 'off' },
    onProgress: (message) => progress.push(message),
    inUseWaitMs: 1_500,
  });
  const start = async (directory?: string) => remember(await EmbeddedPostgres.start(options(directory)));
  const startOrJoin = async () => remember(await EmbeddedPostgres.startOrJoin(options()));
  const log = () => fs.readFileSync(join(dataDir, 'postgres.log'), 'utf8');
  const remember = (postgres: EmbeddedPostgres) => {
    open.push(postgres);
    return postgres;
  };

  /** A process of its own that owns the database, in a process group of its own. */
  function givenOwner(directory = dataDir): ChildProcess {
    const args = ['.test-build/test/support/own-database.js', directory];
    const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    children.push(child);
    return child;
  }

  beforeAll(async () => {
    scratch = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'embedded-postgres-')));
    fs.chmodSync(scratch, 0o755);
    dataDir = join(scratch, 'project', '.data');
    progress = [];
    const postgres = await EmbeddedPostgres.start(options());
    await query(postgres.url, `CREATE TABLE notes (body text)`);
    await query(postgres.url, `INSERT INTO notes VALUES ('kept')`);
    await postgres.stop();
  });

  beforeEach(() => {
    progress = [];
  });

  afterEach(async () => {
    for (const child of children.splice(0)) killGroup(child);
    for (const postgres of open.splice(0).reverse()) await postgres.stop();
  });

  afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

  describe('started a second time', () => {
    let postgres: EmbeddedPostgres;
    let reported: string[];

    beforeAll(async () => {
      postgres = await EmbeddedPostgres.start(options());
      reported = progress;
    });
    afterAll(() => postgres.stop());

    it('has kept the data', async () => {
      expect(await query(postgres.url, 'SELECT n.body FROM notes n')).toEqual([{ body: 'kept' }]);
      expect(reported.at(-1)).toBe('Starting Postgres 18 ...');
    });

    it('sorts by code point, knows letters beyond ASCII, keeps checksums and speaks UTC', async () => {
      const [row] = await query(
        postgres.url,
        `SELECT 'Z' < 'a' AS code_point, upper('é') AS letter, current_setting('data_checksums') AS checksums,
                current_setting('timezone') AS zone, current_setting('listen_addresses') AS address`,
      );
      expect(row).toEqual({ code_point: true, letter: 'É', checksums: 'on', zone: 'UTC', address: '127.0.0.1' });
    });

    it('refuses a wrong password', async () => {
      const wrong = postgres.url.replace(/:[^:@]+@/, ':wrong@');

      await expect(query(wrong, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    });

    it('shows the password in no command line and no log', () => {
      const { password } = new URL(postgres.url);
      const commands = execFileSync('ps', ['-ww', '-A', '-o', 'args='], { encoding: 'utf8' });

      expect(commands).toContain(postgres.dataDir);
      expect(commands + log()).not.toContain(password);
    });
  });

  it('starts over the pid file of a process that is dead', async () => {
    const dead = execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }).trim();
    writePidFile(dataDir, Number(dead));

    expect((await start()).owned).toBe(true);
  });

  it('starts over a pid file whose pid now belongs to another program', async () => {
    writePidFile(dataDir, process.pid);

    expect((await start()).owned).toBe(true);
  });

  it('starts over a pid file whose pid now belongs to the Postgres of another directory', async () => {
    const copy = join(scratch, 'copy');
    execFileSync('cp', ['-a', dataDir, copy]);
    const other = await start(copy);
    writePidFile(dataDir, postmasterPid(copy));

    const postgres = await start();

    expect(postgres.url).not.toBe(other.url);
    expect(await query(other.url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
  });

  it('takes over the server that a killed owner left running', async () => {
    const owner = givenOwner();
    const url = await firstLine(owner);
    await kill(owner);

    const postgres = await start();

    expect(postgres).toMatchObject({ url, owned: true });
    expect(progress).toEqual(['Taking over the Postgres that an earlier run left running.']);
    await postgres.stop();
    await expect(query(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('recovers when the server was killed and a backend of it still runs', async () => {
    const owner = givenOwner();
    const busy = new pg.Client(await firstLine(owner));
    busy.on('error', () => undefined);
    await busy.connect();
    await busy.query(`INSERT INTO notes VALUES ('committed')`);
    const { rows } = await busy.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const backend = rows[0]?.pid ?? 0;
    process.kill(backend, 'SIGSTOP');
    await kill(owner);
    process.kill(postmasterPid(dataDir), 'SIGKILL');

    const starting = start();
    await sleep(600);
    process.kill(backend, 'SIGKILL');

    const { url } = await starting;
    expect(await query(url, 'SELECT n.body FROM notes n')).toEqual([{ body: 'kept' }, { body: 'committed' }]);
    expect(log()).toContain('pre-existing shared memory block');
  });

  it('creates the database anew when the first start was killed half way', async () => {
    const fresh = join(scratch, 'interrupted');
    const first = givenOwner(fresh);
    while (!unfinished(fresh).some((name) => fs.existsSync(join(fresh, name, 'base')))) await sleep(10);
    await kill(first);
    expect(fs.existsSync(join(fresh, 'postgres'))).toBe(false);

    const postgres = await start(fresh);

    expect(await query(postgres.url, 'SELECT current_database() AS name')).toEqual([{ name: 'agent_platform' }]);
    expect(progress).toEqual(['Creating the database (first start) ...', 'Starting Postgres 18 ...']);
    expect(unfinished(fresh)).toEqual([]);
  });

  it('refuses to start while another owner lives', async () => {
    await start();

    await expect(start()).rejects.toThrow(
      `Another process is already running this database (${dataDir}). Stop it, or set DATA_DIR or DATABASE_URL.`,
    );
    expect(progress).toContain('Waiting for another process that uses this database ...');
  });

  it('joins a server that another owner runs, and leaves it running', async () => {
    const owner = await start();

    const joined = await startOrJoin();
    await joined.stop();

    expect(joined).toMatchObject({ url: owner.url, owned: false });
    expect(await query(owner.url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
  });

  it('starts the server itself when there is none to join', async () => {
    const postgres = await startOrJoin();

    expect(postgres.owned).toBe(true);
  });

  it('waits for an owner that is about to stop', async () => {
    const owner = await start();
    const next = start();
    await sleep(300);
    await owner.stop();

    expect((await next).owned).toBe(true);
    expect(await query((await next).url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
  });

  it('makes one of two that start at once the owner', async () => {
    const both = await Promise.all([startOrJoin(), startOrJoin()]);

    expect(both.map((postgres) => postgres.owned).sort()).toEqual([false, true]);
    expect(both[0].url).toBe(both[1].url);
  });

  it('stays the owner when the server drops every connection', async () => {
    const { url } = await start();
    await query(url, 'SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.pid <> pg_backend_pid()');
    await sleep(1_000);

    expect((await startOrJoin()).owned).toBe(false);
  });

  it('stops cleanly, so that the next start has nothing to recover', async () => {
    const postgres = await start();
    await postgres.stop();
    await postgres.stop();
    const before = log();

    await start();

    const added = log().slice(before.length);
    expect(added).toContain('database system was shut down at');
    expect(added).not.toMatch(/not properly shut down|recovery/);
  });

  it('says which file to look at when the server does not start', async () => {
    const attempt = EmbeddedPostgres.start({ ...options(), settings: { max_connections: 'many' } });

    await expect(attempt).rejects.toThrow(/postgres\.log[^]*invalid value for parameter "max_connections"/);
  });

  itAsRoot(
    'puts the data where the database user can reach it when started by root below a private directory',
    async () => {
      const project = fs.mkdtempSync(join(scratch, 'private-'));
      const requested = join(project, '.data');
      const first = await start(requested);
      await query(first.url, 'CREATE TABLE proof ()');
      await first.stop();

      const second = await start(requested);

      try {
        expect(second.dataDir).toMatch(new RegExp(`^/var/lib/agent-platform/${basename(project)}-[0-9a-f]{8}$`));
        expect(progress[0]).toBe(
          `The database is in ${second.dataDir}: the user who runs Postgres cannot reach ${requested}.`,
        );
        expect(await query(second.url, 'SELECT * FROM proof')).toEqual([]);
      } finally {
        await second.stop();
        fs.rmSync(second.dataDir, { recursive: true });
      }
    },
  );

  it('recreates library links that the blocked install script did not make', async () => {
    const packageDir = givenPackageWithoutLinks(scratch);

    const binaries = await usableBinaries({ ...binariesRequest(), packageDir });

    expect(binaries).toEqual({ directory: join(packageDir, 'native/bin'), majorVersion: '18' });
  });

  itAsRoot('copies the binaries once when the database user cannot reach the package', async () => {
    const packageDir = givenPackageWithoutLinks(fs.mkdtempSync(join(scratch, 'private-')));

    const first = await usableBinaries({ ...binariesRequest(), packageDir });
    const second = await usableBinaries({ ...binariesRequest(), packageDir });

    expect(first.directory).toMatch(new RegExp(`^${scratch}/copies/postgres-18[^/]*-${process.arch}/bin$`));
    expect(second).toEqual(first);
    expect(progress).toHaveLength(1);
    expect(fs.readdirSync(join(scratch, 'copies'))).toHaveLength(1);
  });

  function binariesRequest() {
    const onProgress = (message: string) => progress.push(message);
    return { user: databaseUserFor('/nowhere'), copiesDir: join(scratch, 'copies'), onProgress };
  }
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function writePidFile(dataDir: string, pid: number): void {
  const cluster = join(dataDir, 'postgres');
  fs.writeFileSync(join(cluster, 'postmaster.pid'), `${pid}\n${cluster}\n1794700000\n54329\n\n127.0.0.1\n`);
}

function postmasterPid(dataDir: string): number {
  return Number.parseInt(fs.readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

function unfinished(dataDir: string): string[] {
  return fs.existsSync(dataDir) ? fs.readdirSync(dataDir).filter((name) => name.startsWith('postgres.new')) : [];
}

/** As npm leaves it when it does not run install scripts. */
function givenPackageWithoutLinks(parent: string): string {
  const packageDir = join(parent, 'package');
  fs.cpSync(installedPackageDir(), packageDir, { recursive: true, verbatimSymlinks: true });
  const list = fs.readFileSync(join(packageDir, 'native/pg-symlinks.json'), 'utf8');
  for (const { target } of JSON.parse(list) as { target: string }[]) fs.unlinkSync(join(packageDir, target));
  return packageDir;
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (data: Buffer) => resolve(data.toString().trim()));
    child.once('exit', (code) => reject(new Error(`the owner ended with ${code}`)));
  });
}

function kill(child: ChildProcess): Promise<unknown> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  killGroup(child);
  return ended;
}

function killGroup(child: ChildProcess): void {
  if (child.pid && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
}
