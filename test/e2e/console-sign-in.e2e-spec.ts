import { Role } from '../../src/common/access/role.enum.js';
import { newOrganizationSecret } from '../../src/common/access/organization-secret.js';
import { newApiKey } from '../../src/common/access/api-key-format.js';
import { ConsoleCommands } from '../../src/modules/console/console-commands.js';
import { CLIENT_CODE, EVENT_KIND } from '../../src/modules/ingest/event-codes.js';
import { ConsoleCleanupJob } from '../../src/modules/organization/console-sessions/console-cleanup.job.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';
import { TestBrowser } from '../support/test-browser.js';
import { query } from '../support/test-database.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const mySessions = '/api/v0/me/sessions';
const clock = new ManualClock('2026-11-15T08:30:00.000Z');
const lines: string[] = [];
let app: TestApp;
/** Remembers nothing of what the other was asked a moment ago. */
let other: TestApp;
let org: GivenOrganization;
let member: GivenUser;

beforeAll(async () => {
  app = await TestApp.start({ clock, onLog: (line) => lines.push(line) });
  other = await TestApp.start({ clock, database: app.database, env: { TRUST_PROXY: '1' } });
  org = await app.given.organization();
});
beforeEach(async () => {
  clock.advance(2 * 60_000); // refused credentials are counted by the minute
  member = await app.given.user(org);
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});

async function linkFor(user: GivenUser): Promise<string> {
  const text = await app.nest.get(ConsoleCommands).signIn({ org: org.id, user: user.email });
  return /#welcome=(\S+)$/.exec(text)?.[1] ?? '';
}

async function auditOf(user: GivenUser): Promise<{ action: string; before?: object; after?: object }[]> {
  const { body } = await app.as(org.owner).get('/api/v0/organization/audit-log?limit=100');
  return body.entries.filter((entry: { actor?: { id: string } }) => entry.actor?.id === user.id);
}

/** Moves a session into the past, instead of the clock of everybody. */
async function age(browser: TestBrowser, interval: string): Promise<void> {
  const sql = `UPDATE console_sessions SET created_at = created_at - $2::interval,
    last_seen_at = last_seen_at - $2::interval, expires_at = expires_at - $2::interval WHERE id = $1`;
  await query(app.database.url, sql, [browser.sessionId, interval]);
}

describe('signing in with an API key', () => {
  it('opens what the key opens, with a cookie that scripts cannot read', async () => {
    const browser = new TestBrowser(app);
    const { status, body } = await browser.signIn({ apiKey: member.key }, { 'User-Agent': 'Firefox' });
    const now = clock.now();

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      method: 'key',
      createdAt: now.toISOString(),
      lastSeenAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + 7 * DAY_MS).toISOString(),
      userAgent: 'Firefox',
      current: true,
    });
    expect(browser.setCookies).toEqual([
      expect.stringMatching(/^agent_platform_session=[\w-]{64}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/),
    ]);
    expect((await browser.get('/api/v0/me')).body).toMatchObject({ user: { id: member.id }, role: 'member' });
  });

  it('stores neither the key nor the cookie, but hashes', async () => {
    const browser = await TestBrowser.signedIn(app, member);
    const [value = ''] = browser.cookies.values();
    const rows = await query(app.database.url, `SELECT s::text FROM console_sessions s WHERE id = $1`, [
      browser.sessionId,
    ]);
    expect(JSON.stringify(rows)).not.toContain(value);
    expect(lines.join('')).not.toContain(value);
    expect(lines.join('')).not.toContain(member.key);
  });

  it.each([
    ['a key that nobody has', newApiKey()],
    ['garbage', 'garbage'],
    ['garbage that looks like a key', `apk_${'x'.repeat(49)}`],
    ['a token of another kind', 'apc_nothing'],
  ])('is 401 with %s, and sets no cookie', async (_, apiKey) => {
    const browser = new TestBrowser(app);
    expect((await browser.signIn({ apiKey })).status).toBe(401);
    expect(browser.cookies.size).toBe(0);
  });

  it.each([
    ['nothing', {}],
    ['both a key and a link', { apiKey: 'apk_x', link: 'x' }],
  ])('is 400 with %s', async (_, body) => {
    expect((await new TestBrowser(app).signIn(body)).status).toBe(400);
  });

  it('is 403 with a key for telemetry, which the owner finds in the audit log', async () => {
    const { body: key } = await app.as(member).post('/api/v0/api-keys', { name: 'agent', scope: 'telemetry' });
    const { status, body } = await new TestBrowser(app).signIn({ apiKey: key.key });
    expect([status, body.detail]).toEqual([403, 'An API key of the scope "telemetry" does not open the console.']);
    expect(await auditOf(member)).toContainEqual(
      expect.objectContaining({
        action: 'console.sign_in_refused',
        after: expect.objectContaining({ method: 'key', reason: body.detail, address: '127.0.0.1' }),
      }),
    );
  });

  it('does not outlast the key', async () => {
    const expiresAt = new Date(clock.now().getTime() + 1.5 * HOUR_MS).toISOString();
    const { body: key } = await app.as(member).post('/api/v0/api-keys', { name: 'short', expiresAt });
    const browser = new TestBrowser(app);
    const { body } = await browser.signIn({ apiKey: key.key });
    expect(body.expiresAt).toBe(expiresAt);
    expect(browser.setCookies.at(-1)).toContain('Max-Age=5400;');

    clock.set(expiresAt);
    expect((await browser.get('/api/v0/me')).status).toBe(401);
  });

  it('ends the session that the browser had, and gives it a new value', async () => {
    const browser = await TestBrowser.signedIn(app, member);
    const before = browser.cookieHeader;
    await browser.signIn({ apiKey: org.owner.key });

    expect(browser.cookieHeader).not.toBe(before);
    expect((await browser.get('/api/v0/me')).body.role).toBe('owner');
    expect((await new TestBrowser(app).get('/api/v0/me', { Cookie: before })).status).toBe(401);
    expect((await app.as(member).get(mySessions)).body.sessions).toEqual([]);
  });

  it('is in the audit log, as is signing out', async () => {
    const browser = await TestBrowser.signedIn(app, member);
    await browser.post('/auth/sign-out');
    const entries = await auditOf(member);
    expect(entries.map(({ action }) => action)).toEqual(['console.signed_out', 'console.signed_in']);
    expect(entries[1]?.after).toEqual({ method: 'key', address: '127.0.0.1', userAgent: expect.any(String) });
  });

  it('is 403 from an address that the organization does not allow', async () => {
    const walled = await app.given.organization();
    const allowed = '203.0.113.7';
    const controls = { networkPolicy: { allowedIps: [allowed] } };
    const path = '/api/v0/organization/enterprise-controls';
    await other.as(walled.owner).put(path, controls, { 'X-Forwarded-For': allowed });
    const signIn = (headers = {}) => new TestBrowser(other).signIn({ apiKey: walled.owner.key }, headers);

    const { status, body } = await signIn();
    expect([status, body.detail]).toEqual([403, expect.stringContaining('networkPolicy.allowedIps')]);
    expect((await signIn({ 'X-Forwarded-For': allowed })).status).toBe(201);
    const log = await other.as(walled.owner).get('/api/v0/organization/audit-log', { 'X-Forwarded-For': allowed });
    expect(log.body.entries.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['console.signed_in', 'console.sign_in_refused']),
    );
  });

  it('keeps the hundred sessions that were used last', async () => {
    const user = await app.given.user(org);
    const first = await TestBrowser.signedIn(app, user);
    const fill = `INSERT INTO console_sessions
      SELECT s.org_id, gen_random_uuid(), sha256(random()::text::bytea), s.user_id, s.method, NULL, NULL, NULL, NULL,
             s.created_at, s.last_seen_at + '1 minute', s.expires_at, ''
        FROM console_sessions s, generate_series(1, 99) WHERE s.id = $1`;
    await query(app.database.url, fill, [first.sessionId]);
    await TestBrowser.signedIn(app, user);
    const { body } = await app.as(user).get(mySessions);
    expect(body.sessions).toHaveLength(100);
    expect((await first.get('/api/v0/me')).status).toBe(401);
  });
});

describe('a one-time link', () => {
  it('signs its user in, once', async () => {
    const link = await linkFor(member);
    const browser = new TestBrowser(app);
    expect(await browser.signIn({ link })).toMatchObject({ status: 201, body: { method: 'link' } });
    expect((await browser.get('/api/v0/me')).body.user.id).toBe(member.id);

    const again = await new TestBrowser(app).signIn({ link });
    expect([again.status, again.body.detail]).toEqual([
      401,
      'This link is unknown, was used before, or is older than 15 minutes.',
    ]);
  });

  it('signs in one of many that try at once', async () => {
    const link = await linkFor(member);
    const attempts = await Promise.all(
      Array.from({ length: 6 }, (_, i) => new TestBrowser(i % 2 ? app : other).signIn({ link })),
    );
    expect(attempts.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401, 401, 401]);
  });

  it('is refused after 15 minutes, which the audit log says', async () => {
    const link = await linkFor(member);
    clock.advance(15 * 60_000);
    expect((await new TestBrowser(app).signIn({ link })).status).toBe(401);
    expect((await auditOf(member)).map(({ action }) => action)).toEqual(['console.sign_in_refused']);
  });

  it('is used up by no GET', async () => {
    const link = await linkFor(member);
    await new TestBrowser(app).get(`/console/?welcome=${link}`);
    expect((await new TestBrowser(app).signIn({ link })).status).toBe(201);
  });

  it('dies with the deactivation of its user', async () => {
    const link = await linkFor(member);
    await app.as(org.owner).delete(`/api/v0/organization/users/${member.id}`);
    expect((await new TestBrowser(app).signIn({ link })).status).toBe(401);
  });

  it('is for the first owner when no user is named, and leads to the console', async () => {
    const text = await app.nest.get(ConsoleCommands).signIn({ org: org.id });
    expect(text).toMatch(
      /^Opens the console as owner-.+ \(owner\), once, within 15 minutes:\nhttp:\/\/127.0.0.1:0\/console\/#welcome=[\w-]{64}$/,
    );
    expect(await app.as(org.owner).get('/api/v0/organization/audit-log?limit=1')).toMatchObject({
      body: { entries: [{ action: 'console.link_created', target: org.owner.id }] },
    });
  });

  it.each(['nobody@example.com'])('is not made for %s', async (user) => {
    await expect(app.nest.get(ConsoleCommands).signIn({ org: org.id, user })).rejects.toThrow('There is no user');
  });
});

describe('a session', () => {
  it('has the role that its user has now', async () => {
    const browser = await TestBrowser.signedIn(other, member);
    await app.as(org.owner).patch(`/api/v0/organization/users/${member.id}`, { role: Role.Manager });
    expect((await new TestBrowser(app).get('/api/v0/me', { Cookie: browser.cookieHeader })).body.role).toBe('manager');
  });

  it('ends after 12 hours without use', async () => {
    const browser = await TestBrowser.signedIn(other, member);
    await age(browser, '11 hours 59 minutes');
    expect((await new TestBrowser(app).get('/api/v0/me', { Cookie: browser.cookieHeader })).status).toBe(200);
    const idle = await TestBrowser.signedIn(other, member);
    await age(idle, '12 hours');
    expect((await new TestBrowser(app).get('/api/v0/me', { Cookie: idle.cookieHeader })).status).toBe(401);
  });

  it('is used by every request, which puts its end off', async () => {
    const browser = await TestBrowser.signedIn(other, member);
    clock.advance(11 * HOUR_MS);
    await new TestBrowser(app).get('/api/v0/me', { Cookie: browser.cookieHeader });
    const { body } = await app.as(member).get(mySessions);
    expect(body.sessions).toMatchObject([{ id: browser.sessionId, lastSeenAt: clock.now().toISOString() }]);
  });

  it('ends after 7 days, however much it is used', async () => {
    const browser = await TestBrowser.signedIn(other, member);
    const used = `UPDATE console_sessions SET last_seen_at = $2 WHERE id = $1`;
    await query(app.database.url, used, [browser.sessionId, new Date(clock.now().getTime() + 7 * DAY_MS)]);
    clock.advance(7 * DAY_MS);
    expect((await new TestBrowser(app).get('/api/v0/me', { Cookie: browser.cookieHeader })).status).toBe(401);
  });

  it('is deleted by the hourly job once it has ended, as are links', async () => {
    await linkFor(member);
    const browser = await TestBrowser.signedIn(app, member);
    await age(browser, '13 hours');
    clock.advance(HOUR_MS);
    await app.nest.get(ConsoleCleanupJob).run();
    const counts = await query(
      app.database.url,
      `SELECT (SELECT count(*)::int FROM console_sessions WHERE user_id = $1) AS sessions,
              (SELECT count(*)::int FROM sign_in_links WHERE user_id = $1) AS links`,
      [member.id],
    );
    expect(counts).toEqual([{ sessions: 0, links: 0 }]);
  });

  it('is listed for its user alone, last used first, and ended by them alone', async () => {
    const first = await TestBrowser.signedIn(app, member);
    clock.advance(HOUR_MS);
    const second = await TestBrowser.signedIn(app, member);
    const { body } = await second.get(mySessions);
    expect(body.sessions.map(({ id, current }: { id: string; current: boolean }) => [id, current])).toEqual([
      [second.sessionId, true],
      [first.sessionId, false],
    ]);
    const stranger = await TestBrowser.signedIn(app, org.owner);
    expect((await stranger.delete(`${mySessions}/${first.sessionId}`)).status).toBe(404);
    expect((await second.delete(`${mySessions}/${first.sessionId}`)).status).toBe(204);
    expect((await second.delete(`${mySessions}/${first.sessionId}`)).status).toBe(404);
    expect((await first.get('/api/v0/me')).status).toBe(401);
    expect((await second.get('/api/v0/me')).status).toBe(200);
  });

  it('can end all others, and an API key all', async () => {
    const [first, second] = [await TestBrowser.signedIn(app, member), await TestBrowser.signedIn(app, member)];
    expect((await second.delete(mySessions)).status).toBe(204);
    expect([(await first.get('/api/v0/me')).status, (await second.get('/api/v0/me')).status]).toEqual([401, 200]);
    expect((await app.as(member).delete(mySessions)).status).toBe(204);
    await eventually('it is signed out', async () => (await second.get('/api/v0/me')).status === 401);
  });

  it('loses to an Authorization header, whatever that says', async () => {
    const browser = await TestBrowser.signedIn(app, member);
    expect((await browser.get('/api/v0/me', { Authorization: `Bearer ${org.owner.key}` })).body.role).toBe('owner');
    expect((await browser.get('/api/v0/me', { Authorization: 'Bearer garbage' })).status).toBe(401);
  });

  it('makes what is done with it the client "web" in analytics', async () => {
    const browser = await TestBrowser.signedIn(app, member);
    const { body: computer } = await browser.post('/api/v0/computers', { name: `web-${member.id.slice(-8)}` });
    const { body: session } = await browser.post('/api/v0/sessions', { computerId: computer.id });
    await browser.post(`/api/v0/sessions/${session.sessionId}/messages`, { text: 'Hello' });
    const { body: plain } = await app.as(member).post('/api/v0/sessions', { computerId: computer.id });
    await browser.post(`/api/v0/sessions/${plain.sessionId}/messages`, { text: 'Hello' });
    const rows = await query(
      app.database.url,
      `SELECT e.kind, e.client, e.session_id = $2 AS web FROM events e WHERE e.user_id = $1 ORDER BY 3 DESC, 1`,
      [member.id, session.sessionId],
    );
    const { session_started, user_message } = EVENT_KIND;
    const { web, 'non-interactive-cli': cli } = CLIENT_CODE;
    expect(rows).toEqual([
      { kind: user_message, client: web, web: true },
      { kind: session_started, client: web, web: true },
      { kind: user_message, client: web, web: false },
      { kind: session_started, client: cli, web: false },
    ]);
  });

  it('leaves no address of a person who was erased', async () => {
    await TestBrowser.signedIn(app, member);
    await app.as(org.owner).delete(`/api/v0/organization/users/${member.id}`);
    await app.as(org.owner).post(`/api/v0/organization/users/${member.id}/erase`);
    const rows = await query(
      app.database.url,
      `SELECT a.action, a.after, a.actor_email FROM audit_log a WHERE a.actor_id = $1 AND a.action LIKE 'console.%'`,
      [member.id],
    );
    expect(rows).toEqual([{ action: 'console.signed_in', after: null, actor_email: null }]);
  });
});

describe('signing out', () => {
  it('ends the session on the server and empties the browser', async () => {
    const browser = await TestBrowser.signedIn(app, member);
    const cookie = browser.cookieHeader;
    const { status, headers } = await browser.post('/auth/sign-out');

    expect(status).toBe(204);
    expect(headers['clear-site-data']).toBe('"cache", "storage"');
    expect(browser.setCookies.at(-1)).toBe('agent_platform_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
    expect(browser.cookies.size).toBe(0);
    expect((await new TestBrowser(other).get('/api/v0/me', { Cookie: cookie })).status).toBe(401);
  });

  it('is the same for a browser that is not signed in', async () => {
    expect((await new TestBrowser(app).post('/auth/sign-out')).status).toBe(204);
    const stale = { Cookie: `agent_platform_session=${newOrganizationSecret(org.id)}` };
    expect((await new TestBrowser(app).post('/auth/sign-out', undefined, stale)).status).toBe(204);
  });
});

describe('guesses', () => {
  it.each<[string, (i: number) => Promise<{ status: number }>]>([
    ['keys', () => new TestBrowser(app).signIn({ apiKey: newApiKey() })],
    ['links', () => new TestBrowser(app).signIn({ link: newOrganizationSecret(org.id) })],
    [
      'cookies',
      () =>
        new TestBrowser(app).get('/api/v0/me', { Cookie: `agent_platform_session=${newOrganizationSecret(org.id)}` }),
    ],
  ])('of %s are refused without a look-up after a hundred a minute', async (_, guess) => {
    const known = await TestBrowser.signedIn(app, member);
    await known.get('/api/v0/me');
    const statuses: number[] = [];
    for (let i = 0; i < 102; i++) statuses.push((await guess(i)).status);
    expect(new Set(statuses.slice(0, 99))).toEqual(new Set([401]));
    expect(statuses.at(-1)).toBe(429);
    expect((await known.get('/api/v0/me')).status).toBe(200);
  });

  it.each(['', 'x', 'x'.repeat(64), '_'.repeat(64), '%00', 'a=b', newOrganizationSecret(crypto.randomUUID())])(
    'the cookie "%s" is 401',
    async (value) => {
      const { status } = await new TestBrowser(app).get('/api/v0/me', { Cookie: `agent_platform_session=${value}` });
      expect(status).toBe(401);
    },
  );
});
