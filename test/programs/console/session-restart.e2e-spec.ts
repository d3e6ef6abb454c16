import type { Page } from 'playwright-core';
import { describeInChromium } from '../../support/chromium.js';
import { ConsolePages } from '../../support/console-pages.js';
import { eventually } from '../../support/eventually.js';
import type { GivenUser } from '../../support/given.js';
import { givenMessage, givenSession, type GivenSession } from '../../support/given-session.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';

describeInChromium()('an open session while the service restarts', () => {
  let database: TestDatabase;
  let pages: ConsolePages;
  let ada: GivenUser;

  beforeAll(async () => {
    database = await createTestDatabase();
    pages = await ConsolePages.start({ database });
    const org = await pages.app.given.organization();
    ada = await pages.app.given.user(org);
  });
  afterAll(async () => {
    await pages.stop();
    await database.drop();
  });

  const texts = (page: Page) =>
    page
      .getByRole('region', { name: 'Transcript' })
      .getByRole('article', { name: /^You/ })
      .locator('pre')
      .allInnerTexts();
  const shows = (page: Page, expected: string[]) =>
    eventually(
      `the page shows ${expected.join(', ')}`,
      async () => (await texts(page)).join() === expected.join(),
      30_000,
    );

  async function openFollowing(session: GivenSession): Promise<Page> {
    const page = await pages.open('/', ada);
    const following = page.waitForResponse((answer) => answer.url().endsWith(`${session.id}/events`));
    await page.goto(`${pages.app.url}/console/sessions/${session.id}`);
    await following;
    return page;
  }

  it('loses nothing and repeats nothing, whether or not an event was seen before', async () => {
    const [heard, silent] = [await givenSession(pages.app, ada), await givenSession(pages.app, ada)];
    await givenMessage(pages.app, silent, 'long ago');
    const [page, quiet] = [await openFollowing(heard), await openFollowing(silent)];
    await givenMessage(pages.app, heard, 'before');
    await shows(page, ['before']);
    await shows(quiet, ['long ago']);

    // Typed while nobody is there: it is sent when the service is back, once.
    const restarting = pages.restart();
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('while away');
    await field.press('Enter');
    await restarting;
    await givenMessage(pages.app, silent, 'missed by the quiet one');
    await shows(page, ['before', 'while away']);
    await shows(quiet, ['long ago', 'missed by the quiet one']);

    await givenMessage(pages.app, heard, 'after');
    await shows(page, ['before', 'while away', 'after']);
    const { body } = await pages.app.as(ada).get(`${heard.path}/messages`);
    expect(body.messages).toHaveLength(3);
    expect(pages.complaints).toEqual([]);
  }, 120_000);
});
