import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { Role } from '../../../src/common/access/role.enum.js';
import { change, percent, shownValue } from '../../../src/web/format.js';
import { addDays, resolve } from '../../../src/web/ranges.js';
import { describeInChromium } from '../../support/chromium.js';
import { ConsolePages } from '../../support/console-pages.js';
import type { GivenOrganization, GivenUser } from '../../support/given.js';
import { variedEvents } from '../../support/given-questions.js';
import { aggregate, ANALYTICS, modelCall, report } from '../../support/given-usage.js';
import { stopAggregation } from '../../support/stop-aggregation.js';

const TODAY = new Date().toISOString().slice(0, 10);
const DAYS = Array.from({ length: 21 }, (_, i) => addDays(TODAY, i - 21));

describeInChromium()('pages of figures', () => {
  let pages: ConsolePages;
  let org: GivenOrganization;
  let users: GivenUser[];

  beforeAll(async () => {
    pages = await ConsolePages.start();
    await stopAggregation(pages.app);
    org = await pages.app.given.organization();
    users = [org.owner];
    for (let i = 0; i < 9; i++) users.push(await pages.app.given.user(org, { email: `person-${i}@example.com` }));
    const [, ...members] = users;
    await report(pages.app.as(org.owner), variedEvents(members, DAYS));
    await aggregate(pages.app);
  }, 60_000);
  afterEach(async () => {
    await pages.closePages();
    expect(pages.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => pages.stop());

  const ask = async (path: string) => (await pages.app.as(org.owner).get(`${ANALYTICS}${path}`)).body;
  const table = (page: Page, name: string) => page.getByRole('table', { name, exact: true });
  const rowsOf = async (page: Page, name: string) => {
    await table(page, name).waitFor();
    const rows = await table(page, name).locator('tbody tr').all();
    return Promise.all(rows.map((row) => row.locator('td').allInnerTexts()));
  };

  it.each(['range=28d', 'range=7d', 'range=7d&cmp=none', `from=${DAYS[3]}&to=${DAYS[17]}&cmp=year`])(
    'show the figures that the API answers for %s',
    async (search) => {
      const { range, from, to, cmp = 'previous' } = Object.fromEntries(new URLSearchParams(search));
      const period = resolve({ range, from, to } as never, TODAY);
      const asked = `startDate=${period.from}&endDate=${period.to}&compare=${cmp}`;
      const { data } = await ask(`/summary?${asked}`);
      const models = await ask(`/breakdown?${asked}&dimension=model&metric=billable_tokens&limit=8`);
      const page = await pages.open(`/?${search}`, org.owner);

      const cards = page.getByRole('group', { name: /^(Active people|Sessions|Tool calls)$/ });
      await cards.first().waitFor();
      for (const [metric, name] of [
        ['active_people', 'Active people'],
        ['sessions', 'Sessions'],
        ['tool_calls', 'Tool calls'],
      ] as const) {
        const text = await page.getByRole('group', { name, exact: true }).innerText();
        expect(text).toContain(shownValue(data.current[metric]));
        if (data.change) expect(text).toContain(change(data.change[metric]));
      }
      const shown = await rowsOf(page, 'Billable tokens by model');
      const rows = [
        ...models.data,
        ...(models.meta.has_more ? [{ ...models.other, label: 'Other' }] : []),
        { ...models.total, label: 'Total' },
      ];
      expect(shown).toEqual(
        rows.map(({ label, value, share, previous_value, change: ratio }) => [
          label,
          shownValue(value),
          percent(share),
          ...(cmp === 'none' ? [] : [shownValue(previous_value), change(ratio)]),
        ]),
      );
    },
  );

  it('show the same view after a reload, and the one before with the back button', async () => {
    const page = await pages.open('/usage', org.owner);
    await page.getByText('Person', { exact: true }).click();
    await page.getByText('Model calls', { exact: true }).click();
    const shown = await rowsOf(page, 'Model calls by person');
    expect(new URL(page.url()).search).toContain('by=user');
    await page.reload();
    expect(await rowsOf(page, 'Model calls by person')).toEqual(shown);
    await page.goBack();
    await table(page, 'Billable tokens by person').waitFor();
  });

  it('switch the comparison off and on with one key', async () => {
    const page = await pages.open('/usage', org.owner);
    await page.getByRole('columnheader', { name: 'Change' }).waitFor();
    await page.keyboard.press('x');
    await page.getByRole('columnheader', { name: 'Change' }).waitFor({ state: 'detached' });
    expect(page.url()).toContain('cmp=none');
    await page.keyboard.press('x');
    await page.getByRole('columnheader', { name: 'Change' }).waitFor();
  });

  it('save exactly the table that is shown', async () => {
    const page = await pages.open('/usage?cmp=none', org.owner);
    const shown = await rowsOf(page, 'Billable tokens by model');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).first().click();
    const lines = readFileSync(await (await saving).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines[0]).toBe('Model,Total,Share');
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(shown.map(([name]) => name));
    const totals = lines.slice(1).map((line) => shownValue(Number(line.split(',')[1])));
    expect(totals).toEqual(shown.map(([, total]) => total));
  });

  it('have a table for what a chart shows, and say its values to the keyboard', async () => {
    const page = await pages.open('/usage?range=7d', org.owner);
    const chart = page.getByRole('img', { name: /^Billable tokens by model/ });
    await chart.focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText(/^[A-Z][a-z]{2} \d+: .*priced/).waitFor();
    await page.getByText('As table').click();
    expect(await rowsOf(page, 'Billable tokens by model, by day')).toHaveLength(7);
  });

  it('search people at the service, and lead to one person', async () => {
    const page = await pages.open('/people', org.owner);
    await table(page, 'Billable tokens by person').waitFor();
    await page.getByLabel('Search').fill('person-1');
    await page.getByRole('link', { name: 'person-0@example.com' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'person-1@example.com' }).click();
    await page.getByRole('heading', { level: 1, name: 'person-1@example.com' }).waitFor();
    const { data } = await ask(
      `/people/${users[2]?.id}?startDate=${addDays(TODAY, -28)}&endDate=${addDays(TODAY, -1)}`,
    );
    const text = await page.getByRole('group', { name: 'Billable tokens', exact: true }).innerText();
    expect(text).toContain(shownValue(data.totals.billable_tokens));
  });

  it('show an event of today while it is still today', async () => {
    const page = await pages.open('/', org.owner);
    await page.getByText('Nothing yet today').waitFor();
    await report(pages.app.as(org.owner), [modelCall(org.owner, new Date().toISOString())]);
    await page.getByText('the day is not over').waitFor({ timeout: 25_000 });
  });

  it('show members their own figures, and nobody else’s', async () => {
    const member = users[3] as GivenUser;
    const page = await pages.open('/', member);
    await page.getByText('This month you have used').waitFor();
    await page.goto(`${pages.app.url}/console/people`);
    await page.getByText('Not for your role').waitFor();
    expect(member.role).toBe(Role.Member);
  });
});
