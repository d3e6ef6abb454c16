import { SourceCounts } from '../../src/modules/telemetry/sources/source-counts.js';
import { givenReport } from '../support/given-report.js';
import type { GivenUser } from '../support/given.js';
import { everyNth } from '../support/long.js';
import { fillPath, type Operation, OPERATIONS, requiredQuery } from '../support/operations.js';
import { otlpSample, replaced } from '../support/otlp-requests.js';
import { requestBytes, sendBytes, sendRaw } from '../support/raw-http.js';
import { anEvent, givenEvents } from '../support/given-events.js';
import { TestApp } from '../support/test-app.js';

const LISTS = OPERATIONS.filter(
  ({ method, parameters }) => method === 'GET' && parameters.some((p) => p.name === 'limit'),
);
/** The largest page: as a string, `limit` has no maximum in the document. */
const maxLimit = ({ parameters }: Operation) => parameters.find((p) => p.name === 'limit')?.schema.maximum ?? 100;
const OTHER_GETS = OPERATIONS.filter((operation) => operation.method === 'GET' && !LISTS.includes(operation));
const WITH_ID = OPERATIONS.filter(({ path }) => /\{\w*[iI]d\}/.test(path));
const titled = (operations: Operation[]) =>
  operations.map((o, turn): [string, Operation, number] => [`${o.method} ${o.path}`, o, turn]);
/** Long values are shortened in the names of tests. */
const labelled = (values: string[]) => values.map((value): [string, string] => [value.slice(0, 60), value]);
const PATHS = [...new Set(OPERATIONS.map(({ path }) => path))];

const BAD_LIMITS = [
  ...['0', '-1', '1.5', '5.0', '1e2', '0x10', '%205', '5%20', '+5', '5abc', '%2B5', '05', '', 'null', 'NaN'],
  ...['Infinity', '%D9%A5', '%EF%BC%95', '12345678901234567890', '5%0A', '5,6', '%00', '5%00', '%ff', '%', '5%', '%zz'],
].map((value) => `limit=${value}`);
const BAD_QUERIES = [
  ...BAD_LIMITS,
  ...['limit', 'limit=1&limit=2', 'limit=5&limit=5', 'limit[]=5', 'limit%5B%5D=5', 'limit[a]=5', 'LIMIT=5', 'Limit=5'],
  ...[
    'unknown=1',
    'unknown',
    'limit=5&unknown=1',
    '&',
    '=',
    'limit=5;cursor=x',
    'a%00=1',
    '%ff=1',
    '%=1',
    '__proto__=1',
  ],
  ...['constructor=1', 'toString=1', 'hasOwnProperty=1', '__defineGetter__=1', 'access_token=x', '_method=DELETE'],
  ...['startAfter=', 'startAfter=x', 'startAfter=%00', 'startAfter=01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e'],
  ...['repoId=', 'repoId=%00', 'repoId=x', 'repoId=a/b/c&repoId=a/b/c', 'repoId[]=a/b/c'],
  ...['cursor=', 'cursor=x', 'cursor=%00', 'cursor=a.b', 'cursor=a.b.c', `cursor=${'x'.repeat(1001)}`, 'cursor[]=x'],
];
const BAD_IDS = [
  ...[
    '1',
    'null',
    'undefined',
    'NaN',
    '-',
    '*',
    '%2A',
    "'",
    '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4',
    '%7B%7D',
    '%F0%9F%98%80',
  ],
  ...[
    '%00',
    '01980f5e-3a77-7a3b-9d0e-0a4f3b1c2d4e%00',
    '%ff',
    '%c0%80',
    '%ed%a0%80',
    '%',
    '%2',
    '%zz',
    'x'.repeat(10_000),
  ],
  ...['%2e%2e', '..%2f..%2fetc%2fpasswd', '..%5c', '%0d%0aSet-Cookie:%20a=b', "1'%20OR%20'1'='1", '__proto__', '0%20'],
];

describe('hostile queries and paths', () => {
  let app: TestApp;
  let owner: GivenUser;
  let pathValues: Record<string, string>;

  beforeAll(async () => {
    app = await TestApp.start({ env: { RATE_LIMIT_PER_MINUTE: '100000' } });
    const org = await app.given.organization();
    owner = org.owner;
    const client = app.as(owner);
    const { body: computer } = await client.post('/api/v0/computers', { name: 'build-server' });
    for (let i = 0; i < 3; i++) {
      const { id: userId } = await app.given.user(org);
      const at = '2026-10-10T12:00:00.000Z';
      const call = { modelId: `model-${i}`, inputTokens: 10, outputTokens: 1 };
      await givenEvents(app, owner, [
        anEvent('git_commit', { userId, at }),
        anEvent('model_call', { userId, at, ...call }),
      ]);
      await client.put('/api/v0/organization/enterprise-controls', {});
      await client.post('/api/v0/organization/teams', { name: `Team ${i}` });
      const { body: session } = await client.post('/api/v0/sessions', { computerId: computer.id });
      pathValues = { sessionId: session.sessionId, criterion: 'lint_config' };
    }
    for (let i = 0; i < 3; i++) {
      await client.post(fillPath('/api/v0/sessions/{sessionId}/messages', pathValues), { text: 'A flaky login' });
      await givenReport(app, owner);
      await client.post('/api/otlp/v1/logs', replaced(otlpSample('codex-logs'), '0.166.0', `0.166.${i}`));
    }
    await app.nest.get(SourceCounts).flush();
    await givenReport(app, owner, { repoUrl: 'https://github.com/acme/blog' });
    await client.put('/api/v0/organization/settings', { sessionContentAccess: 'owners' });
  });
  afterAll(() => app.stop());

  const authorization = () => ({ Authorization: `Bearer ${owner.key}` });
  const send = (method: string, path: string) => sendRaw(app.url, { method, path, headers: authorization() });

  it('there are lists, other reads and paths with ids', () => {
    expect([LISTS.length, OTHER_GETS.length, WITH_ID.length].every((count) => count > 1)).toBe(true);
  });

  describe.each(titled(LISTS))('%s', (_, operation, turn) => {
    const get = (query: string) => {
      const whole = [requiredQuery(operation), query].filter((part) => part !== '').join('&');
      return send('GET', `${fillPath(operation.path, pathValues)}?${whole}`);
    };
    const max = maxLimit(operation);

    it.each(labelled([...everyNth(5, BAD_QUERIES, turn), `limit=${max + 1}`]))('refuses ?%s', async (__, query) => {
      const { status, body } = await get(query);

      expect({ status, title: body.title }).toEqual({ status: 400, title: 'Invalid request' });
    });

    it.each(['limit=1', `limit=${max}`, 'limit=%31', ''])('takes ?%s', async (query) => {
      expect((await get(query)).status).toBe(200);
    });

    it(`gives one entry with limit=1, and everything with limit=${max}`, async () => {
      const entries = (body: Record<string, unknown>) => Object.values(body).find(Array.isArray) as unknown[];
      const { body: first } = await get('limit=1');
      const { body: all } = await get(`limit=${max}`);

      expect(entries(first)).toEqual(entries(all).slice(0, 1));
      expect(entries(all).length).toBeGreaterThan(1);
      // Readiness reports say nothing about the next page.
      if (operation.path.startsWith('/api/v0/')) {
        expect([first.pagination.hasMore, all.pagination]).toEqual([true, { hasMore: false }]);
      }
    });

    it('names the parameter that is wrong', async () => {
      const { body } = await get('limit=0&unknown=1');
      expect(body.errors).toEqual(
        expect.arrayContaining([
          { field: 'limit', message: `must be a whole number from 1 to ${max}` },
          { field: 'unknown', message: 'is not a known field' },
        ]),
      );
    });
  });

  describe.each(titled(OTHER_GETS.filter(({ path }) => path.startsWith('/api/'))))('%s', (_, { path }) => {
    it.each(['unknown=1', 'limit=5', '__proto__=1', 'toString=1', 'a=%00', 'a=%ff', 'a=%', '&'])(
      'takes no parameters, so it refuses ?%s',
      async (query) => {
        expect([400, 404]).toContain((await send('GET', `${fillPath(path)}?${query}`)).status);
        expect((await send('GET', `${fillPath(path, { userId: owner.id })}?${query}`)).status).toBe(400);
      },
    );

    it('takes no body', async () => {
      const get = { method: 'GET', path: fillPath(path, { userId: owner.id }), headers: authorization(), body: '{}' };
      const chunked = { ...authorization(), 'Transfer-Encoding': 'chunked' };

      expect((await sendBytes(app.url, requestBytes(get))).status).toBe(400);
      expect((await sendBytes(app.url, requestBytes({ ...get, headers: chunked, body: '0\r\n\r\n' }))).status).toBe(
        400,
      );
    });
  });

  describe.each(titled(WITH_ID))('%s', (_, { method, path, body: schema }, turn) => {
    it.each(labelled(everyNth(5, BAD_IDS, turn)))('knows nothing with the id %s', async (__, id) => {
      const filled = path.replace(/\{\w+\}/, () => id);
      const headers = { ...authorization(), 'Content-Type': 'application/json' };
      const body = schema === null ? '' : '{}';

      const answer = await sendBytes(app.url, requestBytes({ method, path: filled, headers, body }));

      expect(answer).toMatchObject({ status: 404, body: { status: 404, title: 'Not found' } });
      expect(answer.body.requestId).toBe(answer.headers['x-request-id']);
      expect(answer.headers).not.toHaveProperty('set-cookie');
    });
  });

  describe.each(PATHS.map((path, turn): [string, number] => [path, turn]))('%s', (path, turn) => {
    // A word in the path may stand where another path has an id.
    const known = OPERATIONS.filter((operation) => isCoveredBy(path, operation.path)).map(({ method }) => method);
    const allowed = [...new Set([...known, ...(known.includes('GET') ? ['HEAD'] : [])])].sort();
    const wrong = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'];

    const tried = everyNth(
      3,
      wrong.filter((method) => !allowed.includes(method)),
      turn,
    );
    it.each(tried)('answers %s with 405 and what is allowed', async (method) => {
      const { status, headers, body } = await sendBytes(
        app.url,
        requestBytes({ method, path: fillPath(path), headers: { ...authorization(), Connection: 'close' } }),
      );

      expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: allowed.join(', ') });
      if (method !== 'HEAD') expect(body).toMatchObject({ status: 405, requestId: headers['x-request-id'] });
    });
  });

  it.each(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])('ignores %s', async (header) => {
    const { status } = await app.as(owner).get('/api/v0/me', { [header]: 'DELETE' });
    expect(status).toBe(200);
    expect((await app.as(owner).post(`/api/v0/organization/users/${owner.id}`, {}, { [header]: 'PATCH' })).status).toBe(
      405,
    );
  });

  it.each(titled(OPERATIONS.filter(({ method }) => method === 'GET')))(
    '%s answers HEAD like GET, without a body',
    async (_, o) => {
      const path = fillPath(o.path, { userId: owner.id });
      const get = await app.as(owner).get(path);
      const head = await app.as(owner).head(path);

      expect({ status: head.status, text: head.text }).toEqual({ status: get.status, text: '' });
      expect(head.headers['content-type']).toBe(get.headers['content-type']);
    },
  );

  const unknown = [
    '/api',
    '/api/v0',
    '/api/v0/unknown',
    '/api/v1/me',
    '/API/V0/ME',
    '/api/v0/me/',
    '//api/v0/me',
    '/api//v0/me',
    '/api/v0/../v0/me',
    '/api/v0/./me',
    '/api/v0/me;x=1',
    '/api/v0/m%65%00',
    '/%',
    '/%ff',
    '/.env',
    '/.git/config',
    '/metrics',
    '/health',
    '/favicon.ico',
    '/docs/..%2f..%2fpackage.json',
    `/${'x'.repeat(8_000)}`,
  ];
  it.each(labelled(unknown))('there is nothing at %s', async (_, path) => {
    for (const method of ['GET', 'POST']) {
      const answer = await sendBytes(app.url, requestBytes({ method, path, headers: authorization() }));
      expect(answer).toMatchObject({ status: 404, body: { status: 404, detail: 'There is nothing at this path.' } });
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(answer.body.requestId).toBe(answer.headers['x-request-id']);
    }
  });

  it.each([
    '/docs/../../package.json',
    '/docs/../package.json',
    '/docs/%2e%2e/%2e%2e/package.json',
    '/docs//etc/passwd',
  ])('the pages of the API document lead nowhere else: %s', async (path) => {
    const answer = await sendBytes(app.url, requestBytes({ method: 'GET', path }));
    expect([400, 404]).toContain(answer.status);
    expect(answer.body).toMatchObject({ status: answer.status, requestId: answer.headers['x-request-id'] });
  });

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an unknown method', 'FROB /api/v0/me HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a colon', 'GET /health/live HTTP/1.1\r\nHost x\r\n\r\n'],
    ['a NUL in a header', 'GET /health/live HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n'],
    ['a raw NUL in the path', 'GET /api/v0/m\0e HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('%s is a 400 with the problem body', async (_, bytes) => {
    const answer = await sendBytes(app.url, Buffer.from(bytes, 'latin1'));
    expect(answer).toMatchObject({ status: 400, body: { status: 400, title: 'Invalid request' } });
    expect(answer.body.requestId).toBe(answer.headers['x-request-id']);
  });

  it('a request without a host is a 400, whatever it asks for', async () => {
    const answer = await sendBytes(app.url, 'GET /unknown HTTP/1.1\r\n\r\n');
    expect(answer).toMatchObject({ status: 400, body: { status: 400, requestId: answer.headers['x-request-id'] } });
  });
});

function isCoveredBy(path: string, template: string): boolean {
  const parts = path.split('/');
  const others = template.split('/');
  return parts.length === others.length && others.every((part, i) => part.startsWith('{') || part === parts[i]);
}
