import type { Page } from 'playwright-core';
import { Role } from '../../../src/common/access/role.enum.js';
import { describeInChromium } from '../../support/chromium.js';
import { ConsolePages } from '../../support/console-pages.js';
import type { GivenOrganization } from '../../support/given.js';

describeInChromium()('the console', () => {
  let pages: ConsolePages;
  let org: GivenOrganization;

  beforeAll(async () => {
    pages = await ConsolePages.start();
    org = await pages.app.given.organization();
  });
  afterEach(async () => {
    await pages.closePages();
    expect(pages.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => pages.stop());

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  it('asks who is not signed in for a key, shows the page that was asked for, and keeps no key', async () => {
    const page = await pages.open('/usage?range=7d', null);
    await page.getByLabel('API key').fill(org.owner.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'Usage & cost');
    expect(page.url()).toBe(`${pages.app.url}/console/usage?range=7d`);
    const kept: string = await page.evaluate(
      'JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.documentElement.outerHTML + document.cookie',
    );
    expect(kept).not.toContain(org.owner.key);
  });

  it('says why a key does not open the door', async () => {
    const page = await pages.open('/', null);
    await page.getByLabel('API key').fill('apk_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(/key/i).and(page.locator('[id$="-note"]')).waitFor();
    expect(await page.getByLabel('API key').getAttribute('aria-invalid')).toBe('true');
  });

  it('finds pages with the keyboard alone', async () => {
    const page = await pages.open('/', org.owner);
    await heading(page, 'Overview');
    await page.keyboard.press('/');
    await page.keyboard.type('peo');
    await page.keyboard.press('Enter');
    await heading(page, 'People');
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await heading(page, 'Usage & cost');
    await page.goBack();
    await heading(page, 'People');
  });

  it('finds a computer by its name, and shows it', async () => {
    await pages.app.as(org.owner).post('/api/v0/computers', { name: 'build-machine' });
    const page = await pages.open('/', org.owner);
    await heading(page, 'Overview');
    await page.keyboard.press('/');
    await page.keyboard.type('build');
    await page.getByRole('option', { name: /build-machine/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('build-machine').first().waitFor();
  });

  it.each([
    [
      Role.Owner,
      ['Overview', 'Usage & cost', 'People', 'Tools', 'Sessions', 'Computers', 'Readiness', 'Connect', 'Settings'],
    ],
    [
      Role.Manager,
      ['Overview', 'Usage & cost', 'People', 'Tools', 'Sessions', 'Computers', 'Readiness', 'Connect', 'Settings'],
    ],
    [Role.Member, ['Overview', 'Sessions', 'Computers', 'Readiness', 'Connect', 'Settings']],
    [Role.Guest, ['Overview', 'Settings']],
  ])('offers a %s the pages of that role', async (role, names) => {
    const page = await pages.open('/', await pages.app.given.user(org, { role }));
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts()).toEqual(names);
  });

  it('asks for a new sign-in within a second when the key behind the session is revoked, and goes on where it was', async () => {
    const user = await pages.app.given.user(org, { role: Role.Owner });
    const page = await pages.open('/', user);
    const following = page.waitForResponse((answer) => answer.url().endsWith('/api/v0/events'));
    await page.goto(`${pages.app.url}/console/usage?by=team`);
    await following;
    await heading(page, 'Usage & cost');
    const { apiKeys } = (await pages.app.as(org.owner).get('/api/v0/api-keys')).body;
    const key = apiKeys.find(({ userId }: { userId: string }) => userId === user.id);
    await pages.app.as(org.owner).delete(`/api/v0/api-keys/${key.id}`);
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor({ timeout: 1_000 });
    await dialog.getByLabel('API key').fill(org.owner.key);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(page.url()).toBe(`${pages.app.url}/console/usage?by=team`);
  });

  it('is usable in ten tabs of one browser over plain HTTP', async () => {
    const first = await pages.open('/', org.owner);
    const tabs = await Promise.all(Array.from({ length: 9 }, () => first.context().newPage()));
    for (const tab of tabs) {
      await tab.goto(`${pages.app.url}/console/usage`);
      await heading(tab, 'Usage & cost');
    }
  });
});
