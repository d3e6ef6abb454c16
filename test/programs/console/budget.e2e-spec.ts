import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describeInChromium } from '../../support/chromium.js';
import { ConsolePages } from '../../support/console-pages.js';

const ASSETS = 'dist/console/assets';
const KB = 1_000;
const gzSize = (name: string) => statSync(join(ASSETS, `${name}.gz`)).size;

describeInChromium()('what a page costs', () => {
  it('is at most 170 kB of script and 15 kB of style until the first chart, compressed', async () => {
    const pages = await ConsolePages.start();
    const org = await pages.app.given.organization();
    const loaded = new Set<string>();
    const page = await pages.open('/sign-in', null);
    page.on('response', (answer) => {
      const name = /\/console\/assets\/([^/?]+)$/.exec(answer.url())?.[1];
      if (name) loaded.add(name);
    });
    await pages.signIn(page.context(), org.owner);
    await page.goto(`${pages.app.url}/console/`);
    await page.getByText('Nothing yet today').waitFor();
    await page.getByText('Nothing in this range').first().waitFor();
    const sum = (ending: string) =>
      [...loaded].filter((name) => name.endsWith(ending)).reduce((total, name) => total + gzSize(name), 0);
    await pages.stop();
    expect(sum('.js')).toBeGreaterThan(50 * KB);
    expect(sum('.js')).toBeLessThanOrEqual(170 * KB);
    expect(sum('.css')).toBeLessThanOrEqual(15 * KB);
  });

  it('is at most 40 kB of script for each further page, compressed', () => {
    const chunks = readdirSync(ASSETS).filter((name) => /Page-[^.]*\.js$/.test(name));
    expect(chunks.length).toBeGreaterThan(8);
    expect(chunks.filter((name) => gzSize(name) > 40 * KB)).toEqual([]);
  });
});
