import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { GivenUser } from '../support/given.js';
import { givenComputer, givenSession, type GivenSession } from '../support/given-session.js';
import { hurry } from '../support/hurry.js';
import { RawConnection, requestBytes } from '../support/raw-http.js';
import { agentPath, RelayAgent } from '../support/relay-agent.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestApp } from '../support/test-app.js';

const H2C = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAARAAAAAAAIAAAAA' };

const errors: string[] = [];
const warnings: Error[] = [];
process.on('warning', (warning) => warnings.push(warning)); // of listeners that pile up
let app: TestApp;
let ada: GivenUser;
let session: GivenSession;
let computerId: string;

beforeAll(async () => {
  app = await TestApp.start({
    onLog: (line) => (JSON.parse(line) as { level: number }).level >= 50 && errors.push(line),
  });
  ada = await app.given.user(await app.given.organization());
  computerId = await givenComputer(app, ada);
  session = await givenSession(app, ada, computerId);
});
afterEach(() => expect([errors, warnings]).toEqual([[], []]));
afterAll(() => app.stop());

const webSocket = () => ({
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
});
const bytes = (method: string, path: string, headers: Record<string, string>, body = '') =>
  requestBytes({ method, path, headers: { Authorization: `Bearer ${ada.key}`, ...headers }, body });
const send = (method: string, path: string, headers: Record<string, string>, body = '') =>
  new RawConnection(app.url).exchange(bytes(method, path, headers, body));

describe('an upgrade to a WebSocket', () => {
  it('of a path that does not exist is 404', async () => {
    const { status, headers, body } = await send('GET', '/api/v0/sockets', webSocket());
    expect([status, headers['content-type']]).toEqual([404, expect.stringContaining('application/problem+json')]);
    expect(body.requestId).toBe(headers['x-request-id']);
  });

  it.each(['/api/v0/me', '/health/live'])('of %s, which has none, is answered as a plain request', async (path) => {
    expect((await send('GET', path, webSocket())).status).toBe(200);
  });

  it('by another method than GET is answered without one', async () => {
    expect((await send('DELETE', agentPath(computerId), webSocket())).status).toBe(405);
  });

  it.each([
    ['no key', { 'Sec-WebSocket-Key': '' }],
    ['a key that is too short', { 'Sec-WebSocket-Key': 'c2hvcnQ=' }],
    ['a key that is no base64', { 'Sec-WebSocket-Key': '!'.repeat(24) }],
    ['a version that is none', { 'Sec-WebSocket-Version': 'x' }],
    ['an old version', { 'Sec-WebSocket-Version': '7' }],
    ['protocols that are none', { 'Sec-WebSocket-Protocol': 'a,,b' }],
  ])('with %s is 400, as a problem', async (_, change) => {
    const { status, headers, body } = await send('GET', agentPath(computerId), { ...webSocket(), ...change });
    expect([status, headers['content-type']]).toEqual([400, expect.stringContaining('application/problem+json')]);
    expect(body).toMatchObject({ status: 400, requestId: headers['x-request-id'] });
    expect(body.detail).toMatch(/^(Missing or invalid|Invalid) Sec-WebSocket-\w+ header\.$/);
  });

  it('of a route that takes a body is refused: there is none behind an upgrade', async () => {
    const headers = { ...webSocket(), 'Content-Type': 'application/json' };
    const { status } = await send('POST', `${session.path}/messages`, headers, '{"text":"Hello"}');
    expect(status).toBe(400);
  });

  it('with a body is not taken for a frame', async () => {
    const connection = new RawConnection(app.url);
    connection.write(bytes('GET', agentPath(computerId), { ...webSocket(), 'Content-Length': '5' }, 'hello'));
    await delay(200);
    connection.close();
    expect((await app.as(ada).get('/api/v0/me')).status).toBe(200);
  });

  it('closes the connection behind its refusal', async () => {
    const connection = new RawConnection(app.url);
    connection.write(bytes('GET', agentPath('nothing'), webSocket()));
    const { status, headers } = await connection.answer();
    expect([status, headers.connection]).toEqual([404, 'close']);
    await connection.end();
  });

  it('right behind another request waits for its answer', async () => {
    const connection = new RawConnection(app.url);
    connection.write(
      Buffer.concat([
        bytes('GET', '/api/v0/me', {}),
        bytes('GET', '/api/v0/me', {}),
        bytes('GET', '/unknown', webSocket()),
      ]),
    );
    const answers = [await connection.answer(), await connection.answer(), await connection.answer()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
    await connection.end();
  });

  it('of which nothing more comes does no harm', async () => {
    const connection = new RawConnection(app.url);
    connection.write(bytes('GET', agentPath(computerId), webSocket()).subarray(0, -2));
    await delay(100);
    connection.close();
    expect((await app.as(ada).get('/api/v0/me')).status).toBe(200);
  });
});

describe('an upgrade to anything else', () => {
  it('is ignored: the request is answered', async () => {
    const { status, body } = await send('GET', '/api/v0/me', H2C);
    expect([status, JSON.stringify(body).includes(ada.id)]).toEqual([200, true]);
  });

  it('is ignored with a body too', async () => {
    const headers = { ...H2C, 'Content-Type': 'application/json' };
    const { status, body } = await send('POST', `${session.path}/messages`, headers, '{"text":"Grüße"}');
    expect([status, body.status]).toEqual([200, 'pending']);
  });

  it('is ignored when the body comes later, and in chunks', async () => {
    const headers = { ...H2C, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    const connection = new RawConnection(app.url);
    connection.write(bytes('POST', `${session.path}/messages`, headers));
    await delay(100);
    connection.write('7\r\n{"text"\r\n');
    await delay(100);
    connection.write('5\r\n:"x"}\r\n0\r\n\r\n');
    expect((await connection.answer()).status).toBe(200);
    connection.close();
  });

  it('is ignored for each of several requests on a connection', async () => {
    const connection = new RawConnection(app.url);
    const request = bytes('GET', '/api/v0/me', H2C);
    for (let i = 0; i < 20; i++) {
      connection.write(request);
      expect((await connection.answer()).status).toBe(200);
    }
    connection.close();
  });

  it('is ignored right behind another request', async () => {
    const connection = new RawConnection(app.url);
    const request = bytes('GET', '/api/v0/me', H2C);
    connection.write(Buffer.concat([request, bytes('GET', '/api/v0/me', {}), request, request]));
    for (let i = 0; i < 4; i++) expect((await connection.answer()).status).toBe(200);
    connection.close();
  });

  it('of a socket is 400: it is a plain request', async () => {
    expect((await send('GET', agentPath(computerId), H2C)).status).toBe(400);
  });

  it.each([
    ['several at once', 'websocket, h2c'],
    ['with a version', 'WebSocket/13'],
    ['a very long one', 'x'.repeat(1_000)],
  ])('is ignored: %s', async (_, upgrade) => {
    expect((await send('GET', '/api/v0/me', { Connection: 'Upgrade', Upgrade: upgrade })).status).toBe(200);
  });
});

describe('an agent whose line has gone silent', () => {
  let stopHurrying: () => void = () => undefined;
  afterEach(() => stopHurrying());

  it('is given up, and one that answers is not', async () => {
    stopHurrying = hurry('setInterval', { fromMs: 12_000, toMs: 150 });
    const line = await TcpProxy.start(app.url);
    const silent = await RelayAgent.connect(new URL(line.url).origin, ada.key, computerId);
    const other = await RelayAgent.connect(app.url, ada.key, await givenComputer(app, ada));
    line.blackHole();
    expect((await silent.relay.untilClosed(3_000)).code).toBe(1006);
    expect(other.relay.closed).toBeNull();
    await other.end();
    await line.stop();
  });
});
