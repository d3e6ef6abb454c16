import { addDays } from '../../../src/web/ranges.js';
import { describeInChromium } from '../../support/chromium.js';
import { ConsolePages } from '../../support/console-pages.js';
import type { GivenOrganization } from '../../support/given.js';
import { givenTeam } from '../../support/given-teams.js';
import { otlpSample, replaced, splitRequest } from '../../support/otlp-requests.js';
import { rowOf, savedText } from '../../support/settings-pages.js';

const AUDIT = '/api/v0/organization/audit-log';
const today = () => new Date().toISOString().slice(0, 10);

describeInChromium()('records in the settings', () => {
  let pages: ConsolePages;
  let org: GivenOrganization;

  beforeAll(async () => {
    pages = await ConsolePages.start();
    org = await pages.app.given.organization();
    const owner = pages.app.as(org.owner);
    for (let i = 0; i < 30; i++)
      await owner.post('/api/v0/organization/users', { email: `u${i}@example.com`, role: 'member' });
    const { body } = await owner.get('/api/v0/organization/members?search=u7@');
    await owner.patch(`/api/v0/organization/users/${body.members[0].id}`, { role: 'manager' });
    for (let i = 0; i < 25; i++) await givenTeam(pages.app, org, `Team ${i}`);
  });
  afterEach(async () => {
    await pages.closePages();
    expect(pages.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => pages.stop());

  it('the audit log is filtered in the address, goes on to its end, and its CSV is exactly that', async () => {
    const page = await pages.open('/settings/audit', org.owner);
    await page.getByLabel('Action').selectOption('user');
    await page.waitForURL(/action=user/);
    await page.getByLabel('Actor').fill(org.owner.email);
    await page.waitForURL(/actor=/);
    await rowOf(page, 'team.created').first().waitFor({ state: 'detached' });
    const { body } = await pages.app.as(org.owner).get(`${AUDIT}?limit=100&action=user&actor=${org.owner.email}`);
    expect(body.entries).toHaveLength(31);
    const shown = page.getByRole('table', { name: 'Audit log' }).locator('tbody tr');
    expect(await shown.count()).toBe(31);
    const csv = await savedText(page, () => page.getByRole('button', { name: 'CSV' }).click());
    const ids = csv
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(',')[0]);
    expect(ids).toEqual(body.entries.map(({ id }: { id: string }) => id));
    const times = await Promise.all((await shown.locator('time').all()).map((time) => time.getAttribute('datetime')));
    expect(times).toEqual(body.entries.map(({ at }: { at: string }) => at));
  });

  it('shows what changed, and the request that did it', async () => {
    const page = await pages.open('/settings/audit?action=user.changed', org.owner);
    const [entry] = (await pages.app.as(org.owner).get(`${AUDIT}?action=user.changed`)).body.entries;
    const row = rowOf(page, 'user.changed');
    await row.getByText('Show').click();
    expect((await row.getByRole('definition').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual([
      ...['− before: member', '+ after: manager'],
    ]);
    await row.getByText(entry.requestId).waitFor();
  });

  it('loads more to the end, and finds everything about a target with one click', async () => {
    const page = await pages.open('/settings/audit', org.owner);
    const rows = page.getByRole('table', { name: 'Audit log' }).locator('tbody tr');
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' });
    expect(await rows.count()).toBeGreaterThan(55);
    await rowOf(page, 'user.changed').locator('button').nth(1).click();
    await page.waitForURL(/target=/);
    await rowOf(page, 'team.created').first().waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(2);
  });

  it('days of the filter are whole days', async () => {
    const page = await pages.open(`/settings/audit?since=${today()}&until=${today()}&action=user.changed`, org.owner);
    await rowOf(page, 'user.changed').waitFor();
    await page.getByLabel('To (UTC)').fill(addDays(today(), -1));
    await page.getByLabel('From (UTC)').fill(addDays(today(), -2));
    await page.getByText('No entry matches').waitFor();
  });

  it('shows who sends telemetry, and why something was refused, within seconds', async () => {
    const page = await pages.open('/settings/completeness', org.owner);
    await page.getByText('No agent has sent telemetry yet').waitFor();
    const prompt = splitRequest(otlpSample('claude-code-logs-http-json'))[0] ?? {};
    const late = replaced(prompt, /"timeUnixNano":"\d+"/g, '"timeUnixNano":"4102444800000000000"');
    const { status } = await pages.app.as(org.owner).post('/api/otlp/v1/logs', late);
    expect(status).toBe(200);
    const row = rowOf(page, 'claude-code');
    await row.getByText('at lies in the future').waitFor();
    expect(await row.innerText()).toContain('2.1.197');
    expect(await row.innerText()).toContain(org.owner.email);
  });
});
