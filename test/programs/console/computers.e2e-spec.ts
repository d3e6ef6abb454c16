import type { Page } from 'playwright-core';
import { Role } from '../../../src/common/access/role.enum.js';
import { describeInChromium } from '../../support/chromium.js';
import { barriersOf, ConsolePages, sidewaysScroll } from '../../support/console-pages.js';
import type { GivenOrganization, GivenUser } from '../../support/given.js';
import { RelayAgent } from '../../support/relay-agent.js';

const WAIT_MS = 12_000;

describeInChromium()('the page of computers', () => {
  let pages: ConsolePages;
  let org: GivenOrganization;
  let ada: GivenUser;

  beforeAll(async () => {
    pages = await ConsolePages.start();
  });
  beforeEach(async () => {
    org = await pages.app.given.organization();
    ada = await pages.app.given.user(org, { role: Role.Member });
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

  const register = async (name: string, by: GivenUser = ada): Promise<string> =>
    (await pages.app.as(by).post('/api/v0/computers', { name })).body.id;
  /** Not by role: what is behind a dialog has none. */
  const row = (page: Page, name: string) => page.locator('tr', { hasText: name });
  const access = async (id: string) => (await pages.app.as(org.owner).get(`/api/v0/computers/${id}/access`)).body;

  it('leads from a name to a command, and turns green when its agent connects', async () => {
    const page = await open('/computers', ada);
    await page.getByText('No computer yet').waitFor();
    await page.getByRole('button', { name: 'Connect a computer' }).click();
    await page.getByLabel('Name').fill('my-laptop');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('Waiting for its agent').waitFor();
    await page.getByText('Only try it').click();
    const block = page.getByRole('region', { name: 'Command' });
    await block.getByText(/^echo apc_\w+ \|/).waitFor();
    const [login = '', connect] = (await block.innerText()).split('\n');
    const [, token = '', url = '', id = ''] =
      /^echo (apc_\w+) \| npm run -s agent -- login --url (\S+) --name my-laptop --computer (\S+)$/.exec(login) ?? [];
    expect([url, connect]).toEqual([pages.app.url, 'npm run agent -- connect --name my-laptop']);

    const agent = await RelayAgent.connect(url, token, id);
    const atMs = Date.now();
    await page.locator('[data-state=good]').getByText('my-laptop is connected (test agent 1)').waitFor();
    expect(Date.now() - atMs).toBeLessThan(2_500);
    await agent.end();
  });

  it('says why an agent that connected cannot run', async () => {
    const id = await register('broken');
    const page = await open(`/computers?connect=${id}`, ada);
    await page.getByText('Waiting for its agent').waitFor();
    const agent = await RelayAgent.connect(pages.app.url, ada.key, id, { problem: 'The command was not found.' });
    await page.locator('[data-state=bad]').getByText('The command was not found.').waitFor();
    await agent.end();
  });

  it('shows live who is online and what runs there', async () => {
    const id = await register('desk');
    const page = await open('/computers', ada);
    await row(page, 'desk').getByText('never connected').waitFor();
    const agent = await RelayAgent.connect(pages.app.url, ada.key, id);
    await row(page, 'desk').getByText('online').waitFor({ timeout: 2_500 });
    const { sessionId } = (await pages.app.as(ada).post('/api/v0/sessions', { computerId: id })).body;
    await pages.app.as(ada).post(`/api/v0/sessions/${sessionId}/messages`, { text: 'Hello' });
    await row(page, 'desk').getByText('1', { exact: true }).waitFor();
    await agent.end();
    await row(page, 'desk').getByText('offline').waitFor({ timeout: 30_000 });
  });

  it('lets its registrant rename, share and delete it, and make a token that is shown once', async () => {
    const id = await register('old');
    const page = await open(`/computers?computer=${id}`, ada);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('new');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByText('Renamed.').waitFor();
    await dialog.getByLabel('Who runs sessions there').selectOption('organization');
    await row(page, 'new').getByText('everybody').waitFor();
    expect(await access(id)).toMatchObject({ access: 'organization', trusted: false });
    expect(await dialog.getByLabel('Trusted with secrets').count()).toBe(0);
    expect(await dialog.getByRole('button', { name: 'Take over' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'New token' }).click();
    const token = await dialog.getByRole('region', { name: 'Computer token' }).innerText();
    const agent = await RelayAgent.connect(pages.app.url, token, id);
    await agent.end();
    await dialog.getByRole('button', { name: 'Delete …' }).click();
    await dialog.getByRole('button', { name: 'Delete new' }).click();
    await page.getByText('No computer yet').waitFor();
  });

  it('lets an owner trust and take over what somebody else registered', async () => {
    const id = await register('orphan');
    const page = await open('/computers', org.owner);
    await page.getByRole('button', { name: 'Manage orphan' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'New token' }).count()).toBe(0);
    await dialog.getByLabel('Trusted with secrets').check();
    await row(page, 'orphan').getByText('trusted').waitFor();
    await dialog.getByRole('button', { name: 'Take over' }).click();
    await dialog.getByText('Registered by you').waitFor();
    expect(await access(id)).toEqual({ access: 'private', trusted: true, registeredBy: org.owner.id });
  });

  it('says in the field when a name is taken, and shows hostile names as text', async () => {
    const hostile = '<img src=x onerror=alert(1)>';
    await register(hostile);
    const page = await open('/computers?connect=new', ada, { width: 390 });
    await page.getByLabel('Name').fill(hostile);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByLabel('Name').and(page.locator('[aria-invalid=true]')).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText(hostile).waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
  });
});
