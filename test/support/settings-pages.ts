import type { Page } from 'playwright-core';
import { eventually } from './eventually.js';

/** A dialog of the page by its title. */
export const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });

/** The row of a table in which this text stands. */
export const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

/** Waits until the page says so. */
export async function said(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('status').getByText(text).first().waitFor();
}

/** Waits until nothing of the page is loading; its stream of events stays open, so that the network is never idle. */
export async function loaded(page: Page): Promise<void> {
  const loading = page.getByText('Loading', { exact: true });
  await eventually('everything is loaded', async () => (await loading.count()) === 0);
}

/** The text of a file that a click saves. */
export async function savedText(page: Page, click: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
