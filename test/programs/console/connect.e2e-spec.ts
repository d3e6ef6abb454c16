import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import type { Page } from 'playwright-core';
import { Role } from '../../../src/common/access/role.enum.js';
import { describeInChromium } from '../../support/chromium.js';
import { barriersOf, ConsolePages, sidewaysScroll } from '../../support/console-pages.js';
import type { GivenOrganization, GivenUser } from '../../support/given.js';

const WAIT_MS = 12_000;

describeInChromium()('the set-up wizard', () => {
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

  /** The exporter that Claude Code itself uses. */
  async function send(key: string, name: string, service = 'claude-code'): Promise<void> {
    const exporter = new OTLPLogExporter({
      url: `${pages.app.url}/api/otlp/v1/logs`,
      headers: { Authorization: `Bearer ${key}` },
    });
    const resource = resourceFromAttributes({ 'service.name': service, 'service.version': '2.1.197' });
    const provider = new LoggerProvider({ resource, processors: [new BatchLogRecordProcessor({ exporter })] });
    provider.getLogger('com.anthropic.claude_code.events').emit({
      body: `claude_code.${name}`,
      attributes: { ...{ 'event.name': name, 'session.id': 's-1', model: 'claude-sonnet-4-5' }, input_tokens: 10 },
    });
    await provider.shutdown().catch(() => undefined); // refused exports are what some tests want
  }

  async function begin(page: Page, agent = 'Claude Code'): Promise<{ block: string; key: string }> {
    await page.getByRole('button', { name: 'Make a key and show the block' }).click();
    const region = page.getByRole('region', { name: `Settings of ${agent}` });
    const block = await region.innerText();
    await page.getByText(`Waiting for the first event of ${agent}`).waitFor();
    return { block, key: /apk_\w+/.exec(block)?.[0] ?? '' };
  }

  it('makes a key that can only send telemetry, and turns green with the first event', async () => {
    const page = await open('/connect', ada);
    const { block, key } = await begin(page);
    expect(block).toContain(`export OTEL_EXPORTER_OTLP_ENDPOINT="${pages.app.url}/api/otlp"`);
    expect((await pages.app.withBearer(key).get('/api/v0/me')).status).toBe(403);
    const { apiKeys } = (await pages.app.as(ada).get('/api/v0/api-keys')).body;
    expect(apiKeys).toContainEqual(expect.objectContaining({ name: 'Telemetry of Claude Code', scope: 'telemetry' }));

    await send(key, 'api_request');
    const atMs = Date.now();
    const told = page.locator('[data-state=good]');
    await told.getByText('Claude Code is connected').waitFor();
    // Two seconds on an idle machine; the service itself writes sources once a second.
    expect(Date.now() - atMs).toBeLessThan(4_000);
    await told.getByText('1 event arrived, of version 2.1.197').waitFor();
    await page.getByRole('row', { name: /Claude Code 2\.1\.197/ }).waitFor();
    await page.getByRole('link', { name: /today’s chart/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it('says that the key is wrong', async () => {
    const page = await open('/connect', ada);
    const { key } = await begin(page);
    await send(`${key.slice(0, -3)}abc`, 'api_request');
    await page.locator('[data-state=bad]').getByText('The key is wrong').waitFor();
    await send(key, 'api_request');
    await page.locator('[data-state=good]').getByText('Claude Code is connected').waitFor();
  });

  it('says that records arrive of which nothing can be counted', async () => {
    const page = await open('/connect', ada);
    const { key } = await begin(page);
    await send(key, 'never_heard_of');
    await page.locator('[data-state=bad]').getByText('nothing in them can be counted').waitFor();
  });

  it('has a block for each agent and system, in the address', async () => {
    const page = await open('/connect?agent=codex&shell=powershell', ada);
    const { block } = await begin(page, 'Codex');
    expect(block).toContain('Add-Content "$HOME/.codex/config.toml"');
    await page.getByText('Gemini CLI', { exact: true }).click();
    await page.getByRole('button', { name: 'Make a key and show the block' }).waitFor();
    expect(new URL(page.url()).search).toBe('?agent=gemini-cli&shell=powershell');
    await page.reload();
    expect(await page.getByRole('radio', { name: 'Gemini CLI' }).isChecked()).toBe(true);
  });

  it('can be used by everybody, on a small screen and in the dark too', async () => {
    const page = await open('/connect', ada, { width: 390, theme: 'dark' });
    await begin(page);
    expect(await barriersOf(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
  });
});
