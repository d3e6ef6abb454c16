import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type Page } from 'playwright-core';
import { ConsoleCommands } from '../../src/modules/console/console-commands.js';
import { describeInChromium, launchChromium } from '../support/chromium.js';
import { freePort } from '../support/free-port.js';
import type { GivenOrganization } from '../support/given.js';
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.js';
import { TestApp } from '../support/test-app.js';

const SHELL =
  '<!doctype html><meta charset="utf-8"><title>Console</title><link rel="icon" href="data:,"><h1>Console</h1><script src="/console/main.js"></script>';

/** The doors as a real browser sees them, which decides by itself what it sends along. */
describeInChromium()('in a browser', () => {
  const lines: string[] = [];
  let directory: string;
  let provider: IdentityProvider;
  let app: TestApp;
  let org: GivenOrganization;
  /** Another port of the same machine: the same site, another origin. */
  let neighbour: Server;
  let neighbourUrl: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'console-'));
    writeFileSync(join(directory, 'index.html'), SHELL);
    writeFileSync(join(directory, 'main.js'), 'document.title = "Ready"');
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const people = [{ clientId: 'ada', clientSecret: 'x', claims: {} as Record<string, unknown> }];
    const consoles = [{ clientId: 'console', redirectUri: `${url}/auth/callback` }];
    // Reached by another name, so that it is another site.
    const issuer = `http://localhost:${await freePort()}`;
    provider = await startIdentityProvider({
      ...{ audience: 'agent-platform', clients: people, consoles, issuer, port: Number(new URL(issuer).port) },
    });
    const env = {
      ...{ PUBLIC_URL: url, JWT_ISSUER: issuer, JWT_AUDIENCE: 'agent-platform', OIDC_CLIENT_ID: 'console' },
    };
    app = await TestApp.start({ port, env, consoleDirectory: directory, onLog: (line) => lines.push(line) });
    org = await app.given.organization();
    Object.assign(people[0]?.claims ?? {}, { email: 'ada@example.com', email_verified: true, org_id: org.id });
    neighbour = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Neighbour</title>');
    });
    await new Promise<void>((resolve) => neighbour.listen(0, '127.0.0.1', resolve));
    neighbourUrl = `http://127.0.0.1:${(neighbour.address() as AddressInfo).port}/`;
    browser = await launchChromium();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    page = await context.newPage();
  });
  afterEach(() => context.close());
  afterAll(async () => {
    await browser.close();
    neighbour.closeAllConnections();
    await new Promise((resolve) => neighbour.close(resolve));
    await app.stop();
    await provider.stop();
    rmSync(directory, { recursive: true });
  });

  /** The status of a request that a page sends, or why it could not. */
  const ask = (
    from: Page,
    path: string,
    init: { method?: string; headers?: object; body?: string } = {},
  ): Promise<unknown> =>
    from.evaluate(
      `fetch(${JSON.stringify(app.url + path)}, ${JSON.stringify({ credentials: 'include', ...init })})
         .then(({ status }) => status, String)`,
    );
  const signIn = (from: Page, body: object) =>
    ask(from, '/auth/session', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('the shell runs under its policy, and the bare address leads to it', async () => {
    const violations: string[] = [];
    page.on('console', (message) => message.type() === 'error' && violations.push(message.text()));
    await page.goto(app.url);
    expect([page.url(), await page.title()]).toEqual([`${app.url}/console/`, 'Ready']);
    expect(violations).toEqual([]);
    const inline = await page.evaluate(`try {
      const script = document.createElement('script');
      script.text = 'document.title = "Hacked"';
      document.body.append(script);
      document.title;
    } catch {
      'refused'; // a trusted type is required
    }`);
    expect(inline).toBe('refused');
  });

  it('a link signs in from its fragment, once, and scripts cannot read the cookie', async () => {
    const text = await app.nest.get(ConsoleCommands).signIn({ org: org.id });
    const url = text.split('\n').at(-1) ?? '';
    await page.goto(url);
    const link = await page.evaluate<string>(`new URLSearchParams(location.hash.slice(1)).get('welcome')`);
    expect(await signIn(page, { link })).toBe(201);
    expect(await ask(page, '/api/v0/me')).toBe(200);
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await signIn(page, { link })).toBe(401);
  });

  it('other ports of the machine get nothing of a sign-in, neither with fetch, nor with a form, nor with a socket', async () => {
    await page.goto(`${app.url}/console/`);
    expect(await signIn(page, { apiKey: org.owner.key })).toBe(201);
    const { body: computer } = await app.as(org.owner).post('/api/v0/computers', { name: 'for sockets' });
    const socketUrl = `${app.url.replace('http', 'ws')}/api/v0/computers/${computer.id}/client`;
    const socket = (from: Page) =>
      from.evaluate(`new Promise((resolve) => {
        const opened = new WebSocket('${socketUrl}');
        opened.onopen = () => resolve('open');
        opened.onerror = () => resolve('refused');
      })`);
    expect(await socket(page)).toBe('open');

    const other = await context.newPage();
    await other.goto(neighbourUrl);
    lines.length = 0;
    const hidden = `credentials: 'include', mode: 'no-cors'`;
    await other.evaluate(`fetch('${app.url}/api/v0/me', { ${hidden} }).catch(String)`);
    const post = `method: 'POST', body: '{"name":"forged"}'`;
    await other.evaluate(`fetch('${app.url}/api/v0/api-keys', { ${hidden}, ${post} }).catch(String)`);
    expect(await socket(other)).toBe('refused');
    await other.evaluate(`{
      document.body.innerHTML = '<form method="post" enctype="text/plain" action="${app.url}/api/v0/api-keys"><input name="a">';
      document.forms[0].submit();
    }`);
    await other.waitForURL(`${app.url}/api/v0/api-keys`);
    // The browser does not even show these answers to the page.
    const answered = lines.map((line) => JSON.parse(line) as { method?: string; path?: string; status?: number });
    const asked = answered.filter(({ path }) => path?.startsWith('/api/v0/'));
    expect(
      asked.map(({ method, path, status }) => `${method} ${path?.replace(/computers.+/, 'computers')} ${status}`),
    ).toEqual([
      'GET /api/v0/me 403',
      'POST /api/v0/api-keys 403',
      'GET /api/v0/computers 403',
      'POST /api/v0/api-keys 403',
    ]);
    const { body } = await app.as(org.owner).get('/api/v0/api-keys');
    expect(JSON.stringify(body)).not.toContain('forged');
    expect(await ask(page, '/api/v0/me')).toBe(200);
  });

  it('single sign-on leads through another site and back, signed in with a Strict cookie', async () => {
    await page.goto(`${app.url}/auth/sso?to=${encodeURIComponent('/console/usage?range=28d')}`);
    await page.locator('input[name=login]').fill('ada');
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.locator('button[type=submit]').click(); // consent
    await page.waitForURL(`${app.url}/console/usage?range=28d`);
    expect(await ask(page, '/api/v0/me')).toBe(200);
    const [cookie] = (await context.cookies()).filter(({ name }) => name.startsWith('agent_platform'));
    expect(cookie).toMatchObject({ name: 'agent_platform_session', sameSite: 'Strict', httpOnly: true });

    expect(await ask(page, '/auth/sign-out', { method: 'POST' })).toBe(204);
    expect(await ask(page, '/api/v0/me')).toBe(401);
    expect((await context.cookies()).filter(({ name }) => name.startsWith('agent_platform'))).toEqual([]);
  });
});
