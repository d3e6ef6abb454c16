import { describeInChromium } from '../../support/chromium.js';
import { ConsolePages } from '../../support/console-pages.js';
import { givenModelFacts } from '../../support/given-model-facts.js';
import type { GivenOrganization } from '../../support/given.js';
import { stopAggregation } from '../../support/stop-aggregation.js';
import { dialog, rowOf, said } from '../../support/settings-pages.js';

const PRICES = '/api/v0/organization/prices';
const YEAR = new Date().getUTCFullYear();

describeInChromium()('prices in the settings', () => {
  let pages: ConsolePages;
  let org: GivenOrganization;

  beforeAll(async () => {
    pages = await ConsolePages.start();
    await stopAggregation(pages.app); // stored facts have no events behind them
  });
  beforeEach(async () => {
    org = await pages.app.given.organization();
    const facts = [{ model: 'in-house-coder', day: `${YEAR}-01-10`, input: 2_000_000, output: 1_000_000 }];
    await givenModelFacts(pages.app, org.id, facts, new Date());
  });
  afterEach(async () => {
    await pages.closePages();
    expect(pages.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => pages.stop());

  const own = async () => (await pages.app.as(org.owner).get(PRICES)).body.prices;

  it('a model without a price is named, gets one with a click, and is saved after its preview', async () => {
    const page = await pages.open('/settings/prices', org.owner);
    await page.getByRole('button', { name: 'Add a price of in-house-coder' }).click();
    const form = dialog(page, 'Price of a model');
    await form.getByLabel('Input').fill('2');
    await form.getByLabel('Output').fill('6');
    await form.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('button', { name: 'Preview and save' }).click();
    const preview = dialog(page, 'What would change');
    const row = preview.getByRole('row').filter({ hasText: 'in-house-coder' });
    expect((await row.innerText()).split(/\s*\t\s*/)).toEqual([
      ...[`${YEAR}-01`, 'in-house-coder', 'no price', '$10.00', '+$10.00'],
    ]);
    expect(await own()).toEqual([]);
    await preview.getByRole('button', { name: 'Save these prices' }).click();
    await said(page, /Saved/);
    expect(await own()).toEqual([{ model: 'in-house-coder', since: `${YEAR}-01-01`, input: '2', output: '6' }]);
    await page.getByRole('region', { name: 'Models without a price' }).waitFor({ state: 'detached' });
    const { body } = await pages.app.as(org.owner).get('/api/v0/organization/audit-log?action=organization_prices');
    expect(body.entries).toHaveLength(1);
    await page.getByLabel('Find a model').fill('in-house');
    await rowOf(page, 'in-house-coder').last().getByText('own price').waitFor();
  });

  it('rows and JSON are the same list, and what is refused is said at its row', async () => {
    const page = await pages.open('/settings/prices', org.owner);
    await page.getByRole('button', { name: 'Add a factor' }).click();
    const form = dialog(page, 'Factor on list prices');
    await form.getByLabel('Provider or channel').fill('anthropic');
    await form.getByLabel('Since').fill('2026-02-30');
    await form.getByLabel('Factor').fill('0.8');
    await form.getByRole('button', { name: 'Keep' }).click();
    await page.getByText('JSON', { exact: true }).click();
    expect(JSON.parse(await page.getByLabel('Prices as JSON').inputValue())).toEqual([
      { provider: 'anthropic', factor: '0.8', since: '2026-02-30' },
    ]);
    await page.getByRole('button', { name: 'Preview and save' }).click();
    await dialog(page, 'What would change').getByText(/since/).waitFor();
    await dialog(page, 'What would change').getByRole('button', { name: 'Back' }).click();
    await page.getByText('Rows', { exact: true }).click();
    await rowOf(page, 'all of anthropic × 0.8').getByRole('alert').getByText(/since/).waitFor();
    await page.getByRole('button', { name: /^Take out all of anthropic/ }).click();
    await page.getByText('No own prices').waitFor();
    expect(await page.getByRole('button', { name: 'Preview and save' }).isDisabled()).toBe(true);
  });

  it('when somebody else was quicker, theirs and mine are shown', async () => {
    const page = await pages.open('/settings/prices', org.owner);
    await page.getByRole('button', { name: 'Add a price of in-house-coder' }).click();
    await dialog(page, 'Price of a model').getByLabel('Input').fill('2');
    await dialog(page, 'Price of a model').getByLabel('Output').fill('6');
    await dialog(page, 'Price of a model').getByRole('button', { name: 'Keep' }).click();
    const theirs = { provider: 'openai', factor: '0.5', since: '2026-01-01' };
    await pages.app.as(org.owner).put(PRICES, { prices: [theirs] });
    await page.getByRole('button', { name: 'Preview and save' }).click();
    await dialog(page, 'What would change').getByRole('button', { name: 'Save these prices' }).click();
    const conflict = dialog(page, 'Somebody else was quicker');
    await conflict.getByText('openai').waitFor();
    await conflict.getByText('in-house-coder').waitFor();
    await conflict.getByRole('button', { name: 'Keep theirs, discard mine' }).click();
    await rowOf(page, 'all of openai × 0.5').waitFor();
    expect(await own()).toEqual([theirs]);
  });
});
