import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { ApiAnswer } from '../support/api-client.js';
import { freePort } from '../support/free-port.js';
import { Playground, type Program } from '../support/program.js';
import { RawConnection, requestBytes, sendBytes } from '../support/raw-http.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { createTestDatabase, databaseUrl, onServer, query, type TestDatabase } from '../support/test-database.js';

/** The one in `migrator.ts`. */
const MIGRATION_LOCK = 7_081_968_344;
const SECRETS_KEY = Buffer.alloc(32, 9).toString('base64');

describe('the service with a database server that is not up yet', () => {
  let place: Playground;
  let database: TestDatabase;
  let proxy: TcpProxy;
  let service: Program;
  let url: string;
  let metricsUrl: string;

  beforeAll(async () => {
    place = new Playground();
    database = await createTestDatabase();
    proxy = await TcpProxy.refusing(database.url);
    const [port, metricsPort] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${port}`;
    metricsUrl = `http://127.0.0.1:${metricsPort}`;
    service = place.service({
      PORT: `${port}`,
      METRICS_PORT: `${metricsPort}`,
      DATABASE_URL: proxy.url,
      DATABASE_APP_ROLE: database.appRole,
      SECRETS_KEY,
      REQUEST_TIMEOUT_SECONDS: '2',
    });
  });
  afterAll(async () => {
    await place.remove();
    await proxy.stop();
    await database.drop();
  });

  it('waits, says so, is alive and not ready, and becomes ready by itself', async () => {
    await service.printed(/The database does not answer yet \(.*ECONNREFUSED.*\); next try in/);
    const statuses = ['/health/live', '/health/ready', '/api/v0/me'].map(async (path) => {
      return (await fetch(url + path, { headers: { Authorization: `Bearer apk_${'0'.repeat(49)}` } })).status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 503, 401]);

    await proxy.heal();

    expect(await service.ready()).toBe(url);
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  });

  /** Sends `start` and then `drop` again and again, never to an end; returns what the service says to that. */
  async function drip(start: Uint8Array | string, drop: string): Promise<ApiAnswer> {
    const connection = new RawConnection(url);
    connection.write(start);
    const dripping = setInterval(() => connection.write(drop), 200);
    try {
      const answer = await connection.answer(8_000);
      await connection.end();
      return answer;
    } finally {
      clearInterval(dripping);
      connection.close();
    }
  }

  it('cuts off a client that sends its headers too slowly, with a 408 in the problem body', async () => {
    const answer = await drip('GET /health/live HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n');

    expect(answer).toMatchObject({ status: 408, body: { status: 408, title: 'Request timeout' } });
    expect(answer.body.requestId).toBe(answer.headers['x-request-id']);
  });

  it('cuts off a client that sends its body too slowly', async () => {
    const key = /apk_\w+/.exec(service.output)?.[0] ?? '';
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Content-Length': '500' };
    const start = requestBytes({ method: 'POST', path: '/api/v0/api-keys', headers, body: '{"name":"' });

    expect(await drip(start, 'x')).toMatchObject({ status: 408, body: { status: 408, title: 'Request timeout' } });
  });

  it('serves others meanwhile, however many slow ones there are', async () => {
    const slow = Array.from({ length: 200 }, () => new RawConnection(url));
    slow.forEach((connection) => connection.write('GET /health/live HTTP/1.1\r\nHost: x\r\nX-A:'));
    await sleep(100);

    const startedAt = performance.now();
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(1_000);

    slow.forEach((connection) => connection.close());
  });

  it('answers headers of 20 kB with a 431 in the problem body', async () => {
    const headers = { 'X-Long': 'x'.repeat(20_000) };
    const answer = await sendBytes(url, requestBytes({ method: 'GET', path: '/health/live', headers }));

    expect(answer).toMatchObject({ status: 431, body: { status: 431, title: 'Request header fields too large' } });
    expect(answer.body.requestId).toBe(answer.headers['x-request-id']);
  });

  it('serves its metrics on a port of their own and not on that of the API', async () => {
    const metrics = await fetch(`${metricsUrl}/metrics`);
    const text = await metrics.text();

    expect(metrics.status).toBe(200);
    expect(text).toMatch(/^http_request_duration_seconds_count\{[^}]*route="\/health\/ready"[^}]*\} \d+$/m);
    expect(text).toContain('process_resident_memory_bytes');
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    expect((await fetch(`${metricsUrl}/health/live`)).status).toBe(404);
  });

  it('goes on when its connections are broken off under load', async () => {
    const key = /apk_\w+/.exec(service.output)?.[0] ?? '';
    const statuses = new Set<number>();
    for (let round = 0; round < 15; round++) {
      const calls = [1, 2, 3, 4].map(() => fetch(`${url}/api/v0/me`, { headers: { Authorization: `Bearer ${key}` } }));
      await sleep(round % 5);
      proxy.cut();
      for (const { status } of await Promise.all(calls)) statuses.add(status);
    }

    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    service.signal('SIGTERM');
    expect((await service.ended()).code).toBe(0);
  });
});

describe('two services that start at once on an empty database', () => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  let place: Playground;

  beforeAll(async () => {
    place = new Playground();
    await onServer(`CREATE DATABASE ${name}`);
  });
  afterAll(async () => {
    await place.remove();
    await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
    await onServer(`DROP ROLE IF EXISTS ${name}_app`);
  });

  it('migrate it once and found one organization between them', async () => {
    const env = { DATABASE_URL: databaseUrl(name), SECRETS_KEY };
    // Held until both have come as far, so that they really are there at once.
    const lock = new pg.Client({ connectionString: databaseUrl(name) });
    await lock.connect();
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const services = [place.service(env), place.service(env)];
    await Promise.all(services.map((service) => service.printed(/Another replica is migrating the database/)));
    await lock.end();
    const urls = await Promise.all(services.map((service) => service.ready()));

    const outputs = services.map((service) => service.output);
    expect(outputs.filter((output) => /Applied \d+ of \d+ migrations/.test(output))).toHaveLength(1);
    const keys = outputs.flatMap((output) => /apk_\w+/.exec(output)?.[0] ?? []);
    expect(keys).toHaveLength(1);
    for (const url of urls) {
      const answer = await fetch(`${url}/api/v0/me`, { headers: { Authorization: `Bearer ${keys[0]}` } });
      expect(answer.status).toBe(200);
    }
    expect(await query(databaseUrl(name), 'SELECT o.name FROM organizations o')).toEqual([{ name: 'My organization' }]);
    expect(await query(databaseUrl(name), 'SELECT u.email FROM users u')).toEqual([{ email: 'owner@example.com' }]);
  });
});
