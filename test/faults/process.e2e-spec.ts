import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { eventually } from '../support/eventually.js';
import { Playground, type Program } from '../support/program.js';

describe('the service as a process with its own database', () => {
  let place: Playground;
  let service: Program;
  let url: string;
  let key: string;

  beforeAll(async () => {
    place = new Playground();
    service = place.service();
    url = await service.ready();
    key = /apk_\w+/.exec(service.output)?.[0] ?? '';
  });
  afterAll(() => place.remove());

  const me = () => fetch(`${url}/api/v0/me`, { headers: { Authorization: `Bearer ${key}` } });
  const restart = async () => {
    service = place.service();
    url = await service.ready(10_000);
  };

  /** A request that waits for a lock, so that it is under way until the lock is given up. */
  async function givenRequestUnderWay(): Promise<{ answer: Promise<Response>; lock: pg.Client }> {
    const lock = await place.connect();
    await lock.query('BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE');
    const answer = me();
    answer.catch(() => undefined);
    const waiting = `SELECT 1 FROM pg_stat_activity a WHERE a.wait_event_type = 'Lock' AND a.application_name = 'agent-platform'`;
    const observer = await place.connect(); // inside a transaction, pg_stat_activity does not change
    await eventually('the request waits for the lock', async () => (await observer.query(waiting)).rowCount !== 0);
    await observer.end();
    return { answer, lock };
  }

  it('shows a key and a command to try it, and both work', async () => {
    const [, shown, address = ''] = /curl -H "Authorization: Bearer (apk_\w+)" (\S+)/.exec(service.output) ?? [];
    expect(shown).toBe(key);
    expect(service.output.split(key)).toHaveLength(4); // alone, and in each of the two commands to try
    expect(address).toBe(`${url}/api/v0/me`);

    const answer = await me();

    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ user: { email: 'owner@example.com' }, role: 'owner' });
  });

  it('says what it does while it starts', () => {
    expect(service.output).toMatch(/Creating the database[^]*Starting Postgres[^]*Migrating the database[^]*is ready/);
  });

  it('says at a later start how to get another key', async () => {
    service.signal('SIGTERM');
    await service.ended();
    await restart();

    expect(service.output).toContain('npm run cli -- key create --email');
    expect(service.output).not.toMatch(/apk_/);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s finishes what is under way, stops its database and exits with 0',
    async (signal) => {
      const { answer, lock } = await givenRequestUnderWay();
      service.signal(signal);
      await service.printed(/Stopping: finishing the requests/);
      // Long enough for whatever is done once at the beginning of a stop to be over.
      await expect(Promise.race([answer, sleep(500, 'under way')])).resolves.toBe('under way');
      await lock.end();

      expect((await answer).status).toBe(200);
      expect(await service.ended()).toMatchObject({ code: 0, output: expect.stringContaining('Stopped.') as string });
      expect(place.isDatabaseRunning()).toBe(false);
      expect(place.databaseLog.trimEnd()).toMatch(/database system is shut down$/);

      await restart();
    },
  );

  it('has kept its data after a restart, shows no key again and needed no recovery', async () => {
    expect((await me()).status).toBe(200);
    expect(service.output).not.toMatch(/apk_|curl/);
    expect(place.databaseLog).not.toMatch(/recovery|not properly shut down/);
  });

  it('comes up within ten seconds after kill -9, with its data', async () => {
    service.signal('SIGKILL');
    await service.ended();

    await restart();

    expect((await me()).status).toBe(200);
  });

  it('comes up within ten seconds when its database was killed as well', async () => {
    const database = await place.connect();
    const { rows } = await database.query<{ pid: string }>(
      `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
    );
    service.signal('SIGKILL');
    process.kill(Number(rows[0]?.pid), 'SIGKILL');
    await service.ended();

    await restart();

    expect((await me()).status).toBe(200);
  });

  it('cuts off what is under way on a later second signal, stops its database in order and exits with 0', async () => {
    const { answer, lock } = await givenRequestUnderWay();
    service.signal('SIGTERM');
    await service.printed(/Stopping: finishing the requests/);
    await sleep(1_100); // two signals that lie closer together are taken for one
    service.signal('SIGTERM');

    expect((await service.ended()).code).toBe(0);
    await expect(answer).rejects.toThrow('fetch failed');
    expect(place.databaseLog.trimEnd()).toMatch(/database system is shut down$/);
    await lock.end().catch(() => undefined);
  });

  it('says what nobody has caught, stops its database in order and exits with 1', async () => {
    service.signal('SIGTERM');
    await service.ended();
    const mistake = `process.on('SIGUSR2',()=>Promise.reject(new/**/Error('uncaught')))`;
    service = place.service({ NODE_OPTIONS: `--import=data:text/javascript,${mistake}` });
    await service.ready();
    process.kill(service.pid ?? 0, 'SIGUSR2');

    const { code, output } = await service.ended();

    expect(code).toBe(1);
    expect(output).toMatch(/"level":"fatal".*uncaught/);
    expect(place.databaseLog.trimEnd()).toMatch(/database system is shut down$/);
  });
});

describe('the service that cannot start', () => {
  let place: Playground;

  beforeAll(() => {
    place = new Playground();
  });
  afterAll(() => place.remove());

  it('prints every problem with its configuration and exits with 1', async () => {
    const { code, output } = await place
      .service({ PORT: 'x', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://a:canary@b/c' })
      .ended();

    expect(code).toBe(1);
    expect(output).toMatch(/The configuration is not usable:\n( {2}- (DATABASE_URL|PORT|LOG_LEVEL) must be .*\n){3}\n/);
    expect(output).not.toMatch(/canary|node:internal|\n {4}at /);
  });

  it.each(['PORT', 'METRICS_PORT'])(
    'says that its %s is taken, exits with 1 and leaves no database behind',
    async (name) => {
      const other = createServer();
      const port = await new Promise<number>((done) => {
        other.listen(0, '127.0.0.1', () => done((other.address() as { port: number }).port));
      });

      const { code, output } = await place.service({ [name]: `${port}` }).ended();

      expect(code).toBe(1);
      expect(output.match(/EADDRINUSE/g)).toHaveLength(1);
      expect(output).toContain(`Port ${port} of 127.0.0.1 is in use`);
      expect(output).toContain(`${name}=${port + 1} npm start`);
      expect(output).not.toMatch(/\n {4}at /);
      expect(place.isDatabaseRunning()).toBe(false);
      other.close();
    },
  );
});
