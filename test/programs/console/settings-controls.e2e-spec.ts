import { describeInChromium } from '../../support/chromium.js';
import { ConsolePages } from '../../support/console-pages.js';
import type { GivenOrganization } from '../../support/given.js';
import { dialog, said } from '../../support/settings-pages.js';

const CONTROLS = '/api/v0/organization/enterprise-controls';
const SECRET = 'sk-live-0123456789abcdef';

describeInChromium()('enterprise controls in the settings', () => {
  let pages: ConsolePages;
  let org: GivenOrganization;

  beforeAll(async () => {
    pages = await ConsolePages.start({ env: { SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') } });
  });
  beforeEach(async () => {
    org = await pages.app.given.organization();
  });
  afterEach(async () => {
    await pages.closePages();
    expect(pages.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => pages.stop());

  const put = async (settings: object) => {
    const { status, text } = await pages.app.as(org.owner).put(CONTROLS, settings);
    if (status !== 200) throw new Error(text);
  };
  const inForce = async () => (await pages.app.as(org.owner).get(CONTROLS)).body;

  it('form and JSON follow each other, and nothing is saved before its difference was shown', async () => {
    await put({ commandDenylist: ['rm'], maxAutonomyLevel: 'low' });
    const page = await pages.open('/settings/controls', org.owner);
    await page.getByLabel('Commands never run').fill('rm\ncurl\n');
    await page.getByLabel('Most autonomy').selectOption('medium');
    expect(JSON.parse(await page.getByLabel('As JSON').inputValue())).toEqual({
      ...{ commandDenylist: ['rm', 'curl'], maxAutonomyLevel: 'medium' },
    });
    await page.getByLabel('As JSON').fill('{"commandDenylist": ["rm", "curl"], "sessionRetentionDays": 30');
    await page.locator('[aria-invalid]').waitFor();
    await page.getByLabel('As JSON').fill('{"commandDenylist": ["rm", "curl"], "sessionRetentionDays": 30}');
    await page.getByText('3 changes, not saved yet').waitFor();
    expect(await page.getByLabel('Most autonomy').inputValue()).toBe('');

    await page.getByRole('button', { name: 'Review and save' }).click();
    const review = dialog(page, 'Review the changes');
    expect((await review.getByRole('region', { name: 'Changes' }).innerText()).replace(/\s+/g, ' ')).toBe(
      'commandDenylist[] + after: curl maxAutonomyLevel − before: low sessionRetentionDays + after: 30',
    );
    expect((await inForce()).revision).toBe(1);
    await review.getByRole('button', { name: 'Save as revision 2' }).click();
    await said(page, /Saved/);
    expect(await inForce()).toMatchObject({
      ...{ revision: 2, settings: { commandDenylist: ['rm', 'curl'], sessionRetentionDays: 30 } },
    });
  });

  it('what the service refuses is said at its field', async () => {
    const page = await pages.open('/settings/controls', org.owner);
    await page.getByLabel('As JSON').fill('{"networkPolicy": {"allowedIps": ["here"]}, "surprise": 1}');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await dialog(page, 'Review the changes').getByRole('button', { name: /^Save/ }).click();
    await page
      .getByRole('alert')
      .getByText(/surprise/)
      .waitFor();
    expect(await page.getByLabel('Addresses that may ask').getAttribute('aria-invalid')).toBe('true');
    expect((await inForce()).revision).toBe(0);
  });

  it('when somebody else was quicker both sides are shown, and one of them is chosen', async () => {
    await put({ maxAutonomyLevel: 'low' });
    const page = await pages.open('/settings/controls', org.owner);
    const edit = async () => {
      await page.getByLabel('Most autonomy').selectOption('high');
      await page.getByRole('button', { name: 'Review and save' }).click();
      await dialog(page, 'Review the changes').getByRole('button', { name: /^Save/ }).click();
      await dialog(page, 'Somebody else was quicker').waitFor();
    };
    await page.getByLabel('Most autonomy').waitFor();
    await put({ maxAutonomyLevel: 'off' });
    await edit();
    const conflict = dialog(page, 'Somebody else was quicker');
    expect(await conflict.getByRole('region', { name: 'Mine' }).innerText()).toMatch(/low[\s\S]*high/);
    expect(await conflict.getByRole('region', { name: /^Theirs: revision 2/ }).innerText()).toMatch(/low[\s\S]*off/);
    await conflict.getByRole('button', { name: 'Keep theirs, discard mine' }).click();
    await page.getByText(/^Revision 2, set by/).waitFor();
    expect(await page.getByLabel('Most autonomy').inputValue()).toBe('off');

    await put({ maxAutonomyLevel: 'medium' });
    await edit();
    await conflict.getByRole('button', { name: 'Save mine over theirs' }).click();
    await page.getByText(/^Revision 4, set by/).waitFor();
    expect((await inForce()).settings).toEqual({ maxAutonomyLevel: 'high' });
  });

  it('any two revisions are compared, in the address, and an old one is restored', async () => {
    for (const level of ['off', 'low', 'medium']) await put({ maxAutonomyLevel: level, commandDenylist: [level] });
    const page = await pages.open('/settings/controls?view=history', org.owner);
    const comparison = page.getByRole('region', { name: 'Comparison' });
    await comparison.getByText('Revision 2 against revision 3').waitFor();
    await page.getByLabel('From revision 1').check();
    await page.reload();
    await comparison.getByText('Revision 1 against revision 3').waitFor();
    expect((await comparison.getByRole('definition').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual(
      [...['− revision 1: off', '+ revision 3: medium', '− revision 1: off', '+ revision 3: medium']],
    );
    await page.getByRole('button', { name: 'Restore revision 1' }).click();
    const restore = dialog(page, 'Restore revision 1');
    await restore.getByText(/Secrets are not kept in the history/).waitFor();
    await restore.getByRole('button', { name: 'Save as revision 4' }).click();
    await page.getByText(/^Revision 4, set by/).waitFor();
    expect((await inForce()).settings).toEqual({ maxAutonomyLevel: 'off', commandDenylist: ['off'] });
  });

  it('a secret is never shown, stays when its mask is saved, and cannot be restored once it is another', async () => {
    const model = (apiKey: string) => ({
      customModels: [{ id: 'custom:a', model: 'a', baseUrl: 'https://example.com', provider: 'openai', apiKey }],
    });
    await put(model(SECRET));
    const page = await pages.open('/settings/controls', org.owner);
    await page.getByLabel('Own models', { exact: true }).waitFor();
    expect(await page.getByLabel('As JSON').inputValue()).toContain('****cdef');
    expect(await page.content()).not.toContain(SECRET);
    await page.getByRole('heading', { level: 3, name: 'New sessions' }).click();
    await page.getByLabel('Most autonomy').selectOption('low');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await dialog(page, 'Review the changes').getByRole('button', { name: /^Save/ }).click();
    await page.getByText(/^Revision 2, set by/).waitFor();
    await put(model('sk-live-another-secret-9999'));
    await page.goto(`${pages.app.url}/console/settings/controls?view=history`);
    await page.getByRole('button', { name: 'Restore revision 1' }).click();
    await dialog(page, 'Restore revision 1').getByRole('button', { name: /^Save/ }).click();
    await dialog(page, 'Restore revision 1')
      .getByRole('alert')
      .getByText(/apiKey/)
      .waitFor();
    expect((await inForce()).revision).toBe(3);
  });
});
