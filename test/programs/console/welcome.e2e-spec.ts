import type { Page } from 'playwright-core';
import { Role } from '../../../src/common/access/role.enum.js';
import { ConsoleCommands } from '../../../src/modules/console/console-commands.js';
import { describeInChromium } from '../../support/chromium.js';
import { barriersOf, ConsolePages, sidewaysScroll } from '../../support/console-pages.js';
import { eventually } from '../../support/eventually.js';
import { modelCall, report } from '../../support/given-usage.js';
import type { GivenOrganization } from '../../support/given.js';

const DAY_MS = 86_400_000;
const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);

const WAIT_MS = 12_000;

describeInChromium()('the first run', () => {
  let pages: ConsolePages;
  let org: GivenOrganization;

  beforeAll(async () => {
    // A short demo.
    pages = await ConsolePages.start({ env: { ANALYTICS_FIRST_DAY: day(3) } });
  });
  beforeEach(async () => {
    org = await pages.app.given.organization();
  });
  afterEach(async () => {
    await pages.closePages();
    expect(pages.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => pages.stop());

  const open = async (...where: Parameters<ConsolePages['open']>): Promise<Page> => {
    const page = await pages.open(...where);
    page.setDefaultTimeout(WAIT_MS);
    return page;
  };

  const link = async () => {
    const text = await pages.app.nest.get(ConsoleCommands).signIn({ org: org.id });
    return new URL(text.split('\n').at(-1) ?? '').hash;
  };
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const demo = async () => (await pages.app.as(org.owner).get('/api/v0/demo')).body;

  it('begins with the welcome page where nothing has happened, and with charts where something has', async () => {
    const page = await open(`/${await link()}`, null);
    await heading(page, 'Welcome');
    expect(page.url()).toBe(`${pages.app.url}/console/welcome`);
    await page.getByRole('link', { name: 'Connect an agent' }).click();
    await heading(page, 'Connect an agent');

    await report(pages.app.as(org.owner), [modelCall(org.owner, new Date().toISOString())]);
    const today = () => pages.app.as(org.owner).get('/api/v1/analytics/today');
    await eventually('today has it', async () => (await today()).body.data.active_people === 1);
    const other = await open(`/${await link()}`, null);
    await heading(other, 'Overview');
    await other.getByText('Today so far').waitFor();
    expect(other.url()).toBe(`${pages.app.url}/console/`);
  });

  it('looks around with demo data, says so on every page, and comes back', async () => {
    const page = await open('/welcome', org.owner);
    await page.getByRole('button', { name: 'Look around' }).click();
    const banner = page.getByRole('region', { name: 'Demo', exact: true });
    await banner.getByText('Demo organization: invented figures.').waitFor({ timeout: 30_000 });
    await heading(page, 'Overview');
    await page.getByText('Billable tokens by model').first().waitFor();
    await page.goto(`${pages.app.url}/console/readiness`);
    await page.getByText('storefront-api').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await banner.getByRole('button', { name: 'Back to your own' }).click();
    await heading(page, 'Welcome');
    expect(await banner.count()).toBe(0);
    await page.getByRole('button', { name: 'Enter “Demo”' }).waitFor();
  }, 60_000);

  it('removes the demo from inside, or from the welcome page', async () => {
    const page = await open('/welcome', org.owner);
    await page.getByRole('button', { name: 'Enter “Demo”' }).click();
    const remove = page
      .getByRole('region', { name: 'Demo', exact: true })
      .getByRole('button', { name: 'Remove the demo' });
    await remove.click({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Look around' }).waitFor({ timeout: 30_000 });
    expect((await demo()).state).toBe('none');

    await pages.app.as(org.owner).post('/api/v0/demo');
    await page.reload();
    await page.getByRole('button', { name: 'Remove the demo' }).click();
    await page.getByText('The demo is removed').waitFor({ timeout: 30_000 });
    expect((await demo()).state).toBe('none');
  }, 60_000);

  it('offers the demo to owners alone, and can be used on a small screen', async () => {
    const member = await pages.app.given.user(org, { role: Role.Member });
    const page = await open('/welcome', member, { width: 390 });
    await page.getByRole('link', { name: 'Connect an agent' }).waitFor();
    expect(await page.getByText('Look around').count()).toBe(0);
    const own = await open('/welcome', org.owner, { width: 390, theme: 'dark' });
    await own.getByRole('button', { name: 'Look around' }).waitFor();
    expect([await barriersOf(own), await sidewaysScroll(own)]).toEqual([[], 0]);
  });
});
