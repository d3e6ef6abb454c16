import { EventReader } from '../support/event-reader.js';
import { givenComputer, givenSession } from '../support/given-session.js';
import type { GivenOrganization } from '../support/given.js';
import { clientPath } from '../support/relay-client.js';
import { agentPath } from '../support/relay-agent.js';
import { Refused, RelaySocket } from '../support/relay-socket.js';
import { sendBytes, requestBytes } from '../support/raw-http.js';
import { TestApp } from '../support/test-app.js';
import { TestBrowser } from '../support/test-browser.js';

const PUBLIC = 'https://agents.example.com';
const LAN = 'http://agents.lan:3000';
let app: TestApp;
let https: TestApp;
let proxied: TestApp;
let lan: TestApp;
let openLan: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  app = await TestApp.start({ env: { CORS_ORIGINS: 'https://friend.example.com' } });
  const replica = (env: Record<string, string>) => TestApp.start({ database: app.database, env });
  https = await replica({ PUBLIC_URL: PUBLIC });
  proxied = await replica({ TRUST_PROXY: '1' });
  lan = await replica({ PUBLIC_URL: LAN });
  openLan = await replica({ PUBLIC_URL: LAN, CONSOLE_ALLOW_HTTP: 'true' });
  org = await app.given.organization();
});
afterAll(async () => {
  for (const replica of [openLan, lan, proxied, https, app]) await replica.stop();
});

/** Requests of pages elsewhere, in the words of a browser. */
const ELSEWHERE: [string, Record<string, string>][] = [
  ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example.com' }],
  ['another port of this machine', { 'Sec-Fetch-Site': 'same-site', Origin: 'http://127.0.0.1:4000' }],
  ['a sandboxed frame', { 'Sec-Fetch-Site': 'cross-site', Origin: 'null' }],
  ['another site, in an old browser', { Origin: 'https://evil.example.com' }],
  ['another port, in an old browser', { Origin: 'http://127.0.0.1:4000' }],
  ['a form of a page without referrer', { Origin: 'null' }],
  ['a page that CORS allows', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://friend.example.com' }],
];
/** Those that have no Origin, which only some requests need. */
const UNKNOWN: [string, Record<string, string>][] = [
  ['the address bar', { 'Sec-Fetch-Site': 'none' }],
  ['nobody knows where', {}],
];

describe('a request with a cookie', () => {
  let cookie: string;

  beforeAll(async () => {
    cookie = (await TestBrowser.signedIn(app, org.owner)).cookieHeader;
  });

  const from = (headers: Record<string, string>) => new TestBrowser(app, { ...headers, Cookie: cookie });
  const newKey = { name: 'forged' };

  it.each(ELSEWHERE)('is 403 when it changes something and comes from %s', async (_, headers) => {
    expect((await from(headers).post('/api/v0/api-keys', newKey)).status).toBe(403);
    expect((await from(headers).delete('/api/v0/me/sessions')).status).toBe(403);
  });

  it.each(UNKNOWN)('is 403 when it changes something and comes from %s', async (_, headers) => {
    expect((await from(headers).post('/api/v0/api-keys', newKey)).status).toBe(403);
  });

  it.each(ELSEWHERE)('is 403 when it reads and comes from %s', async (_, headers) => {
    const { status, body } = await from(headers).get('/api/v0/me');
    expect([status, body.detail]).toEqual([403, expect.stringContaining('comes from another site or window')]);
  });

  it.each(UNKNOWN)('may read when it comes from %s', async (_, headers) => {
    expect((await from(headers).get('/api/v0/me')).status).toBe(200);
  });

  it('may change something when it comes from a page of the console', async () => {
    expect((await from({ 'Sec-Fetch-Site': 'same-origin' }).post('/api/v0/api-keys', newKey)).status).toBe(201);
    expect((await from({ Origin: app.url }).post('/api/v0/api-keys', newKey)).status).toBe(201);
  });

  it('is nothing of this when it has an API key: no browser sends that by itself', async () => {
    const headers = { 'Sec-Fetch-Site': 'cross-site', Authorization: `Bearer ${org.owner.key}` };
    expect((await from(headers).post('/api/v0/api-keys', newKey)).status).toBe(201);
  });

  it('is never allowed to be read by another origin', async () => {
    const { headers } = await from({ Origin: 'https://friend.example.com' }).get('/api/v0/me');
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('is 401 with two cookies of the name, because one may be planted', async () => {
    const [, value = ''] = cookie.split('=');
    const planted = `agent_platform_session=planted; agent_platform_session=${value}`;
    const { status, body } = await new TestBrowser(app).get('/api/v0/me', { Cookie: planted });
    expect([status, body.detail]).toEqual([401, expect.stringContaining('two cookies')]);
    const answer = await sendBytes(
      app.url,
      requestBytes({ method: 'GET', path: '/api/v0/me', headers: { Cookie: 'agent_platform_session=x', cookie } }),
    );
    expect(answer.status).toBe(401);
  });

  it('varies what caches may keep', async () => {
    const path = '/api/v1/analytics/activity?startDate=2026-11-01&endDate=2026-11-02';
    const { headers } = await from({ 'Sec-Fetch-Site': 'same-origin' }).get(path);
    expect(headers.vary).toBe('Accept, Accept-Encoding, Authorization, Cookie');
  });
});

describe('signing in and out', () => {
  it.each([...ELSEWHERE, ...UNKNOWN])('is 403 when it comes from %s', async (_, headers) => {
    const browser = new TestBrowser(app, headers);
    expect((await browser.signIn({ apiKey: org.owner.key })).status).toBe(403);
    expect(browser.cookies.size).toBe(0);
    expect((await browser.post('/auth/sign-out')).status).toBe(403);
  });

  it('is refused before the body is looked at', async () => {
    expect((await new TestBrowser(app, {}).post('/auth/session', { nonsense: 1 })).status).toBe(403);
  });

  it('takes no form, and no text that a form could send', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status } = await new TestBrowser(app).send('post', '/auth/session', `apiKey=${org.owner.key}`, headers);
    expect(status).toBe(415);
  });
});

describe('a WebSocket with a cookie', () => {
  const open = async (path: string, headers: Record<string, string>) => {
    const { cookieHeader } = await TestBrowser.signedIn(app, org.owner);
    const opening = RelaySocket.open(app.url, path, null, { headers: { Cookie: cookieHeader, ...headers } });
    const opened = await opening.catch((error: unknown) => error as Refused);
    if (opened instanceof Refused) return opened.status;
    await opened.end();
    return 101;
  };
  let computerId: string;

  beforeAll(async () => {
    computerId = await givenComputer(app, org.owner);
  });

  it('opens for a page of the console', async () => {
    expect(await open(clientPath(computerId), { Origin: app.url })).toBe(101);
    expect(await open(clientPath(computerId), { Origin: app.url, 'Sec-Fetch-Site': 'same-origin' })).toBe(101);
  });

  it.each([...ELSEWHERE, ...UNKNOWN, ['a page that lies about its site', { 'Sec-Fetch-Site': 'same-origin' }]])(
    'is 403 when it comes from %s',
    async (_, headers) => {
      expect(await open(clientPath(computerId), headers)).toBe(403);
    },
  );

  it('is 401 as an agent', async () => {
    expect(await open(agentPath(computerId), { Origin: app.url })).toBe(401);
  });
});

describe('under HTTPS', () => {
  const SECURE = /^__Host-agent_platform_session=[\w-]{64}; Path=\/; Max-Age=\d{6}; HttpOnly; SameSite=Strict; Secure$/;

  it('the cookie is bound to the host and secure, by PUBLIC_URL', async () => {
    const browser = await TestBrowser.signedIn(https, org.owner);
    expect(browser.setCookies).toEqual([expect.stringMatching(SECURE)]);
    expect((await browser.get('/api/v0/me')).status).toBe(200);
  });

  it('the same by what a trusted proxy says', async () => {
    const browser = new TestBrowser(proxied, { 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-Proto': 'https' });
    await browser.signIn({ apiKey: org.owner.key });
    expect(browser.setCookies).toEqual([expect.stringMatching(SECURE)]);
    expect((await browser.get('/api/v0/me')).status).toBe(200);
  });

  it('not by what a stranger says', async () => {
    const browser = new TestBrowser(app, { 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-Proto': 'https' });
    await browser.signIn({ apiKey: org.owner.key });
    expect(browser.setCookies).toEqual([expect.stringMatching(/^agent_platform_session=.+SameSite=Strict$/)]);
  });

  it('a cookie without the prefix, which a sibling host can plant, does not count', async () => {
    const { cookies } = await TestBrowser.signedIn(https, org.owner);
    const [value = ''] = cookies.values();
    const planted = { Cookie: `agent_platform_session=${value}` };
    expect((await new TestBrowser(https).get('/api/v0/me', planted)).status).toBe(401);
  });

  it.each([
    [PUBLIC, 201],
    ['http://agents.example.com', 403],
    ['https://agents.example.com:8443', 403],
    ['https://agents.example.com.evil.com', 403],
  ])('an old browser may sign in from %s: %i', async (origin, status) => {
    const browser = new TestBrowser(https, { Origin: origin, Host: 'agents.example.com' });
    expect((await browser.signIn({ apiKey: org.owner.key })).status).toBe(status);
  });
});

describe('over plain HTTP', () => {
  const signIn = (to: TestApp, host: string) =>
    new TestBrowser(to, { Origin: `http://${host}`, Host: host }).signIn({ apiKey: org.owner.key });

  it.each(['localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'console.localhost'])(
    'this machine, as %s, signs in',
    async (host) => {
      expect((await signIn(app, host)).status).toBe(201);
    },
  );

  it.each(['192.168.1.7:3000', 'agents.lan:3000', '127.0.0.1.evil.com', 'localhost.evil.com', '10.0.0.1'])(
    'another machine, as %s, does not, and is told why',
    async (host) => {
      const { status, body } = await signIn(app, host);
      expect([status, body.detail]).toEqual([403, expect.stringContaining('CONSOLE_ALLOW_HTTP=true')]);
      const methods = await new TestBrowser(app, { Host: host }).get('/auth/methods');
      expect(methods.body).toEqual({ methods: [], notice: body.detail });
    },
  );

  it('a proxy that puts its own address into Host changes nothing', async () => {
    expect((await signIn(lan, '127.0.0.1:3000')).status).toBe(403);
  });

  it('a cookie is not taken either', async () => {
    const { cookieHeader } = await TestBrowser.signedIn(app, org.owner);
    const { status } = await new TestBrowser(lan).get('/api/v0/me', { Cookie: cookieHeader });
    expect(status).toBe(403);
  });

  it('CONSOLE_ALLOW_HTTP=true opens it, with a warning to show', async () => {
    expect((await signIn(openLan, 'agents.lan:3000')).status).toBe(201);
    const { body } = await new TestBrowser(openLan, { Host: 'agents.lan:3000' }).get('/auth/methods');
    expect(body).toEqual({ methods: ['key', 'link'], notice: expect.stringContaining('is not encrypted') });
  });

  it('there is nothing to warn of on this machine or under HTTPS', async () => {
    expect((await new TestBrowser(app).get('/auth/methods')).body).toEqual({ methods: ['key', 'link'] });
    expect((await new TestBrowser(https).get('/auth/methods')).body).toEqual({ methods: ['key', 'link'] });
  });
});

it('an event stream opens with a cookie, for a page of the console only', async () => {
  const session = await givenSession(app, org.owner);
  const { cookieHeader: cookie } = await TestBrowser.signedIn(app, org.owner);
  const statusFor = async (site: string) => {
    const reader = await EventReader.open(app, session, { cookie, headers: { 'Sec-Fetch-Site': site } });
    reader.close();
    return reader.response.statusCode;
  };
  expect(await statusFor('cross-site')).toBe(403);
  expect(await statusFor('same-origin')).toBe(200);
});
