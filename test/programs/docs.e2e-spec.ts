import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Browser, type Page } from 'playwright-core';
import { newApiKey } from '../../src/common/access/api-key-format.js';
import { describeInChromium, launchChromium } from '../support/chromium.js';
import { secondsToFirstTag } from '../support/docs-page.js';
import { Program } from '../support/program.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

interface SwaggerSystem {
  fn: { resolveSubtree: (spec: object, path: string[], options: object) => Promise<object> };
}
interface SwaggerWindow {
  SwaggerUIBundle: (options: object) => { getSystem: () => SwaggerSystem };
  ui: { getSystem: () => SwaggerSystem; specSelectors: { specJson: () => { toJS: () => object } } };
}

/** The built program: only the build adds the descriptions of fields to the document. */
describe('the API document of the running service', () => {
  const key = newApiKey();
  let database: TestDatabase;
  let service: Program;
  let url: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    const env = {
      PORT: '0',
      DATABASE_URL: database.url,
      DATABASE_APP_ROLE: database.appRole,
      SECRETS_KEY: '0'.repeat(64),
      BOOTSTRAP_API_KEY: key,
    };
    service = Program.start('main.js', [], env, tmpdir());
    url = await service.ready();
  });

  afterAll(async () => {
    service.signal('SIGTERM');
    await service.ended();
    await database.drop();
  });

  it('is the committed one', async () => {
    const answer = await fetch(`${url}/openapi.json`);
    expect(await answer.json()).toEqual(JSON.parse(readFileSync('openapi.json', 'utf8')));
  });

  describeInChromium()('in Swagger UI', () => {
    const errors: string[] = [];
    let browser: Browser;
    let page: Page;

    beforeAll(async () => {
      browser = await launchChromium();
      page = await browser.newPage();
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      page.on('pageerror', (error) => errors.push(String(error)));
      await page.goto(`${url}/docs`);
    });
    afterAll(() => browser.close());

    it('can be authorized with a key and then executes calls', async () => {
      await page.getByRole('button', { name: 'Authorize' }).click();
      const dialog = page.locator('.modal-ux');
      await dialog.locator('input').fill(key);
      await dialog.getByRole('button', { name: 'Apply credentials' }).click();
      await dialog.getByRole('button', { name: 'Close' }).click();

      const operation = page.locator('#operations-Me-getMe');
      await operation.locator('.opblock-summary-control').click();
      await operation.getByRole('button', { name: 'Try it out' }).click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      const answer = operation.locator('.live-responses-table');
      await answer.locator('.response-col_status').last().waitFor();

      expect(await answer.locator('.response-col_status').last().innerText()).toContain('200');
      expect(await answer.innerText()).toContain('owner@example.com');
    });

    it('says of an operation what the whole document says of it', async () => {
      const operations = [
        ['/api/v0/sessions/{sessionId}/messages', 'post'],
        ['/api/v1/analytics/breakdown', 'get'],
      ];
      const [inParts, atOnce] = await page.evaluate(
        async ([baseDoc, all]) => {
          const { SwaggerUIBundle, ui } = globalThis as unknown as SwaggerWindow;
          const spec = ui.specSelectors.specJson().toJS();
          const resolve = ({ fn }: SwaggerSystem) =>
            Promise.all(all.map((operation) => fn.resolveSubtree(spec, ['paths', ...operation], { baseDoc })));
          return [await resolve(ui.getSystem()), await resolve(SwaggerUIBundle({ spec }).getSystem())];
        },
        [`${url}/docs`, operations] as const,
      );

      expect(JSON.stringify(inParts)).not.toContain('"$ref"');
      expect(inParts).toEqual(atOnce);
    }, 120_000);

    it('shows its first tag with much less work than Swagger UI by itself', async () => {
      const byItself = await secondsToFirstTag(browser, url, { withPlugins: false });
      expect(await secondsToFirstTag(browser, url)).toBeLessThan(byItself * 0.75);
    }, 120_000);

    it('works without an error in the console', () => {
      expect(errors).toEqual([]);
    });
  });
});
