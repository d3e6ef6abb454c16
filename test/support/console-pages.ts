import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import type { GivenUser } from './given.js';
import { TestApp, type TestAppOptions } from './test-app.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface PageOptions {
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
}

/** The built console, served by a whole service and shown in a real browser. */
export class ConsolePages {
  /** What pages complained of: errors, violations of the content security policy, requests to elsewhere. */
  readonly complaints: string[] = [];
  private readonly contexts: BrowserContext[] = [];

  private constructor(
    public app: TestApp,
    private readonly browser: Browser,
    private readonly options: TestAppOptions,
  ) {}

  static async start(options: TestAppOptions = {}): Promise<ConsolePages> {
    const all = { consoleDirectory: resolve('dist/console'), ...options };
    return new ConsolePages(await TestApp.start(all), await launchChromium(), all);
  }

  /** Starts the service again at its address; on a database that the test brought along, because its own is dropped. */
  async restart(): Promise<void> {
    const port = Number(new URL(this.app.url).port);
    await this.app.stop();
    this.app = await TestApp.start({ ...this.options, port });
  }

  /** A browser in which this user is signed in, or nobody, on a page of the console. */
  async open(path: string, user: Pick<GivenUser, 'key'> | null, options: PageOptions = {}): Promise<Page> {
    const { width = 1280, theme = 'light' } = options;
    const context = await this.newContext({ viewport: { width, height: 900 }, colorScheme: theme });
    if (user) await this.signIn(context, user);
    const page = await context.newPage();
    await page.goto(`${this.app.url}/console${path}`);
    return page;
  }

  async signIn(context: BrowserContext, { key }: Pick<GivenUser, 'key'>): Promise<void> {
    const answer = await context.request.post(`${this.app.url}/auth/session`, {
      headers: { 'Sec-Fetch-Site': 'same-origin' },
      data: { apiKey: key },
    });
    if (answer.status() !== 201) throw new Error(`The sign-in was refused: ${answer.status()} ${await answer.text()}`);
  }

  async newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext(options);
    this.contexts.push(context);
    context.on('weberror', (error) => this.complaints.push(error.error().message));
    context.on('console', (message) => {
      // A status of 4xx is an answer that pages expect and show.
      const isStatus = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isStatus) this.complaints.push(message.text());
    });
    context.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith('http') && url.origin !== this.app.url) this.complaints.push(`asked ${url.origin}`);
    });
    return context;
  }

  /** Closes the pages of a test. */
  async closePages(): Promise<void> {
    await Promise.all(this.contexts.splice(0).map((context) => context.close()));
  }

  async stop(): Promise<void> {
    await this.closePages();
    await this.browser.close();
    await this.app.stop();
  }
}

/** What keeps people with disabilities out of this page, one line each: WCAG 2.2, levels A and AA. */
export async function barriersOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found: { id: string; nodes: { target: string[]; failureSummary: string }[] }[] = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(WCAG)} }).then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}

/** How far the page scrolls sideways, in pixels. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
