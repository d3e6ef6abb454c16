import type { Page } from 'playwright-core';
import { AgentMachine } from '../../support/agent-machine.js';
import { describeInChromium } from '../../support/chromium.js';
import { barriersOf, ConsolePages, sidewaysScroll } from '../../support/console-pages.js';
import { eventually } from '../../support/eventually.js';
import type { GivenOrganization, GivenUser } from '../../support/given.js';
import { givenMessage, givenSession, type GivenSession } from '../../support/given-session.js';
import { givenLongSession } from '../../support/long-session.js';

describeInChromium()('a session in the console', () => {
  let pages: ConsolePages;
  let org: GivenOrganization;
  let ada: GivenUser;

  beforeAll(async () => {
    pages = await ConsolePages.start();
    org = await pages.app.given.organization();
    ada = await pages.app.given.user(org);
  });
  afterEach(async () => {
    await pages.closePages();
    expect(pages.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => pages.stop());

  const open = (session: GivenSession, hash = '') => pages.open(`/sessions/${session.id}${hash}`, ada);
  const transcript = (page: Page) => page.getByRole('region', { name: 'Transcript' });
  const field = (page: Page) => page.getByRole('textbox', { name: 'Message' });
  const said = (page: Page, who: string, text: string) =>
    transcript(page)
      .getByRole('article', { name: new RegExp(`^${who}`) })
      .filter({ hasText: text });
  const messagesOf = async ({ path }: GivenSession) =>
    (await pages.app.as(ada).get(`${path}/messages?limit=100`)).body.messages as { role: string; id: string }[];
  const status = (page: Page, word: string) => page.locator('header').getByText(word, { exact: true }).waitFor();

  async function say(page: Page, text: string): Promise<void> {
    await field(page).fill(text);
    await field(page).press('Enter');
  }

  describe('on a computer whose agent is connected', () => {
    let machine: AgentMachine;

    beforeAll(async () => {
      machine = new AgentMachine(pages.app, ada);
      await machine.connected();
    }, 60_000);
    afterAll(() => machine.remove());

    it('is a conversation with a real agent: what is sent is answered, with its steps folded', async () => {
      const session = await machine.session({ autonomyLevel: 'high' });
      const page = await open(session);
      await page.getByText('Nothing was said yet').waitFor();
      await say(page, 'tool:Write notes.txt the first note');
      await said(page, 'Agent', 'the first note').first().waitFor();
      const step = transcript(page).locator('details').filter({ hasText: 'Write' });
      expect(await step.getAttribute('open')).toBeNull();
      await step.locator('summary').click();
      await step.getByText('+ the first note').waitFor();
      await step.getByText('Result').waitFor();
      await status(page, 'Idle');
      await page.getByText('chosen by the agent').waitFor();
      expect(await page.title()).toContain('tool:Write notes.txt');
    });

    it('writes a new line with Shift Enter, and nothing with Enter alone', async () => {
      const session = await machine.session();
      const page = await open(session);
      await field(page).press('Enter');
      await field(page).pressSequentially('one');
      await field(page).press('Shift+Enter');
      await field(page).pressSequentially('two');
      await field(page).press('Enter');
      await said(page, 'Agent', 'two').waitFor();
      const users = (await messagesOf(session)).filter(({ role }) => role === 'user');
      expect(users).toMatchObject([{ content: [{ text: 'one\ntwo' }] }]);
    });

    it('sends a message once, whether it is clicked twice or its answer is lost on the way', async () => {
      const session = await machine.session();
      const page = await open(session);
      await field(page).fill('only once');
      await page.getByRole('button', { name: 'Send' }).dblclick();
      await said(page, 'Agent', 'only once').waitFor();
      const keys: (string | undefined)[] = [];
      await page.route('**/messages', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        keys.push(route.request().headers()['idempotency-key']);
        if (keys.length > 1) return route.continue();
        await route.fetch(); // the service has it
        return route.abort();
      });
      await say(page, 'lost answer');
      await eventually('it was tried again', () => keys.length === 2);
      await said(page, 'Agent', 'lost answer').waitFor();
      expect(keys[0]).toBe(keys[1]);
      expect(await said(page, 'You', 'lost answer').count()).toBe(1);
      expect((await messagesOf(session)).filter(({ role }) => role === 'user')).toHaveLength(2);
    });

    it('shows what waits, and interrupts at once', async () => {
      const session = await machine.session();
      const page = await open(session);
      await say(page, 'sleep:120 first');
      await status(page, 'Running');
      await say(page, 'second');
      await said(page, 'You', 'second').getByText('queued').waitFor();
      expect(await said(page, 'You', 'first').getByText('queued').count()).toBe(0);
      await page.getByText('One message waits.').waitFor();
      const beganAt = performance.now();
      await page.getByRole('button', { name: 'Interrupt' }).click();
      await status(page, 'Idle');
      expect(performance.now() - beganAt).toBeLessThan(5_000);
      expect(await page.getByRole('button', { name: 'Interrupt' }).count()).toBe(0);
    });
  });

  it('says that messages wait while the computer is offline, and shows the history all the same', async () => {
    const session = await givenSession(pages.app, ada);
    await givenMessage(pages.app, session, 'asked before');
    const page = await open(session);
    await said(page, 'You', 'asked before').waitFor();
    await page.getByText(/is offline: messages wait/).waitFor();
    await status(page, 'Waiting');
  });

  it('takes attachments and refuses, before sending, what the service would refuse', async () => {
    const session = await givenSession(pages.app, ada);
    const page = await open(session);
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await page.getByLabel('Attach pictures, PDF or text').setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: png },
      { name: 'log.txt', mimeType: 'text/plain', buffer: Buffer.from('a line') },
      { name: 'huge.txt', mimeType: 'text/plain', buffer: Buffer.alloc(10 * 1024 * 1024 + 1, 'x') },
      { name: 'archive.zip', mimeType: 'application/zip', buffer: Buffer.from('PK') },
    ]);
    await page.getByText(/huge\.txt: .*at most 10 MiB/).waitFor();
    await page.getByText(/archive\.zip: only images/).waitFor();
    await say(page, 'see the files');
    const message = said(page, 'You', 'see the files');
    await message.getByRole('img').waitFor();
    expect(await message.getByRole('img').getAttribute('src')).toMatch(/^data:image\/png;base64,/);
    await message.getByText('log.txt').waitFor();
  });

  it('says where the person types why a message is refused, and keeps the text', async () => {
    const bob = await pages.app.given.user(org);
    const session = await givenSession(pages.app, bob);
    await pages.app.as(org.owner).put('/api/v0/organization/usage/limits/users', {
      users: [{ email: bob.email, limit: 0 }],
    });
    const page = await pages.open(`/sessions/${session.id}`, bob);
    await say(page, 'too expensive');
    await page.getByRole('alert').filter({ hasText: 'Not sent.' }).filter({ hasText: 'limit' }).waitFor();
    expect(await field(page).inputValue()).toBe('too expensive');
    await page.getByText('Nothing was said yet').waitFor();
  });

  it('is renamed, set up and deleted', async () => {
    await pages.app.as(org.owner).put('/api/v0/organization/enterprise-controls', { maxAutonomyLevel: 'medium' });
    const session = await givenSession(pages.app, ada);
    const page = await open(session);
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Title').fill('A better name');
    await page.getByLabel('Title').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'A better name' }).waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    expect(await page.getByLabel('Autonomy').getByRole('option').allInnerTexts()).toHaveLength(4);
    await page.getByLabel('Model', { exact: true }).fill('claude-opus-4-5');
    await page.getByLabel('Autonomy').selectOption('low');
    await page.getByLabel('Mode', { exact: true }).selectOption('spec');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('claude-opus-4-5').first().waitFor();
    await page.getByText('Plans first').first().waitFor();
    const { body } = await pages.app.as(ada).get(session.path);
    expect(body.sessionSettings).toMatchObject({
      model: 'claude-opus-4-5',
      autonomyLevel: 'low',
      interactionMode: 'spec',
    });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
    expect((await pages.app.as(ada).get(session.path)).status).toBe(404);
    await page.goBack();
    await page.getByRole('heading', { name: 'There is no such session' }).waitFor();
    await pages.app.as(org.owner).put('/api/v0/organization/enterprise-controls', {});
  });

  it('opens at its end and loads older messages without a jump', async () => {
    const session = await givenLongSession(pages.app, ada, 400);
    const page = await open(session);
    await transcript(page).getByText('Answer 400:').waitFor();
    expect(await transcript(page).getByText('Answer 200:').count()).toBe(0);
    const height = () => transcript(page).evaluate((element: { scrollHeight: number }) => element.scrollHeight);
    const before = await height();
    // One notch of the wheel after the other: what is at the top before a page arrives is still in sight after it.
    await transcript(page).hover();
    let jumps = 0;
    while ((await height()) < 3 * before) {
      const top = await firstVisible(page);
      await page.mouse.wheel(0, -150);
      await page.waitForTimeout(60);
      const now = await offsetOf(page, top.id);
      if (now === null || Math.abs(now - top.offset - 150) > 170) jumps++;
    }
    expect(jumps).toBe(0);
    await page.getByRole('button', { name: 'To the end' }).click();
    await transcript(page).getByText('Answer 400:').waitFor();
  });

  it('leaves a reader who has scrolled up where they are, and says that something came', async () => {
    const session = await givenLongSession(pages.app, ada, 60);
    const page = await open(session);
    await transcript(page).getByText('Answer 60:').waitFor();
    await givenMessage(pages.app, session, 'followed');
    await said(page, 'You', 'followed').waitFor();
    await transcript(page).hover();
    await page.mouse.wheel(0, -900);
    await page.getByRole('button', { name: 'To the end' }).waitFor();
    const top = await firstVisible(page);
    await givenMessage(pages.app, session, 'came later');
    await page.getByRole('button', { name: 'New messages' }).waitFor();
    expect(await offsetOf(page, top.id)).toBe(top.offset);
    await page.getByRole('button', { name: 'New messages' }).click();
    await said(page, 'You', 'came later').waitFor();
  });

  it('leads to the message of a link, however old, and copies such links', async () => {
    const session = await givenLongSession(pages.app, ada, 400);
    const page = await open(session, `#m-${session.messageIds[4]}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const message = said(page, 'You', 'Question 5').first();
    await message.waitFor();
    await message.hover();
    await message.getByRole('button', { name: 'Copy a link to this message' }).click();
    await message.getByText('Copied').waitFor();
    const copied: string = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(`${pages.app.url}/console/sessions/${session.id}#m-${session.messageIds[4]}`);
  });

  it('follows what somebody does in another tab within moments', async () => {
    const session = await givenSession(pages.app, ada);
    const page = await open(session);
    await page.getByText('Nothing was said yet').waitFor();
    await eventually('the stream is open', async () => {
      await givenMessage(pages.app, session, 'ping');
      return (await said(page, 'You', 'ping').count()) > 0;
    });
    const beganAt = performance.now();
    await givenMessage(pages.app, session, 'from elsewhere');
    await said(page, 'You', 'from elsewhere').waitFor();
    expect(performance.now() - beganAt).toBeLessThan(1_000);
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)('has no barriers in %s at %i px', async (theme, width) => {
    const session = await givenLongSession(pages.app, ada, 12);
    const page = await pages.open(`/sessions/${session.id}`, ada, { theme, width });
    await transcript(page).getByText('Answer 12:').waitFor();
    await transcript(page).locator('summary').last().click();
    expect(await barriersOf(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
  });

  /** The first row whose top is in sight. */
  const firstVisible = (page: Page): Promise<{ id: string; offset: number }> =>
    page.evaluate(`(() => {
      const region = document.querySelector('[aria-label="Transcript"]');
      const top = region.getBoundingClientRect().top;
      const rows = [...region.querySelectorAll('article')].map((row) => ({
        id: row.getAttribute('aria-label') + row.innerText.slice(0, 80), offset: Math.round(row.getBoundingClientRect().top - top),
      }));
      return rows.filter(({ offset }) => offset >= 0).sort((a, b) => a.offset - b.offset)[0];
    })()`);
  const offsetOf = (page: Page, id: string): Promise<number | null> =>
    page.evaluate(`(() => {
      const region = document.querySelector('[aria-label="Transcript"]');
      const row = [...region.querySelectorAll('article')]
        .find((candidate) => candidate.getAttribute('aria-label') + candidate.innerText.slice(0, 80) === ${JSON.stringify(id)});
      return row ? Math.round(row.getBoundingClientRect().top - region.getBoundingClientRect().top) : null;
    })()`);
});
