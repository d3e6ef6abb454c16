import type { Page } from 'playwright-core';
import { Role } from '../../../src/common/access/role.enum.js';
import { describeInChromium } from '../../support/chromium.js';
import { barriersOf, ConsolePages, sidewaysScroll } from '../../support/console-pages.js';
import { givenReport, share } from '../../support/given-report.js';
import type { GivenOrganization } from '../../support/given.js';

const WAIT_MS = 12_000;

describeInChromium()('the pages of readiness', () => {
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

  const open = async (...where: Parameters<ConsolePages['open']>): Promise<Page> => {
    const page = await pages.open(...where);
    page.setDefaultTimeout(WAIT_MS);
    return page;
  };

  const given = (report: object, repoUrl = 'https://github.com/acme/shop') =>
    givenReport(pages.app, org.owner, { repoUrl, report });

  it('says what to do where nothing was evaluated', async () => {
    const page = await open('/readiness', org.owner);
    await page.getByText('No repository was evaluated yet').waitFor();
  });

  it('leads from a repository to its report, what changed, and one criterion everywhere', async () => {
    await given({ lint_config: share(1, 2), readme: share(0, 1) });
    await given({ lint_config: share(2, 2), readme: share(0, 1), unit_tests: share(1, 1, 'There are tests.') });
    await given({ lint_config: share(0, 1, 'None.') }, 'https://github.com/acme/mobile');
    const member = await pages.app.given.user(org, { role: Role.Member });
    const page = await open('/readiness', member);
    const row = page.getByRole('row', { name: /acme\/shop/ });
    await row.getByText('4 Optimized').waitFor();
    await row.getByText('66.7%').waitFor();
    await row.getByText('+41.7 points').waitFor();
    await row.getByText('1 better, 0 worse').waitFor();
    await row.getByText('1 of 3').waitFor();
    await page.getByLabel('Find a repository').fill('mob');
    await row.waitFor({ state: 'detached' });
    expect(page.url()).toContain('find=mob');
    await page.getByLabel('Find a repository').fill('');
    await row.getByRole('link').click();

    await page.getByRole('heading', { level: 1, name: 'acme/shop' }).waitFor();
    const changed = page.getByRole('region', { name: 'What changed' });
    await changed.getByRole('heading', { name: 'Better (1)' }).waitFor();
    await changed.getByText('1 of 2 → 2 of 2').waitFor();
    await changed.getByText('not evaluated → met').waitFor();
    const pillars = page.getByRole('region', { name: 'Pillars' });
    expect(await pillars.getByText('100%').count()).toBeGreaterThan(0);
    await page.getByRole('region', { name: 'Criteria', exact: true }).first().getByText('There are tests.').waitFor();
    await page.getByText('Failing', { exact: true }).click();
    await page.getByText('There are tests.').waitFor({ state: 'detached' });
    await page.reload();
    await changed.getByRole('link', { name: 'lint_config' }).click();

    await page.getByRole('heading', { level: 1, name: 'lint_config' }).waitFor();
    await page
      .getByRole('row', { name: /acme\/mobile/ })
      .getByText('missing')
      .waitFor();
    await page
      .getByRole('row', { name: /acme\/shop/ })
      .getByText('met 2/2')
      .waitFor();
    await page.getByRole('link', { name: 'All criteria' }).click();
    await page
      .getByRole('row', { name: /lint_config/ })
      .getByText('50%')
      .waitFor();
  });

  it('compares any two reports of a repository', async () => {
    const first = await given({ readme: share(1, 1) });
    await given({ readme: share(0, 1) });
    const { reportId } = await given({ readme: share(0, 1) });
    const page = await open(`/readiness/reports/${reportId}`, org.owner);
    await page.getByText('No criterion differs.').waitFor();
    await page.getByLabel('Compared with the report of').selectOption(first.reportId);
    await page.getByRole('heading', { name: 'Worse (1)' }).waitFor();
    expect(page.url()).toContain(`against=${first.reportId}`);
    await page.reload();
    await page.getByRole('heading', { name: 'Worse (1)' }).waitFor();
  });

  it('makes no link of an address that is no web page, and shows hostile names as text', async () => {
    const criterion = '<b onclick=alert(1)>x/../y?';
    const repoUrl = 'git+ssh://git@javascript.example/alert/1';
    const { reportId } = await given({ [criterion]: share(0, 1, '<script>alert(1)</script>') }, repoUrl);
    const page = await open(`/readiness/reports/${reportId}`, org.owner, { width: 390 });
    await page.getByText(repoUrl).waitFor();
    await page.getByText('<script>alert(1)</script>').waitFor();
    const addresses: string[] = await page.evaluate(`[...document.querySelectorAll('a')].map((link) => link.protocol)`);
    expect(new Set(addresses)).toEqual(new Set(['http:']));
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('link', { name: criterion }).first().click();
    await page.getByRole('heading', { level: 1, name: criterion }).waitFor();
    await page.getByText('missing').waitFor();
  });

  it('says what is wrong with an address of no report', async () => {
    const page = await open('/readiness/reports/01980f74-7e66-7f70-8182-9d0e1f2a3b4c', org.owner);
    await page.getByRole('alert').waitFor();
  });
});
