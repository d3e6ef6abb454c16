import type { Browser } from 'playwright-core';

/** Seconds that the page computes until its first tag is visible; `withPlugins: false` is Swagger UI as it comes. */
export async function secondsToFirstTag(browser: Browser, url: string, { withPlugins = true } = {}): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  if (!withPlugins) {
    const script = await (await fetch(`${url}/docs/swagger-ui-init.js`)).text();
    const body = script.replace('swaggerOptions[attrname] =', "if (attrname !== 'plugins') $&");
    await page.route('**/swagger-ui-init.js', (route) => route.fulfill({ body, contentType: 'text/javascript' }));
  }
  const tools = await context.newCDPSession(page);
  await tools.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(`${url}/docs`);
  await page.locator('.opblock-tag').first().waitFor();
  const { metrics } = await tools.send('Performance.getMetrics');
  await context.close();
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN;
}
