import { randomUUID } from 'node:crypto';
import { freePort } from '../support/free-port.js';
import type { GivenOrganization } from '../support/given.js';
import {
  type IdentityProvider,
  type IdentityProviderClient,
  startIdentityProvider,
} from '../support/identity-provider.js';
import { ManualClock } from '../support/manual-clock.js';
import { visitProvider } from '../support/provider-visit.js';
import { TestApp } from '../support/test-app.js';
import { TestBrowser } from '../support/test-browser.js';
import { query } from '../support/test-database.js';

const NAVIGATION = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };
const people: IdentityProviderClient[] = [];
const clock = new ManualClock(new Date());
const lines: string[] = [];
let provider: IdentityProvider;
let app: TestApp;
let org: GivenOrganization;

beforeAll(async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const redirectUri = `${url}/auth/callback`;
  provider = await startIdentityProvider({
    audience: 'agent-platform',
    clients: people,
    consoles: [
      { clientId: 'console', clientSecret: 'console secret: %&=', redirectUri },
      { clientId: 'public', redirectUri },
    ],
  });
  app = await TestApp.start({ port, clock, env: settings(url), onLog: (line) => lines.push(line) });
  org = await app.given.organization();
});
afterAll(async () => {
  await app.stop();
  await provider.stop();
});

function settings(url: string): Record<string, string> {
  return {
    PUBLIC_URL: url,
    JWT_ISSUER: provider.issuer,
    JWT_AUDIENCE: 'agent-platform',
    OIDC_CLIENT_ID: 'console',
    OIDC_CLIENT_SECRET: 'console secret: %&=',
  };
}

/** Somebody whom nobody here has seen yet. */
function somebody(claims: Record<string, unknown> = {}): IdentityProviderClient {
  const name = randomUUID();
  const known = { email: `${name}@example.com`, email_verified: true, org_id: org.id, ...claims };
  const person = { clientId: name, clientSecret: 'unused', claims: known };
  people.push(person);
  return person;
}

const toLocation = ({ status, headers }: { status: number; headers: Record<string, string | undefined> }) => {
  expect(status).toBe(303);
  return headers['location'] ?? '';
};

/** Ends with the address to which the provider sends the browser back. */
async function authenticate(browser: TestBrowser, person: IdentityProviderClient, to = '/console/'): Promise<string> {
  const begun = toLocation(await browser.get(`/auth/sso?to=${encodeURIComponent(to)}`));
  const { pathname, search } = new URL(await visitProvider(begun, { login: person.clientId }));
  return pathname + search;
}

async function signIn(browser: TestBrowser, person: IdentityProviderClient, to?: string): Promise<string> {
  return toLocation(await browser.get(await authenticate(browser, person, to), NAVIGATION));
}

const errorOf = (location: string) => {
  const { pathname, searchParams } = new URL(location, app.url);
  expect([pathname, searchParams.get('requestId')]).toEqual(['/console/sign-in', expect.any(String)]);
  return searchParams.get('error');
};

describe('a sign-in at the identity provider', () => {
  it('begins there with PKCE, and with a sealed cookie that comes back', async () => {
    const browser = new TestBrowser(app);
    const url = new URL(toLocation(await browser.get('/auth/sso')));
    expect(url.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'console',
      redirect_uri: `${app.url}/auth/callback`,
      scope: 'openid email profile',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(browser.setCookies).toEqual([
      expect.stringMatching(/^agent_platform_sso=sealed\.v1\.[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/),
    ]);
  });

  it('adds somebody new, with the role of the claim, and leads to where they wanted to go', async () => {
    const person = somebody({ role: 'manager', given_name: 'Ada', family_name: 'Lovelace' });
    const browser = new TestBrowser(app);
    expect(await signIn(browser, person, '/console/usage?range=28d#top')).toBe('/console/usage?range=28d#top');

    expect([...browser.cookies.keys()]).toEqual(['agent_platform_session']);
    expect(browser.setCookies.at(-1)).toMatch(/HttpOnly; SameSite=Strict$/);
    expect((await browser.get('/api/v0/me')).body).toMatchObject({
      user: { email: person.claims['email'], firstName: 'Ada' },
      role: 'manager',
      organization: { id: org.id },
    });
    expect((await browser.get('/api/v0/me/sessions')).body.sessions).toMatchObject([{ method: 'sso', current: true }]);
  });

  it('is the same person as with a token of the provider', async () => {
    const person = somebody();
    const browser = new TestBrowser(app);
    await signIn(browser, person);
    const { body: me } = await browser.get('/api/v0/me');
    const [identity] = await query(app.database.url, `SELECT issuer, subject FROM user_identities WHERE user_id = $1`, [
      me.user.id,
    ]);
    expect(identity).toEqual({ issuer: provider.issuer, subject: person.clientId });
  });

  it('keeps no token, code or secret, neither in the database nor in the log', async () => {
    const browser = new TestBrowser(app);
    const callback = await authenticate(browser, somebody());
    await browser.get(callback, NAVIGATION);
    const code = new URL(callback, app.url).searchParams.get('code') ?? '';
    expect(code).not.toBe('');
    expect(lines.join('')).not.toContain(code);
    expect(lines.join('')).not.toContain('console secret');
    const rows = await query(app.database.url, 'SELECT s::text FROM console_sessions s');
    expect(JSON.stringify(rows)).not.toMatch(/eyJ|console secret/);
  });

  it('ends the session that the browser had, though its cookie does not come along', async () => {
    const browser = await TestBrowser.signedIn(app, org.owner);
    const before = browser.cookieHeader;
    const callback = await authenticate(browser, somebody());
    const transaction = [...browser.cookies].find(([name]) => name === 'agent_platform_sso') ?? [];
    await browser.get(callback, { ...NAVIGATION, Cookie: transaction.join('=') });
    expect((await browser.get('/api/v0/me')).body.role).toBe('member');
    expect((await new TestBrowser(app).get('/api/v0/me', { Cookie: before })).status).toBe(401);
  });

  it('is offered by the sign-in page', async () => {
    expect((await new TestBrowser(app).get('/auth/methods')).body).toEqual({ methods: ['sso', 'key', 'link'] });
  });
});

describe('is refused, saying so on the sign-in page', () => {
  const users = (email: unknown) =>
    query(app.database.url, `SELECT 1 FROM users u WHERE u.email_key = lower($1)`, [email]);

  it('when the provider does not vouch for the address', async () => {
    const person = somebody({ email_verified: false });
    const browser = new TestBrowser(app);
    expect(errorOf(await signIn(browser, person))).toBe('refused');
    expect(browser.cookies.size).toBe(0);
    expect(await users(person.claims['email'])).toEqual([]);
    expect(lines.join('')).toContain('does not vouch for the e-mail address');
  });

  it('when the organization is unknown', async () => {
    expect(errorOf(await signIn(new TestBrowser(app), somebody({ org_id: randomUUID() })))).toBe('refused');
  });

  it('when the user is deactivated', async () => {
    const person = somebody();
    const browser = new TestBrowser(app);
    await signIn(browser, person);
    const { body } = await browser.get('/api/v0/me');
    await app.as(org.owner).delete(`/api/v0/organization/users/${body.user.id}`);
    expect(errorOf(await signIn(new TestBrowser(app), person))).toBe('refused');
    const { body: log } = await app.as(org.owner).get('/api/v0/organization/audit-log?limit=1');
    expect(log.entries).toMatchObject([
      { action: 'console.sign_in_refused', target: body.user.id, after: { reason: 'This user is deactivated.' } },
    ]);
  });

  it('when the person changes their mind at the provider', async () => {
    const browser = new TestBrowser(app);
    const begun = toLocation(await browser.get('/auth/sso'));
    const { pathname, search } = new URL(await visitProvider(begun, { login: 'anybody', isDenied: true }));
    expect(errorOf(toLocation(await browser.get(pathname + search, NAVIGATION)))).toBe('denied');
  });

  it('when the answer belongs to the sign-in of another browser', async () => {
    const attacker = new TestBrowser(app);
    const callback = await authenticate(attacker, somebody());
    const victim = new TestBrowser(app);
    expect(errorOf(toLocation(await victim.get(callback, NAVIGATION)))).toBe('expired');
    await victim.get('/auth/sso');
    expect(errorOf(toLocation(await victim.get(callback, NAVIGATION)))).toBe('expired');
    expect(victim.cookies.size).toBe(0);
  });

  it('when the answer comes a second time', async () => {
    const browser = new TestBrowser(app);
    const callback = await authenticate(browser, somebody());
    const transaction = { ...NAVIGATION, Cookie: browser.cookieHeader };
    expect(toLocation(await browser.get(callback, transaction))).toBe('/console/');
    expect(errorOf(toLocation(await new TestBrowser(app).get(callback, transaction)))).toBe('refused');
  });

  it('when the answer of the provider was altered', async () => {
    const browser = new TestBrowser(app);
    const callback = new URL(await authenticate(browser, somebody()), app.url);
    callback.searchParams.set('iss', 'https://evil.example.com');
    expect(errorOf(toLocation(await browser.get(callback.pathname + callback.search, NAVIGATION)))).toBe('refused');
  });

  it('when it took more than ten minutes', async () => {
    const browser = new TestBrowser(app);
    const callback = await authenticate(browser, somebody());
    clock.advance(600_000);
    expect(errorOf(toLocation(await browser.get(callback, NAVIGATION)))).toBe('expired');
  });

  it.each(['sealed.v1.AAAA', 'garbage', `sealed.v1.${'A'.repeat(200)}`])('when the cookie is %s', async (value) => {
    const headers = { ...NAVIGATION, Cookie: `agent_platform_sso=${value}` };
    const answer = await new TestBrowser(app).get('/auth/callback?code=x&state=y', headers);
    expect(errorOf(toLocation(answer))).toBe('expired');
  });

  it.each(['', '?state=x', '?code=a&code=b', '?error=x&error_description=%3Cscript%3E', '?session_state=1&scope=x'])(
    'when the provider sends the browser back with "%s"',
    async (search) => {
      const browser = new TestBrowser(app);
      await browser.get('/auth/sso');
      expect(errorOf(toLocation(await browser.get(`/auth/callback${search}`, NAVIGATION)))).toBe('expired');
    },
  );
});

describe('the way back', () => {
  it.each([
    'https://evil.example.com/',
    '//evil.example.com/console/',
    '/\\evil.example.com',
    '/console/\\..\\..\\evil',
    'console/',
    '/docs',
    '/console',
    '/consoles/',
    '/console/../docs',
    '/console/%2e%2e/docs',
    '/console/\n//evil.example.com',
    '/console/\t',
    'javascript:alert(1)//console/',
    `/console/${'x'.repeat(2_000)}`,
  ])('is never %j', async (to) => {
    const { status, body } = await new TestBrowser(app).get(`/auth/sso?to=${encodeURIComponent(to)}`);
    expect([status, body.errors]).toEqual([
      400,
      [{ field: 'to', message: 'must be a path that begins with /console/' }],
    ]);
  });

  it.each(['/console/', '/console/usage?from=2026-10-18&team=a%2Fb#x', '/console/people/a@b.example.com'])(
    'may be %s',
    async (to) => {
      expect((await new TestBrowser(app).get(`/auth/sso?to=${encodeURIComponent(to)}`)).status).toBe(303);
    },
  );
});

describe('with another configuration', () => {
  const withApp = async (env: Record<string, string>, work: (replica: TestApp) => Promise<void>) => {
    const replica = await TestApp.start({ database: app.database, env: { ...settings(app.url), ...env } });
    try {
      await work(replica);
    } finally {
      await replica.stop();
    }
  };

  it('a client without a secret signs people in as well', async () => {
    await withApp({ OIDC_CLIENT_ID: 'public', OIDC_CLIENT_SECRET: '' }, async (replica) => {
      const browser = new TestBrowser(replica);
      expect(await signIn(browser, somebody())).toBe('/console/');
      expect((await browser.get('/api/v0/me')).status).toBe(200);
    });
  });

  it('a wrong secret is refused by the provider', async () => {
    await withApp({ OIDC_CLIENT_SECRET: 'wrong' }, async (replica) => {
      expect(errorOf(await signIn(new TestBrowser(replica), somebody()))).toBe('refused');
    });
  });

  it('a provider that is away is said to be', async () => {
    provider.setBehaviour('down');
    try {
      await withApp({}, async (replica) => {
        expect(errorOf(toLocation(await new TestBrowser(replica).get('/auth/sso')))).toBe('unavailable');
      });
    } finally {
      provider.setBehaviour('normal');
    }
  });

  it('plain HTTP beyond this machine is refused', async () => {
    await withApp({ PUBLIC_URL: 'http://agents.lan:3000' }, async (replica) => {
      expect(errorOf(toLocation(await new TestBrowser(replica).get('/auth/sso')))).toBe('insecure');
    });
  });
});
