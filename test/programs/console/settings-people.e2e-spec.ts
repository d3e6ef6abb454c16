import { Role } from '../../../src/common/access/role.enum.js';
import { describeInChromium } from '../../support/chromium.js';
import { ConsolePages } from '../../support/console-pages.js';
import type { GivenOrganization } from '../../support/given.js';
import { givenTeam, teamsOf } from '../../support/given-teams.js';
import { dialog, rowOf, said } from '../../support/settings-pages.js';

describeInChromium()('people in the settings', () => {
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

  const memberOf = async (email: string) => {
    const { body } = await pages.app.as(org.owner).get(`/api/v0/organization/members?search=${email}`);
    return body.members[0];
  };

  it('a person is added, becomes a manager, is deactivated, let in again, and in the end erased', async () => {
    const page = await pages.open('/settings/members', org.owner);
    await page.getByRole('button', { name: 'Add a person' }).click();
    await dialog(page, 'Add a person').getByLabel('E-mail address').fill('ada@example.com');
    await dialog(page, 'Add a person').getByLabel('First name').fill('Ada');
    await dialog(page, 'Add a person').getByRole('button', { name: 'Add' }).click();
    await rowOf(page, 'ada@example.com').waitFor();
    await page.getByLabel('Role of Ada').selectOption('manager');
    await said(page, 'The role is changed');
    expect(await memberOf('ada@example.com')).toMatchObject({ role: 'manager', state: 'active', firstName: 'Ada' });

    await page.getByRole('button', { name: 'Deactivate Ada' }).click();
    await dialog(page, /Deactivate: Ada/)
      .getByRole('button', { name: 'Deactivate' })
      .click();
    await rowOf(page, 'Ada').getByText('deactivated').waitFor();
    await page.getByRole('button', { name: 'Reactivate Ada' }).click();
    await dialog(page, /Reactivate: Ada/)
      .getByRole('button', { name: 'Reactivate' })
      .click();
    await page.getByRole('button', { name: 'Deactivate Ada' }).click();
    await dialog(page, /Deactivate: Ada/)
      .getByRole('button', { name: 'Deactivate' })
      .click();
    await page.getByRole('button', { name: 'Erase Ada' }).click();
    await dialog(page, /Erase for good: Ada/)
      .getByRole('button', { name: 'Erase for good' })
      .click();
    await rowOf(page, 'Erased person').waitFor();
    expect(await page.getByText('ada@example.com').count()).toBe(0);
  });

  it('an address that is taken is said at the field, and the last owner stays one', async () => {
    const page = await pages.open('/settings/members', org.owner);
    await page.getByRole('button', { name: 'Add a person' }).click();
    const form = dialog(page, 'Add a person');
    await form.getByLabel('E-mail address').fill(org.owner.email);
    await form.getByRole('button', { name: 'Add' }).click();
    await form.locator('[aria-invalid]').waitFor();
    expect(await form.getByLabel('E-mail address').getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: `Deactivate ${org.owner.email}` }).click();
    await dialog(page, /Deactivate/)
      .getByRole('button', { name: 'Deactivate' })
      .click();
    await said(page, /last owner/i);
    expect(await memberOf(org.owner.email)).toMatchObject({ role: 'owner', state: 'active' });
  });

  it('filters stand in the address, so that a reload shows the same people', async () => {
    for (const name of ['ann', 'ben', 'cleo']) await pages.app.given.user(org, { email: `${name}@example.com` });
    const page = await pages.open('/settings/members', org.owner);
    await rowOf(page, 'cleo@example.com').waitFor();
    await page.getByLabel('Search').fill('BEN');
    await page.waitForURL(/search=BEN/);
    await rowOf(page, 'cleo@example.com').waitFor({ state: 'detached' });
    await page.getByLabel('Role').first().selectOption('owner');
    await page.getByText('Nobody matches').waitFor();
    await page.getByLabel('Role').first().selectOption('member');
    await page.reload();
    await rowOf(page, 'ben@example.com').waitFor();
    expect(await page.getByLabel('Search').inputValue()).toBe('BEN');
    expect(await rowOf(page, '@example.com').count()).toBe(1);
    await page.getByRole('link', { name: 'ben@example.com' }).click();
    await page.waitForURL('**/console/people/*');
  });

  it('a team is created, gets people with days, and says at the row who is elsewhere on a day', async () => {
    const ada = await pages.app.given.user(org, { email: 'ada@example.com' });
    await givenTeam(pages.app, org, 'Web', [{ userId: ada.id, from: '2026-03-01' }]);
    const page = await pages.open('/settings/teams', org.owner);
    await page.getByRole('button', { name: 'New team' }).click();
    await dialog(page, 'New team').getByLabel('Name').fill('web');
    await dialog(page, 'New team').getByRole('button', { name: 'Create' }).click();
    await dialog(page, 'New team').getByText('There is a team "Web" already.').waitFor();
    await dialog(page, 'New team').getByLabel('Name').fill('Backend');
    await dialog(page, 'New team').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 2, name: 'Backend' }).waitFor();

    await page.getByLabel('Add a person').fill('ada@example.com');
    await page.getByLabel('From (first day, UTC)').fill('2026-01-01');
    await page.getByRole('button', { name: 'Add to the list' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'ada@example.com')
      .getByRole('alert')
      .getByText(/is in the team "Web" on 2026-03-01/)
      .waitFor();
    await page.getByLabel(/Last day of/).fill('2026-02-28');
    await page.getByRole('button', { name: 'Save' }).click();
    await said(page, /Saved/);
    expect(await teamsOf(pages.app, org)).toEqual({
      Backend: [{ userId: ada.id, from: '2026-01-01', to: '2026-02-28' }],
      Web: [{ userId: ada.id, from: '2026-03-01' }],
    });
  });

  it('a team is renamed, and deleted only when nobody was ever in it', async () => {
    await givenTeam(pages.app, org, 'Old', [{ userId: org.owner.id, from: '2026-03-01', to: '2026-03-02' }]);
    const page = await pages.open('/settings/teams', org.owner);
    await page.getByRole('button', { name: 'Rename Old' }).click();
    await dialog(page, 'Rename Old').getByLabel('Name').fill('New');
    await dialog(page, 'Rename Old').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Delete New' }).click();
    await dialog(page, 'Delete New').getByRole('button', { name: 'Delete' }).click();
    await dialog(page, 'Delete New')
      .getByRole('alert')
      .getByText(/1 memberships/)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'New', exact: true }).click();
    await page.getByRole('button', { name: /Take .* out of the list/ }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Nobody is in this team.').waitFor();
    await page.getByRole('link', { name: 'All teams' }).click();
    await page.getByRole('button', { name: 'Delete New' }).click();
    await dialog(page, 'Delete New').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No teams yet').waitFor();
  });

  it('limits are typed into rows or into many at once; what is refused stands at its row', async () => {
    for (const name of ['ann', 'ben'])
      await pages.app.given.user(org, { email: `${name}@example.com`, role: Role.Member });
    const page = await pages.open('/settings/limits', org.owner);
    await page.getByLabel('Limit of ann@example.com').fill('lots');
    await rowOf(page, 'ann@example.com')
      .getByText(/such as 500000/)
      .waitFor();
    expect(await page.getByRole('button', { name: /^Save/ }).isDisabled()).toBe(true);
    await page.getByLabel('Choose everybody shown').check();
    await page.getByLabel('Limit of the 3 chosen').fill('2M');
    await page.getByRole('button', { name: 'Fill in for 3' }).click();
    await page.getByLabel('Limit of ann@example.com').fill('1.5M');
    const ben = await memberOf('ben@example.com');
    await pages.app.as(org.owner).delete(`/api/v0/organization/users/${ben.id}`);
    await pages.app.as(org.owner).post(`/api/v0/organization/users/${ben.id}/erase`);
    // The list cannot be read again just now, so that the row of the person who is gone stays.
    await page.route('**/usage/limits/users?*', (route) => route.abort());
    await page.getByRole('button', { name: 'Save 3 limits' }).click();
    await said(page, '2 limits are set.');
    await rowOf(page, 'ben@example.com')
      .getByText(/no user/i)
      .waitFor();
    const { body } = await pages.app.as(org.owner).get('/api/v0/organization/usage/limits/users');
    const limits = body.users.map(({ email, limit }: { email: string; limit: number }) => [email, limit]);
    expect(limits).toEqual([
      [org.owner.email, 2_000_000],
      ['ann@example.com', 1_500_000],
    ]);
  });
});
