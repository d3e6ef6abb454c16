import type { ApiAnswer } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import type { GivenUser } from '../support/given.js';
import { RawConnection, requestBytes, sendBytes } from '../support/raw-http.js';
import { TestApp } from '../support/test-app.js';

type Entry = Record<string, unknown>;

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('headers and logs', () => {
  const lines: string[] = [];
  let app: TestApp;
  let owner: GivenUser;

  beforeAll(async () => {
    app = await TestApp.start({ onLog: (line) => lines.push(line) });
    owner = (await app.given.organization()).owner;
  });
  afterAll(() => app.stop());

  const send = (method: string, path: string, headers: Record<string, string> = {}, body = '') =>
    sendBytes(
      app.url,
      requestBytes({ method, path, headers: { Authorization: `Bearer ${owner.key}`, ...headers }, body }),
    );

  describe.each([
    ['a good answer', 200, 'GET', '/api/v0/me', {}],
    ['a public answer', 200, 'GET', '/health/live', {}],
    ['a refused credential', 401, 'GET', '/api/v0/me', { Authorization: 'Bearer wrong' }],
    ['a bad query', 400, 'GET', '/api/v0/api-keys?limit=0', {}],
    ['an unknown route', 404, 'GET', '/unknown', {}],
    ['a path that cannot be decoded', 404, 'GET', '/api/v0/organization/users/%ff', {}],
    ['a parameter of absurd length', 404, 'GET', `/api/v0/organization/users/${'x'.repeat(600)}`, {}],
    ['a wrong method', 405, 'DELETE', '/api/v0/me', {}],
    ['a wrong content type', 415, 'POST', '/api/v0/api-keys', { 'Content-Type': 'text/plain' }],
    ['a request that is no HTTP', 400, 'FROB', '/api/v0/me', {}],
  ])('%s', (_, status, method, path, headers) => {
    it('is not cached, not sniffed, and does not say what made it', async () => {
      const answer = await send(method, path, headers, method === 'POST' ? '{}' : '');

      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
      for (const name of ['x-powered-by', 'server', 'access-control-allow-origin']) {
        expect(answer.headers).not.toHaveProperty(name);
      }
      expect(answer.headers['x-request-id']).toMatch(UUID_V7);
      if (status >= 400) expect(answer.body.requestId).toBe(answer.headers['x-request-id']);
    });
  });

  const WITHOUT_HOST = 'GET /health/live HTTP/1.1\r\nConnection: close\r\n';
  it.each([
    ['no host', '', 'The Host header is missing.'],
    ['two hosts', 'Host: a\r\nhost: b\r\n', 'The Host header is repeated.'],
    ['the same host twice', 'Host: a\r\nHost: a\r\n', 'The Host header is repeated.'],
  ])('refuses a request with %s, and logs it', async (_, hosts, detail) => {
    for (const start of [WITHOUT_HOST, WITHOUT_HOST.replace('/health/live', '/unknown')]) {
      const answer = await sendBytes(app.url, `${start}${hosts}\r\n`);
      expect(answer).toMatchObject({ status: 400, body: { status: 400, title: 'Invalid request', detail } });
      expect(await entryOf(answer)).toMatchObject({ method: 'GET', status: 400 });
    }
  });

  it('refuses a socket with two hosts', async () => {
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nHost: a\r\nHost: b\r\n';
    const { status } = await sendBytes(app.url, `GET /api/v0/computers/x/agent HTTP/1.1\r\n${upgrade}\r\n`);
    expect(status).toBe(400);
  });

  it('takes a request in HTTP/1.0 without a host', async () => {
    expect((await sendBytes(app.url, 'GET /health/live HTTP/1.0\r\n\r\n')).status).toBe(200);
    expect((await sendBytes(app.url, 'GET /health/live HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n')).status).toBe(400);
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['two lengths', 'POST /api/v0/api-keys HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ['headers without end', `GET /health/live HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ])('logs what the HTTP parser refuses: %s', async (_, bytes, status) => {
    const answer = await sendBytes(app.url, bytes);
    expect(answer.status).toBe(status);
    const entry = await entryOf(answer);
    expect(entry).toMatchObject({ status, address: '127.0.0.1', reason: expect.stringMatching(/^HPE_/) });
    expect(JSON.stringify(entry)).not.toContain('api-keys');
  });

  it.each(['Identity', 'IDENTITY', 'identity'])('takes a body in the encoding %s', async (encoding) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': encoding };
    expect((await send('POST', '/api/v0/api-keys', headers, '{"name":"ci"}')).status).toBe(201);
  });

  it('answers a preflight request like any other wrong method as long as no origin is configured', async () => {
    const headers = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'GET' };
    const { status, headers: answered } = await send('OPTIONS', '/api/v0/me', headers);

    expect(status).toBe(405);
    expect(Object.keys(answered).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('ignores a request id that a client chose', async () => {
    const { headers } = await send('GET', '/api/v0/me', { 'X-Request-Id': 'chosen-by-client' });

    expect(headers['x-request-id']).toMatch(UUID_V7);
    expect(lines.join('')).not.toContain('chosen-by-client');
  });

  it.each(['/api/v0/me', '/api/v0/api-keys?limit=0', '/unknown?a=b', '/api/v0/organization/users/%ff'])(
    'writes one line for GET %s, with the id that the client saw',
    async (path) => {
      const answer = await send('GET', path);

      expect(await entryOf(answer)).toMatchObject({ method: 'GET', path: path.split('?')[0], status: answer.status });
      expect(lines.filter((line) => line.includes(`${answer.headers['x-request-id']}`))).toHaveLength(1);
    },
  );

  it('says in the log who called', async () => {
    const entry = await entryOf(await send('GET', '/api/v0/me'));
    expect(entry).toMatchObject({ orgId: owner.orgId, userId: owner.id, address: '127.0.0.1' });
  });

  it('never writes a credential, a query string or a body into the log', async () => {
    const canary = 'CANARY7f3c2b1a';
    const json = { 'Content-Type': 'application/json' };
    const user = `{"email":"${canary}@example.com","role":"member"}`;
    const secretHeaders = { Authorization: `Basic ${canary}`, Cookie: `session=${canary}`, 'X-Custom': canary };
    const answers = [
      await send('GET', `/api/v0/me?token=${canary}`),
      await send('GET', `/api/v0/api-keys?limit=${canary}&cursor=${canary}`),
      await send('GET', '/api/v0/me', { Authorization: `Bearer ${canary}` }),
      await send('GET', '/api/v0/me', secretHeaders),
      await send('POST', '/api/v0/api-keys', json, `{"name":"${canary}"}`),
      await send('POST', '/api/v0/api-keys', { ...json, 'Idempotency-Key': canary }, `{"name":"${canary}"}`),
      await send('POST', '/api/v0/api-keys', json, `{"name":5,"${canary}":"${canary}"}`),
      await send('POST', '/api/v0/api-keys', json, `{"name":"${canary}`),
      await send('POST', '/api/v0/organization/users', json, user),
      await send('POST', '/api/v0/organization/users', json, user),
    ];
    await sendBytes(app.url, `GET /health/live HTTP/1.1\r\nHost: x\r\nX-${canary}: ${canary}\0\r\n\r\n`);
    const entries = await Promise.all(answers.map((answer) => entryOf(answer)));

    const statuses = [400, 400, 401, 401, 201, 201, 400, 400, 201, 409];
    expect(answers.map((answer) => answer.status)).toEqual(statuses);
    expect(entries.map((entry) => entry.status)).toEqual(statuses);
    expect(lines.join('')).not.toContain(canary);
    expect(lines.join('')).not.toContain(owner.key);
  });

  it('does not blame the database when a client hangs up in the middle of its body', async () => {
    const from = lines.length;
    const headers = {
      Authorization: `Bearer ${owner.key}`,
      'Content-Type': 'application/json',
      'Content-Length': '50',
    };
    const connection = new RawConnection(app.url);
    connection.write(requestBytes({ method: 'POST', path: '/api/v0/api-keys', headers, body: '{"name":' }));
    await expect(connection.answer(100)).rejects.toThrow('There was no answer');
    connection.close();
    await entryOf(await send('GET', '/api/v0/me'));

    const messages = lines.slice(from).map((line) => String((JSON.parse(line) as Entry).msg));
    expect(messages.filter((message) => message !== 'request')).toEqual([]);
  });

  /** The line of a request: written when the answer has gone out, a moment after the client has it. */
  function entryOf(answer: ApiAnswer): Promise<Entry> {
    const id = answer.headers['x-request-id'];
    return eventually(`there is a line for the request ${id}`, () =>
      lines.map((line) => JSON.parse(line) as Entry).find((entry) => entry.msg === 'request' && entry.requestId === id),
    );
  }
});

describe('behind a trusted proxy, with an origin for browsers', () => {
  const lines: string[] = [];
  let app: TestApp;

  beforeAll(async () => {
    const env = {
      TRUST_PROXY: 'loopback',
      CORS_ORIGINS: 'https://app.example.com',
      PUBLIC_URL: 'https://api.example.com',
    };
    app = await TestApp.start({ env, onLog: (line) => lines.push(line) });
  });
  afterAll(() => app.stop());

  const get = (headers: Record<string, string>, method = 'GET') =>
    sendBytes(app.url, requestBytes({ method, path: '/health/live', headers }));

  it('uses the request id of the proxy when it can stand in logs and headers', async () => {
    expect((await get({ 'X-Request-Id': 'edge-1.2_3' })).headers['x-request-id']).toBe('edge-1.2_3');
  });

  it.each(['', 'a b', 'a"b', '<script>', 'x'.repeat(129), '\u00e9'])('makes its own id instead of %j', async (id) => {
    expect((await get({ 'X-Request-Id': id })).headers['x-request-id']).toMatch(UUID_V7);
  });

  it('logs the address that the proxy saw', async () => {
    const { headers } = await get({ 'X-Forwarded-For': '203.0.113.7', 'X-Request-Id': 'edge-2' });
    expect(headers['x-request-id']).toBe('edge-2');
    const line = await eventually('the request is logged', () => lines.find((entry) => entry.includes('edge-2')));
    expect(line).toContain('"address":"203.0.113.7"');
  });

  it('promises HTTPS to browsers when it is reached over HTTPS', async () => {
    expect((await get({})).headers['strict-transport-security']).toMatch(/^max-age=\d+/);
  });

  it('lets exactly the configured origin read answers', async () => {
    const { headers } = await get({ Origin: 'https://app.example.com' });
    expect(headers).toMatchObject({ 'access-control-allow-origin': 'https://app.example.com', vary: 'Origin' });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it.each([
    'https://app.example.com.evil.example',
    'http://app.example.com',
    'https://APP.example.com:444',
    'https://evil.example',
    'null',
  ])('does not let %s read anything', async (origin) => {
    expect((await get({ Origin: origin })).headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('answers the preflight request of that origin without a credential', async () => {
    const headers = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'PATCH' };
    const { status, headers: answered } = await get(headers, 'OPTIONS');

    expect(status).toBe(204);
    expect(answered['access-control-allow-methods']).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
    expect(answered['access-control-allow-headers']).toContain('Authorization');
  });
});
