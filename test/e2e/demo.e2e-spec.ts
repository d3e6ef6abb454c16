import { DemoFillsRepository } from '../../src/modules/demo/demo-fills.repository.js';
import { OrganizationsService } from '../../src/modules/organization/organizations/organizations.service.js';
import { eventually } from '../support/eventually.js';
import type { GivenOrganization } from '../support/given.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestApp } from '../support/test-app.js';
import { TestBrowser } from '../support/test-browser.js';
import { query } from '../support/test-database.js';

const DEMO = '/api/v0/demo';
const NONE = { state: 'none', progress: null, organization: null };
/** A Monday; the demo has these days only. */
const env = { ANALYTICS_FIRST_DAY: '2026-03-12' };

describe('the demo over HTTP', () => {
  const clock = new ManualClock('2026-03-16T10:30:00.000Z');
  let app: TestApp;
  let org: GivenOrganization;

  beforeAll(async () => {
    app = await TestApp.start({ clock, env });
    org = await app.given.organization();
  });
  afterAll(() => app.stop());

  const owner = () => app.as(org.owner);
  const state = async () => (await owner().get(DEMO)).body;
  const ready = () => eventually('the demo is ready', async () => (await state()).state === 'ready', 60_000);
  const actions = async () =>
    (await owner().get('/api/v0/organization/audit-log?action=demo')).body.entries.map(
      ({ action, actor }: { action: string; actor?: { email: string } }) => `${action} by ${actor?.email}`,
    );
  const secretOf = async () => {
    const { status, body } = await owner().post(`${DEMO}/link`);
    expect(status).toBe(201);
    return new URL(body.link).hash.replace('#welcome=', '');
  };

  it('is not there at first: nothing to enter, nothing to remove', async () => {
    expect(await state()).toEqual(NONE);
    expect((await owner().post(`${DEMO}/link`)).status).toBe(404);
    expect((await owner().delete(DEMO)).status).toBe(204);
    expect(await actions()).toEqual([]);
  });

  it('is filled in the background, once, however often it is asked for', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => owner().post(DEMO)));
    for (const { status, body } of answers) {
      expect({ status, state: body.state, name: body.organization.name }).toEqual({
        ...{ status: 200, state: 'filling', name: 'Demo' },
      });
      expect(body.progress.share).toBeLessThan(1);
    }
    await ready();
    expect(await state()).toEqual({
      ...{ state: 'ready', organization: { name: 'Demo' }, progress: { phase: '', share: 1, hasCharts: true } },
    });
    expect((await owner().post(DEMO)).body.state).toBe('ready');
    expect(await actions()).toEqual([`demo.filled by ${org.owner.email}`]);
    expect(await query(app.database.url, `SELECT 1 FROM organizations WHERE is_demo`)).toHaveLength(1);
  }, 60_000);

  it('adds the days since on a later day', async () => {
    clock.set('2026-03-17T10:30:00.000Z');
    expect((await owner().post(DEMO)).body).toMatchObject({ state: 'filling', progress: { hasCharts: true } });
    await ready();
    expect(await actions()).toHaveLength(2);
  }, 60_000);

  it('is entered with a link, which signs in once, and left for the session that was there before', async () => {
    const browser = await TestBrowser.signedIn(app, org.owner);
    const link = await secretOf();
    expect((await browser.signIn({ link })).status).toBe(201);
    const inside = await browser.get('/api/v0/me');
    expect(inside.body).toMatchObject({ role: 'owner', organization: { name: 'Demo', demo: true } });
    expect((await browser.get('/auth/methods')).body.canReturn).toBe(true);
    const own = browser.setCookies.filter((line) => line.startsWith('agent_platform_own_session='));
    expect(own).toEqual([expect.stringMatching(/; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/)]);
    expect((await new TestBrowser(app).signIn({ link })).status).toBe(401);
    const inDemo = browser.cookieHeader;

    expect((await browser.post('/auth/return')).status).toBe(200);
    expect((await browser.get('/api/v0/me')).body.organization).toMatchObject({ id: org.id, demo: false });
    expect((await browser.get('/auth/methods')).body.canReturn).toBeUndefined();
    expect((await new TestBrowser(app).get('/api/v0/me', { Cookie: inDemo })).status).toBe(401);
    expect((await browser.post('/auth/return')).status).toBe(401);
    expect(await actions()).toContain(`demo.entered by ${org.owner.email}`);
  });

  it('is left for nothing when the session before has ended, or was signed out together with it', async () => {
    const browser = await TestBrowser.signedIn(app, org.owner);
    await browser.signIn({ link: await secretOf() });
    const { status } = await app.as(org.owner).delete('/api/v0/me/sessions');
    expect([status, (await browser.post('/auth/return')).status]).toEqual([204, 401]);

    const other = await TestBrowser.signedIn(app, org.owner);
    const before = other.cookieHeader;
    await other.signIn({ link: await secretOf() });
    await other.post('/auth/sign-out');
    expect(other.cookies.size).toBe(0);
    expect((await new TestBrowser(app).get('/api/v0/me', { Cookie: before })).status).toBe(401);
  });

  it('ends both sessions when somebody else signs in in the same browser', async () => {
    const browser = await TestBrowser.signedIn(app, org.owner);
    const before = browser.cookieHeader;
    await browser.signIn({ link: await secretOf() });
    await browser.signIn({ link: await secretOf() }); // once more: the first session still waits
    expect((await new TestBrowser(app).get('/api/v0/me', { Cookie: before })).status).toBe(200);
    const member = await app.given.user(org, { role: 'member' as never });
    await browser.signIn({ apiKey: member.key });
    expect(browser.cookies.size).toBe(1);
    expect((await new TestBrowser(app).get('/api/v0/me', { Cookie: before })).status).toBe(401);
  });

  it('cannot be filled, entered or removed from inside, nor by other sites', async () => {
    const browser = new TestBrowser(app);
    await browser.signIn({ link: await secretOf() });
    expect((await browser.get(DEMO)).body.state).toBe('ready');
    for (const [method, path] of [
      ['post', DEMO],
      ['post', `${DEMO}/link`],
      ['delete', DEMO],
    ] as const) {
      const { status, body } = await browser.send(method, path);
      expect([status, body.detail]).toEqual([403, expect.stringContaining('from your own organization')]);
    }
    expect((await browser.post('/auth/return', undefined, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
  });

  it('is removed with everything, and whoever is in it is signed out', async () => {
    const browser = new TestBrowser(app);
    await browser.signIn({ link: await secretOf() });
    const { id } = (await browser.get('/api/v0/me')).body.organization;
    expect((await owner().delete(DEMO)).status).toBe(204);
    expect(await state()).toEqual(NONE);
    await eventually('the browser is signed out', async () => (await browser.get('/api/v0/me')).status === 401);
    expect(await actions()).toContain(`demo.removed by ${org.owner.email}`);
    const traces = await query(
      app.database.url,
      `SELECT 1 FROM audit_log a WHERE strpos(a::text, $1) > 0 OR strpos(a::text, '@demo.example') > 0`,
      [id],
    );
    expect(traces).toEqual([]);
  });
});

describe('a demo that is being filled', () => {
  const clock = new ManualClock('2026-03-16T10:30:00.000Z');
  // Long enough to be interrupted.
  const long = { ANALYTICS_FIRST_DAY: '2025-06-01' };
  let app: TestApp;
  let org: GivenOrganization;
  beforeAll(async () => {
    app = await TestApp.start({ clock, env: long });
    org = await app.given.organization();
  });
  afterAll(() => app.stop());

  const begun = async (at: TestApp) => {
    const { body } = await at.as(org.owner).get(DEMO);
    return body.state === 'filling' && body.progress.share > 0 ? body : null;
  };

  it('is removed in the middle, and stays so', async () => {
    await app.as(org.owner).post(DEMO);
    await eventually('it has begun', () => begun(app), 30_000);
    expect((await app.as(org.owner).delete(DEMO)).status).toBe(204);
    expect((await app.as(org.owner).get(DEMO)).body).toEqual(NONE);
    expect(await query(app.database.url, `SELECT 1 FROM demo_fills`)).toEqual([]);
    expect(await query(app.database.url, `SELECT 1 FROM users WHERE email LIKE '%@demo.example'`)).toEqual([]);
  }, 60_000);

  it('goes on on another replica when its own stops', async () => {
    const replica = await TestApp.start({ clock, env: long, database: app.database });
    await replica.as(org.owner).post(DEMO);
    await eventually('it has begun', () => begun(replica), 30_000);
    await replica.stop();
    const demo = await app.nest.get(OrganizationsService).findDemo();
    const fills = app.nest.get(DemoFillsRepository);
    await eventually(
      'the other replica fills it',
      async () => {
        const fill = await fills.find(demo?.id ?? '');
        return fill !== null && fill.worker !== null && fill.share > 0;
      },
      30_000,
    );
    expect((await app.as(org.owner).get(DEMO)).body.state).toBe('filling');
  }, 90_000);

  it('says what went wrong, and tries again when asked', async () => {
    const demo = await app.nest.get(OrganizationsService).findDemo();
    await app.as(org.owner).delete(DEMO);
    await app.as(org.owner).post(DEMO);
    expect(demo).not.toBeNull();
    const { id: orgId = '' } = (await app.nest.get(OrganizationsService).findDemo()) ?? {};
    // As if its worker had failed.
    await query(app.database.url, `UPDATE demo_fills SET worker = NULL, failure = 'No space left' WHERE org_id = $1`, [
      orgId,
    ]);
    const { body } = await app.as(org.owner).get(DEMO);
    expect(body).toMatchObject({ state: 'stopped', problem: 'No space left' });
    const again = (await app.as(org.owner).post(DEMO)).body;
    expect([again.state, again.problem]).toEqual(['filling', undefined]);
  }, 60_000);
});
