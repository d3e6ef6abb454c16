import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { ApiAnswer } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import type { GivenUser } from '../support/given.js';
import { exampleOf, fillPath, type Operation, OPERATIONS, requiredQuery } from '../support/operations.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestApp } from '../support/test-app.js';
import { createTestDatabase, query, type TestDatabase } from '../support/test-database.js';

const NEED_DATABASE = OPERATIONS.filter(({ path }) => path !== '/health/live');

describe('while the database is away', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let app: TestApp;
  let owner: GivenUser;

  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await TcpProxy.start(database.url);
    app = await TestApp.start({ database: { ...database, url: proxy.url } });
    owner = (await app.given.organization()).owner;
  });
  beforeEach(async () => {
    await proxy.heal();
    await healed();
  });
  afterAll(async () => {
    await proxy.heal();
    await app.stop();
    await proxy.stop();
    await database.drop();
  });

  const call = (operation: Operation) => {
    const { method, path, body } = operation;
    const query = requiredQuery(operation);
    const client = path.startsWith('/api/') ? app.as(owner) : app.withBearer(null);
    const content = body === null ? undefined : (exampleOf(body) as object);
    return client.send(method.toLowerCase() as 'get', fillPath(path) + (query && `?${query}`), content);
  };
  const me = () => app.as(owner).get('/api/v0/me');
  const healed = () =>
    eventually(
      'the service works again',
      async () => (await me()).status === 200 && (await app.withBearer(null).get('/health/ready')).status === 200,
      5_000,
    );

  function expectAway({ status, headers, body }: ApiAnswer): void {
    expect({ status, title: body.title }).toEqual({ status: 503, title: 'Temporarily unavailable' });
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
  }

  it('every route that needs it answers 503 with Retry-After within two seconds', async () => {
    await proxy.refuse();

    for (const operation of NEED_DATABASE) {
      const startedAt = performance.now();
      expectAway(await call(operation));
      expect(performance.now() - startedAt).toBeLessThan(2_000);
    }
  });

  it('is alive but not ready', async () => {
    await proxy.refuse();

    expect((await app.withBearer(null).get('/health/live')).status).toBe(200);
    expectAway(await app.withBearer(null).get('/health/ready'));
  });

  it('refuses wrong credentials that need no look-up as always', async () => {
    await proxy.refuse();

    expect((await app.withBearer('apk_wrong').get('/api/v0/me')).status).toBe(401);
    expect((await app.withBearer(null).get('/api/v0/me')).status).toBe(401);
  });

  it('heals by itself within five seconds', async () => {
    await proxy.refuse();
    expectAway(await me());

    await proxy.heal();

    await healed();
  });

  it('survives connections that are cut again and again, with nothing but good answers and 503', async () => {
    const statuses = new Set<number>();
    for (let round = 0; round < 20; round++) {
      const pending = Promise.all([me(), me(), app.as(owner).get('/api/v0/api-keys')]);
      await sleep(round % 4);
      proxy.cut();
      for (const { status } of await pending) statuses.add(status);
    }

    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  });

  it('survives the end of every one of its backends under load, with nothing but good answers and 503', async () => {
    const answers: ApiAnswer[] = [];
    let isOver = false;
    const client = async () => {
      while (!isOver) answers.push(await me());
    };
    const clients = Array.from({ length: 6 }, client);
    for (let round = 0; round < 10; round++) {
      await query(
        database.url,
        `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a
          WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()`,
      );
      await sleep(100);
    }
    isOver = true;
    await Promise.all(clients);

    expect(answers.length).toBeGreaterThan(10);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    answers.filter(({ status }) => status !== 200).forEach(expectAway);
    await healed();
  });

  it('waiters get a 503 when the pool is exhausted by a lock, and everything drains after it', async () => {
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE');
    try {
      const startedAt = performance.now();
      const waiters = Array.from({ length: 15 }, () => app.as(owner).get('/api/v0/organization/users'));
      expect((await app.withBearer(null).get('/health/live')).status).toBe(200);
      expect(performance.now() - startedAt).toBeLessThan(1_000);

      (await Promise.all(waiters)).forEach(expectAway);
      expect(performance.now() - startedAt).toBeLessThan(8_000);
    } finally {
      await holder.end();
    }
    await healed();
    const { length } = await query(
      database.url,
      `SELECT 1 FROM pg_stat_activity a WHERE a.datname = current_database() AND a.state LIKE 'idle in transaction%'`,
    );
    expect(length).toBe(0);
  });

  it('a database that went silent is a 503 within the time for a statement, and heals', async () => {
    proxy.blackHole();
    const startedAt = performance.now();

    const answers = await Promise.all([me(), me(), app.withBearer(null).get('/health/ready')]);

    expect(performance.now() - startedAt).toBeLessThan(12_500);
    answers.forEach(expectAway);
    expect((await app.withBearer(null).get('/health/live')).status).toBe(200);
    await proxy.heal();
    await healed();
  }, 60_000);
});
