import type { Page } from 'playwright-core';
import { Role } from '../../../src/common/access/role.enum.js';
import { describeInChromium } from '../../support/chromium.js';
import { ConsolePages } from '../../support/console-pages.js';
import type { GivenOrganization } from '../../support/given.js';
import { dialog, rowOf, said } from '../../support/settings-pages.js';

describeInChromium()('access in the settings', () => {
  let pages: ConsolePages;
  let org: GivenOrganization;

  beforeAll(async () => {
    pages = await ConsolePages.start();
  });
  beforeEach(async () => {
    org = await pages.app.given.organization();
  });
  afterEach(async () => {
    await pages.closePages();
    expect(pages.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => pages.stop());

  const everythingOf = (page: Page): Promise<string> =>
    page.evaluate(
      `document.documentElement.outerHTML + location.href + JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])`,
    );

  it('a new key is shown once, works, and is nowhere in the page after closing', async () => {
    const page = await pages.open('/settings/api-keys', org.owner);
    await page.getByRole('button', { name: 'New API key' }).click();
    const form = dialog(page, 'New API key');
    await form.getByLabel('What it is for').fill('ci');
    await form.getByLabel('What it may do').selectOption('telemetry');
    await form.getByLabel('How long it works').selectOption('30');
    await form.getByRole('button', { name: 'Create' }).click();
    const shown = dialog(page, /The key/);
    const key = await shown.getByRole('region', { name: 'API key' }).innerText();
    expect(key).toMatch(/^apk_/);
    await page.keyboard.press('Escape');
    expect(await shown.isVisible()).toBe(true);
    await shown.getByRole('button', { name: 'I have it' }).click();
    await shown.waitFor({ state: 'detached' });
    expect(await everythingOf(page)).not.toContain(key.slice(12));

    expect((await pages.app.withBearer(key).post('/api/v1/ingest/events', { events: [] })).status).toBe(200);
    expect((await pages.app.withBearer(key).get('/api/v0/me')).status).toBe(403);
    const row = rowOf(page, key.slice(0, 10));
    expect(await row.innerText()).toMatch(/send telemetry[\s\S]*in 30 days/);
    expect(await row.innerText()).toContain(org.owner.email);
  });

  it('an owner creates a key for somebody, and revokes it after a question', async () => {
    const ada = await pages.app.given.user(org, { email: 'ada@example.com' });
    const page = await pages.open('/settings/api-keys', org.owner);
    await page.getByRole('button', { name: 'New API key' }).click();
    await dialog(page, 'New API key').getByLabel('What it is for').fill('for ada');
    await dialog(page, 'New API key').getByLabel('Of whom').fill('ada@example.com');
    await dialog(page, 'New API key').getByRole('button', { name: 'Create' }).click();
    const key = await dialog(page, /The key/)
      .getByRole('region', { name: 'API key' })
      .innerText();
    await dialog(page, /The key/)
      .getByRole('button', { name: 'I have it' })
      .click();
    expect((await pages.app.withBearer(key).get('/api/v0/me')).body.user.id).toBe(ada.id);
    await page.getByRole('button', { name: 'Revoke for ada' }).click();
    await dialog(page, 'Revoke for ada').getByRole('button', { name: 'Cancel' }).click();
    expect((await pages.app.withBearer(key).get('/api/v0/me')).status).toBe(200);
    await page.getByRole('button', { name: 'Revoke for ada' }).click();
    await dialog(page, 'Revoke for ada').getByRole('button', { name: 'Revoke' }).click();
    await rowOf(page, 'for ada').waitFor({ state: 'detached' });
    expect((await pages.app.withBearer(key).get('/api/v0/me')).status).toBe(401);
  });

  it('a key that another program creates appears by itself', async () => {
    const page = await pages.open('/settings/api-keys', org.owner);
    await page.getByRole('table', { name: 'API keys' }).waitFor();
    await page.waitForLoadState('networkidle', { timeout: 1_000 }).catch(() => undefined);
    await pages.app.as(org.owner).post('/api/v0/api-keys', { name: 'made elsewhere' });
    await rowOf(page, 'made elsewhere').waitFor();
  });

  it('a session that is ended here asks for a sign-in in its own open page within a second', async () => {
    const user = await pages.app.given.user(org, { role: Role.Member });
    const other = await pages.open('/settings/my-sessions', user);
    await other.waitForResponse((answer) => answer.url().endsWith('/api/v0/events'));
    await other.getByText('this browser').waitFor();
    const page = await pages.open('/settings/my-sessions', user);
    await page.getByRole('button', { name: /^Sign out Chrome/ }).waitFor();
    const ended = page.waitForResponse((answer) => answer.request().method() === 'DELETE');
    await page.getByRole('button', { name: /^Sign out Chrome/ }).click();
    await ended;
    await dialog(other, 'Your session has ended').waitFor({ timeout: 1_000 });
    await said(page, 'That browser is signed out.');
    expect(await page.getByRole('row').count()).toBe(2);
  });

  it('all other browsers are signed out at once, and this one stays', async () => {
    const others = await Promise.all([pages.open('/settings/api-keys', org.owner), pages.open('/', org.owner)]);
    await Promise.all(others.map((other) => other.getByRole('heading', { level: 1 }).waitFor()));
    const page = await pages.open('/settings/my-sessions', org.owner);
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await dialog(page, 'Sign out everywhere else').getByText('2 other browsers').waitFor();
    await dialog(page, 'Sign out everywhere else').getByRole('button', { name: 'Sign out' }).click();
    await Promise.all(others.map((other) => dialog(other, 'Your session has ended').waitFor()));
    await page.reload();
    await page.getByText('this browser').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
  });

  it('who may read sessions is said and changed', async () => {
    const page = await pages.open('/settings/organization', org.owner);
    expect(await page.getByLabel(/Only the person/).isChecked()).toBe(true);
    await page.getByLabel(/That person, and owners/).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await said(page, /Saved/);
    const { body } = await pages.app.as(org.owner).get('/api/v0/organization/settings');
    expect(body).toEqual({ sessionContentAccess: 'owners' });
    await page.reload();
    await page.getByLabel(/That person, and owners/).waitFor();
    expect(await page.getByLabel(/That person, and owners/).isChecked()).toBe(true);
  });
});
