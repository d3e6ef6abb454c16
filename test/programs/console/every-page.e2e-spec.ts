import type { Page } from 'playwright-core';
import { Role } from '../../../src/common/access/role.enum.js';
import { addDays } from '../../../src/web/ranges.js';
import { describeInChromium } from '../../support/chromium.js';
import { barriersOf, ConsolePages, sidewaysScroll } from '../../support/console-pages.js';
import type { GivenOrganization } from '../../support/given.js';
import { variedEvents } from '../../support/given-questions.js';
import { givenReport } from '../../support/given-report.js';
import { givenMessage, givenSession } from '../../support/given-session.js';
import { givenTeam } from '../../support/given-teams.js';
import { aggregate, event, report } from '../../support/given-usage.js';
import { stopAggregation } from '../../support/stop-aggregation.js';

const TODAY = new Date().toISOString().slice(0, 10);
const HOSTILE = '<img src=https://elsewhere.example/x onerror=alert(1)><script>alert(2)</script>\u202e"\'';
const VIEWS = [1280, 390].flatMap((width) => (['light', 'dark'] as const).map((theme) => ({ width, theme })));

describeInChromium()('every page', () => {
  let pages: ConsolePages;
  let org: GivenOrganization;
  let paths: string[];

  beforeAll(async () => {
    pages = await ConsolePages.start();
    const { app } = pages;
    await stopAggregation(app);
    org = await app.given.organization();
    const person = await app.given.user(org, {
      email: 'somebody.with.a.long.address@a-long-name-of-a-company.example',
    });
    const owner = app.as(org.owner);
    const days = [addDays(TODAY, -2), addDays(TODAY, -1)];
    const named = days.map((day) => event(person, 'skill_used', day, { name: HOSTILE }));
    await report(owner, [...variedEvents([org.owner, person], days), ...named]);
    await givenTeam(app, org, HOSTILE.slice(0, 90), [{ userId: person.id, from: addDays(TODAY, -9) }]);
    await aggregate(app);
    const session = await givenSession(app, org.owner);
    await givenMessage(app, session, HOSTILE);
    const { reportId } = await givenReport(app, org.owner);
    const { criteria } = (await owner.get('/api/organization/readiness/criteria')).body;
    paths = [
      ...['/', '/usage', '/usage?by=team&metric=cost', '/people', `/people/${person.id}`, '/tools', '/sessions'],
      ...['/sessions?of=organization', `/sessions/${session.id}`, '/computers', '/readiness'],
      ...[`/readiness/reports/${reportId}`, `/readiness/criteria/${encodeURIComponent(criteria[0].criterion)}`],
      ...['/connect', '/welcome', '/nowhere', '/settings/no-such-section'],
      ...[
        'members',
        'teams',
        'api-keys',
        'limits',
        'prices',
        'controls',
        'audit',
        'organization',
        'my-sessions',
        'completeness',
      ].map((section) => `/settings/${section}`),
    ];
  }, 60_000);
  afterEach(async () => {
    await pages.closePages();
    expect(pages.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => pages.stop());

  /** Without loading the console anew. */
  const leadTo = (page: Page, path: string) =>
    page.evaluate(
      `history.pushState(null, '', ${JSON.stringify(`/console${path}`)}); dispatchEvent(new PopStateEvent('popstate'))`,
    );
  const go = async (page: Page, path: string) => {
    await leadTo(page, path);
    await settled(page);
  };
  const settled = async (page: Page) => {
    await page.locator('main h1').first().waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: /^Loading$/ })
      .first()
      .waitFor({ state: 'detached' });
  };

  it('can be used by everybody: no barrier of WCAG 2.2 A and AA, no sideways scrolling, light and dark, wide and narrow', async () => {
    const page = await pages.open('/', org.owner);
    await settled(page);
    const problems: string[] = [];
    for (const path of paths) {
      await go(page, path);
      for (const { width, theme } of VIEWS) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: theme });
        const where = `${path} ${width} ${theme}`;
        problems.push(...(await barriersOf(page)).map((barrier) => `${where}: ${barrier}`));
        if ((await sidewaysScroll(page)) > 0) problems.push(`${where}: scrolls sideways`);
      }
    }
    expect(problems).toEqual([]);
  }, 240_000);

  it.each([Role.Owner, Role.Manager, Role.Member, Role.Guest])(
    'works for a %s, or says that it is not for that role',
    async (role) => {
      const page = await pages.open('/', await pages.app.given.user(org, { role }));
      await settled(page);
      for (const path of paths) {
        await go(page, path);
        const text = await page.locator('main').innerText();
        expect({ path, text }).toEqual({ path, text: expect.not.stringMatching(/That did not work|not reachable/) });
      }
    },
    120_000,
  );

  it('runs and loads nothing of what names and transcripts contain', async () => {
    const page = await pages.open('/', org.owner);
    await settled(page);
    let dialogs = 0;
    page.on('dialog', (dialog) => {
      dialogs++;
      void dialog.dismiss();
    });
    for (const path of paths) {
      await go(page, path);
      expect(await page.locator('main img, main script, main iframe, main [onerror]').count()).toBe(0);
    }
    expect(dialogs).toBe(0);
  }, 120_000);

  it('says what to do when there is nothing yet', async () => {
    const fresh = await pages.app.given.organization();
    const page = await pages.open('/', fresh.owner);
    await page.getByText('Nothing yet today').waitFor();
    await page.getByRole('link', { name: 'Connect an agent' }).first().waitFor();
  });

  it('says that the service is away, and goes on by itself when it is back', async () => {
    const page = await pages.open('/usage', org.owner);
    await settled(page);
    await page.route('**/api/**', (route) => route.abort());
    await leadTo(page, '/tools');
    await page.getByText('The service is not reachable at the moment').first().waitFor();
    await page.unroute('**/api/**');
    await page.getByRole('table', { name: 'Calls by tool', exact: true }).waitFor();
  });
});
