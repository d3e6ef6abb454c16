import type { Page } from 'playwright-core';
import { Role } from '../../../src/common/access/role.enum.js';
import { AgentMachine } from '../../support/agent-machine.js';
import { describeInChromium } from '../../support/chromium.js';
import { barriersOf, ConsolePages, sidewaysScroll } from '../../support/console-pages.js';
import type { GivenOrganization, GivenUser } from '../../support/given.js';
import { givenComputer, givenMessage, givenSession } from '../../support/given-session.js';

describeInChromium()('the sessions in the console', () => {
  let pages: ConsolePages;
  let org: GivenOrganization;
  let ada: GivenUser;

  beforeAll(async () => {
    pages = await ConsolePages.start();
  });
  beforeEach(async () => {
    org = await pages.app.given.organization();
    ada = await pages.app.given.user(org);
  });
  afterEach(async () => {
    await pages.closePages();
    expect(pages.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => pages.stop());

  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
  const nameOf = async (computerId: string): Promise<string> =>
    (await pages.app.as(ada).get(`/api/v0/computers/${computerId}`)).body.name;

  async function givenTitled(title: string, computerId?: string) {
    const session = await givenSession(pages.app, ada, computerId);
    await givenMessage(pages.app, session, title);
    return session;
  }

  it('begin with an invitation, and say how to go on without a computer', async () => {
    const page = await pages.open('/sessions', ada);
    await page.getByText('You have no sessions yet').waitFor();
    await page.getByRole('button', { name: 'Start the first one' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Connect a computer' }).waitFor();
  });

  it('are listed with the name of the computer, filtered by it in the address, and loaded page by page', async () => {
    const [first, second] = [await givenComputer(pages.app, ada), await givenComputer(pages.app, ada)];
    await givenTitled('on the first', first);
    for (let i = 0; i < 31; i++) await givenSession(pages.app, ada, second);
    await givenTitled('on the second', second);
    const page = await pages.open('/sessions', ada);
    await row(page, 'on the second')
      .getByText(await nameOf(second))
      .waitFor();
    await row(page, 'on the second').getByText('Waiting').waitFor();
    expect(await row(page, 'on the first').count()).toBe(0);
    await page.getByRole('button', { name: 'Load more' }).click();
    await row(page, 'on the first').waitFor();
    expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);
    expect(await page.getByRole('row').count()).toBe(34);
    await page.getByLabel('Computer').selectOption(first);
    await row(page, 'on the second').waitFor({ state: 'detached' });
    expect(page.url()).toContain(`computer=${first}`);
    await page.reload();
    await row(page, 'on the first').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByLabel('Status').selectOption('running');
    await page.getByRole('button', { name: 'Show all' }).click();
    await row(page, 'on the second').waitFor();
  });

  it('appear and change while one looks', async () => {
    const page = await pages.open('/', ada);
    const following = page.waitForResponse((answer) => answer.url().endsWith('/api/v0/events'));
    await page.goto(`${pages.app.url}/console/sessions`);
    await following;
    await page.getByText('You have no sessions yet').waitFor();
    const session = await givenTitled('made elsewhere');
    await row(page, 'made elsewhere').getByText('Waiting').waitFor();
    await pages.app.as(ada).post(`${session.path}/interrupt`);
    await row(page, 'made elsewhere').getByText('Idle').waitFor();
    await pages.app.as(ada).delete(session.path);
    await row(page, 'made elsewhere').waitFor({ state: 'detached' });
  });

  it('are searched in all messages, and a hit leads to its message', async () => {
    const session = await givenTitled('the first message');
    await givenMessage(pages.app, session, 'a wombat lives here');
    await givenTitled('nothing of interest');
    const page = await pages.open('/sessions', ada);
    await page.getByRole('searchbox').fill('wombat');
    await page.getByRole('searchbox').press('Enter');
    await page.locator('mark').filter({ hasText: 'wombat' }).waitFor();
    expect(page.url()).toContain('q=wombat');
    await page.getByRole('link', { name: 'the first message' }).click();
    await page.getByRole('article').filter({ hasText: 'a wombat lives here' }).waitFor();
    expect(page.url()).toMatch(/#m-[0-9a-f-]{36}$/);
    await page.goBack();
    await page.locator('mark').filter({ hasText: 'wombat' }).waitFor();
    await page.getByRole('searchbox').fill('zebra');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('Nothing found').waitFor();
  });

  it('are begun with a computer, a first message and settings, and the agent answers', async () => {
    const machine = new AgentMachine(pages.app, ada);
    try {
      await machine.connected();
      const page = await pages.open('/sessions', ada);
      await page.getByRole('button', { name: 'New session' }).click();
      const dialog = page.getByRole('dialog', { name: 'New session' });
      expect(await dialog.getByLabel('Computer').locator('option').allInnerTexts()).toEqual([
        `${machine.name} (online)`,
      ]);
      await dialog.getByLabel('First message').fill('hello agent');
      await dialog.getByLabel('Model').fill('echo-2');
      await dialog.getByLabel('Autonomy').selectOption('low');
      await dialog.getByRole('button', { name: 'Start' }).dblclick();
      await page.getByRole('heading', { level: 1, name: 'hello agent' }).waitFor();
      await page
        .getByRole('article', { name: /^Agent/ })
        .filter({ hasText: 'hello agent' })
        .waitFor();
      const { sessions } = (await pages.app.as(ada).get('/api/v0/sessions')).body;
      expect(sessions).toMatchObject([{ sessionSettings: { model: 'echo-2', autonomyLevel: 'low' } }]);
    } finally {
      await machine.remove();
    }
  }, 60_000);

  it('say in the dialog why one cannot be begun', async () => {
    await givenComputer(pages.app, org.owner); // private to the owner
    const page = await pages.open('/sessions', ada);
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByLabel('First message').fill('let me in');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /private/ })
      .waitFor();
    expect(await page.getByLabel('First message').inputValue()).toBe('let me in');
  });

  it('of others are listed for owners and managers without their titles, and with filters', async () => {
    const secret = await givenTitled('a secret title');
    const bob = await pages.app.given.user(org);
    const other = await givenSession(pages.app, bob);
    for (const role of [Role.Owner, Role.Manager]) {
      const page = await pages.open('/sessions', await pages.app.given.user(org, { role }));
      await page.getByText('Everybody’s').click();
      await row(page, ada.email).waitFor();
      expect(page.url()).toContain('of=organization');
      expect(await page.getByText('a secret title').count()).toBe(0);
      await page.getByLabel('Person').selectOption(bob.id);
      await row(page, ada.email).waitFor({ state: 'detached' });
      await row(page, bob.email).waitFor();
      await page.getByLabel('Begun from').fill('2020-01-01');
      await page.getByLabel('to', { exact: true }).fill('2020-01-02');
      await page.getByText('No session matches').waitFor();
      expect(await page.getByRole('link', { name: 'Read', exact: true }).count()).toBe(0);
    }
    const page = await pages.open('/sessions?of=organization', ada);
    await row(page, 'a secret title').waitFor(); // their own: the switch is not theirs
    expect([secret.id, await page.getByText('Everybody’s').count()]).toEqual([secret.id, 0]);
    expect(other.id).not.toBe(secret.id);
  });

  it('of others are read by owners where the organization allows it, and every look is in the audit log', async () => {
    const session = await givenTitled('for owners’ eyes');
    const closed = await pages.open('/sessions?of=organization', org.owner);
    await closed.getByText('An owner can allow owners to read them').waitFor();
    await pages.app.as(org.owner).put('/api/v0/organization/settings', { sessionContentAccess: 'owners' });
    const page = await pages.open('/sessions?of=organization', org.owner);
    await row(page, ada.email).getByRole('link', { name: 'Read', exact: true }).click();
    await page.getByRole('article').filter({ hasText: 'for owners’ eyes' }).waitFor();
    await page.getByText('Each look is an entry in the audit log').waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
    const { body } = await pages.app.as(org.owner).get('/api/v0/organization/audit-log');
    expect(JSON.stringify(body)).toContain('session.content_read');
    await pages.app.as(org.owner).put('/api/v0/organization/settings', { sessionContentAccess: 'own' });
    const refused = await pages.open(`/sessions/${session.id}?of=organization`, org.owner);
    await refused.getByText('Not for your role').waitFor();
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)('have no barriers in %s at %i px', async (theme, width) => {
    await givenTitled('a wombat');
    const page = await pages.open('/sessions', org.owner, { theme, width });
    await page.getByText('You have no sessions yet').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByLabel('First message').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.goto(`${pages.app.url}/console/sessions?of=organization`);
    await row(page, ada.email).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
    const own = await pages.open('/sessions?q=wombat', ada, { theme, width });
    await own.locator('mark').waitFor();
    expect(await barriersOf(own)).toEqual([]);
    expect(await sidewaysScroll(own)).toBe(0);
  });
});
