import { ALL_ROLES, Role } from '../../../src/common/access/role.enum.js';
import { describeInChromium } from '../../support/chromium.js';
import { barriersOf, ConsolePages, sidewaysScroll } from '../../support/console-pages.js';
import type { GivenOrganization, GivenUser } from '../../support/given.js';

const { Owner, Manager, Member, Guest } = Role;

/** Each section, its heading, and who may open it. */
const SECTIONS: readonly (readonly [string, RegExp, readonly Role[]])[] = [
  ['members', /^Members$/, [Owner, Manager]],
  ['teams', /^Teams$/, [Owner, Manager]],
  ['limits', /^Credit limits$/, [Owner, Manager]],
  ['controls', /^Enterprise controls$/, [Owner, Manager]],
  ['prices', /^Own prices$/, [Owner]],
  ['organization', /^Who may read sessions$/, [Owner]],
  ['completeness', /^What arrived by day$/, [Owner, Manager]],
  ['audit', /^Audit log$/, [Owner]],
  ['api-keys', /API keys/, [Owner, Manager, Member]],
  ['my-sessions', /^Where I am signed in$/, [Owner, Manager, Member, Guest]],
];
const FIRST: Readonly<Record<Role, string>> = {
  owner: 'members',
  manager: 'members',
  member: 'api-keys',
  guest: 'my-sessions',
};

describeInChromium()('the settings of each role', () => {
  let pages: ConsolePages;
  let org: GivenOrganization;
  const users = new Map<Role, GivenUser>();

  beforeAll(async () => {
    pages = await ConsolePages.start();
    org = await pages.app.given.organization();
    for (const role of ALL_ROLES) users.set(role, await pages.app.given.user(org, { role }));
  });
  afterEach(async () => {
    await pages.closePages();
    expect(pages.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => pages.stop());

  it.each(ALL_ROLES)('open to a %s are those of the role; the others say for whom they are', async (role) => {
    const page = await pages.open('/settings', users.get(role) ?? null);
    await page.waitForURL(`**/console/settings/${FIRST[role]}`);
    const list = page.getByRole('navigation', { name: 'Sections of the settings' });
    await list.waitFor();
    expect(await list.getByRole('link').count()).toBe(SECTIONS.filter(([, , roles]) => roles.includes(role)).length);
    for (const [id, heading, roles] of SECTIONS) {
      const refused: number[] = [];
      page.removeAllListeners('response');
      page.on('response', (answer) => answer.status() === 403 && refused.push(answer.status()));
      await page.goto(`${pages.app.url}/console/settings/${id}`);
      if (roles.includes(role)) {
        await page.getByRole('heading', { level: 2, name: heading }).waitFor();
        await page.waitForLoadState('networkidle');
        expect({ id, refused, alerts: await page.getByRole('alert').count() }).toEqual({ id, refused: [], alerts: 0 });
      } else {
        await page.getByRole('heading', { level: 2, name: /not for your role$/ }).waitFor();
        await page.getByText(`You are a ${role}.`).waitFor();
      }
    }
  });

  it('a manager sees members, teams and controls without what only owners change', async () => {
    const page = await pages.open('/settings/members', users.get(Manager) ?? null);
    await page.getByRole('table', { name: 'Members' }).waitFor();
    for (const name of ['Add a person', 'Deactivate']) expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await page.getByLabel(/^Role of/).count()).toBe(0);
    await page.goto(`${pages.app.url}/console/settings/teams`);
    await page.getByText('No teams yet').waitFor();
    expect(await page.getByRole('button', { name: 'New team' }).count()).toBe(0);
    await page.goto(`${pages.app.url}/console/settings/controls`);
    await page.getByLabel('As JSON').waitFor();
    expect(await page.getByLabel('As JSON').getAttribute('readonly')).not.toBeNull();
    expect(await page.getByRole('button', { name: 'Review and save' }).count()).toBe(0);
  });

  it.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('at %d pixels, %s, no section keeps anybody out or scrolls sideways', async (width, theme) => {
    const page = await pages.open('/settings/members', users.get(Owner) ?? null, { width, theme });
    for (const [id, heading] of SECTIONS) {
      await page.goto(`${pages.app.url}/console/settings/${id}`);
      await page.getByRole('heading', { level: 2, name: heading }).waitFor();
      await page.waitForLoadState('networkidle');
      expect({ id, barriers: await barriersOf(page) }).toEqual({ id, barriers: [] });
      expect({ id, sideways: await sidewaysScroll(page) }).toEqual({ id, sideways: 0 });
    }
  });

  it('on narrow screens the section is chosen in a select', async () => {
    const page = await pages.open('/settings', users.get(Owner) ?? null, { width: 390 });
    await page.getByLabel('Section of the settings').selectOption('audit');
    await page.waitForURL('**/console/settings/audit');
    await page.getByRole('heading', { level: 2, name: 'Audit log' }).waitFor();
  });
});
