import { describeInChromium } from '../../support/chromium.js';
import { ConsolePages, sidewaysScroll } from '../../support/console-pages.js';
import type { GivenUser } from '../../support/given.js';
import { givenSession, givenStoredMessage, type GivenSession } from '../../support/given-session.js';
import { query } from '../../support/test-database.js';

const RUN = 'window.hacked = true';
const ELSEWHERE = 'https://elsewhere.example';

/** What models, tools and repositories may put into a transcript. */
const TEXTS = [
  `<script>${RUN}</script><img src=x onerror="${RUN}"><svg onload="${RUN}"><iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `[click](javascript:${RUN}) [tab](java\tscript:alert) <javascript:${RUN}> [data](data:text/html,<script>${RUN}</script>) [ok](https://example.com/)`,
  `![spy](${ELSEWHERE}/spy.png) ![](${ELSEWHERE}/x.gif "t") <img src="${ELSEWHERE}/y.png"> [ref][r]\n\n[r]: javascript:${RUN}`,
  `<style>@import "${ELSEWHERE}/a.css"; body { display: none }</style><link rel=stylesheet href="${ELSEWHERE}/b.css"><base href="${ELSEWHERE}">`,
  `<form action="${ELSEWHERE}"><input name=password autofocus onfocus="${RUN}"></form><meta http-equiv=refresh content="0;url=${ELSEWHERE}">`,
  `\u202Eevil\u202C \u200Bzero\u2060width שלום עולם مرحبا \uFEFF`,
  '> '.repeat(5_000) + 'deep',
  Array.from({ length: 300 }, (_, i) => `${' '.repeat(2 * i)}- level`).join('\n'),
  '*a'.repeat(20_000),
  '['.repeat(20_000),
  '`'.repeat(20_001),
  `| a |\n|${'-|'.repeat(2_000)}\n${'| x '.repeat(2_000)}`,
  'x'.repeat(1_000_000),
  `&lt;script&gt; &#106;avascript: \`<b>\` __proto__ constructor`,
];

describeInChromium()('a hostile transcript', () => {
  let pages: ConsolePages;
  let ada: GivenUser;
  let session: GivenSession;

  beforeAll(async () => {
    pages = await ConsolePages.start();
    const org = await pages.app.given.organization();
    ada = await pages.app.given.user(org);
    session = await givenSession(pages.app, ada);
    for (const text of TEXTS) {
      for (const role of ['assistant', 'user']) {
        await givenStoredMessage(pages.app, session, { role, content: JSON.stringify([{ type: 'text', text }]) });
      }
    }
    const steps = [
      { type: 'thinking', thinking: `<script>${RUN}</script>`, signature: '' },
      {
        type: 'tool_use',
        id: 'x',
        name: `<img src=x onerror="${RUN}">`,
        input: { command: `<script>${RUN}</script>` },
      },
      { type: 'tool_use', id: '__proto__', name: 'constructor', input: { old_string: '<b>', new_string: '\u202E' } },
      { type: 'image', source: { type: 'base64', mediaType: 'image/svg+xml', data: btoa(`<svg onload="${RUN}"/>`) } },
      { type: 'image', source: { type: 'url', url: `${ELSEWHERE}/z.png` } },
      {
        type: 'document',
        source: { type: 'text', mediaType: 'text/html', data: `<script>${RUN}</script>`, name: '<b>' },
      },
      { type: 'unknown', html: `<script>${RUN}</script>` },
    ];
    await givenStoredMessage(pages.app, session, { role: 'assistant', content: JSON.stringify(steps) });
    await query(pages.app.database.url, `UPDATE sessions SET title = $2 WHERE id = $1`, [
      session.id,
      `<img src=x onerror="${RUN}">\u202E`,
    ]);
  });
  afterAll(() => pages.stop());

  it('runs nothing, loads nothing, breaks no layout and violates no policy, however far one scrolls', async () => {
    for (const width of [1280, 390]) {
      const page = await pages.open(`/sessions/${session.id}`, ada, { width });
      const region = page.getByRole('region', { name: 'Transcript' });
      await region.locator('summary').first().waitFor();
      for (const summary of await region.locator('summary').all()) await summary.click();
      await region.hover();
      const seen = new Set<string>();
      for (let i = 0; i < 120; i++) {
        for (const href of await region
          .locator('a')
          .evaluateAll((links: { href: string }[]) => links.map(({ href }) => href))) {
          seen.add(href);
        }
        expect(await region.locator('script, iframe, style, link, form, object, embed, base, meta, svg').count()).toBe(
          0,
        );
        expect(await region.locator('img:not([src^="data:image/"])').count()).toBe(0);
        const top = await region.evaluate((element: { scrollTop: number }) => element.scrollTop);
        if (top === 0) break;
        await page.mouse.wheel(0, -1_500);
        await page.waitForTimeout(30);
      }
      expect([...seen].every((href) => /^(?:https?:|mailto:)/.test(href))).toBe(true);
      expect(seen).toContain('https://example.com/');
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      expect(await sidewaysScroll(page)).toBe(0);
    }
    await pages.open('/sessions', ada).then((page) => page.getByRole('link', { name: /onerror/ }).waitFor());
    expect(pages.complaints).toEqual([]);
  }, 120_000);

  it('shows unseen characters, and long text piece by piece', async () => {
    const page = await pages.open(`/sessions/${session.id}`, ada);
    const region = page.getByRole('region', { name: 'Transcript' });
    await region.locator('summary').filter({ hasText: 'constructor' }).click();
    await region.getByText('+ [U+202E]').waitFor();
    const more = region.getByText(/characters more/);
    await region.hover();
    for (let i = 0; i < 60 && (await more.count()) === 0; i++) {
      await page.mouse.wheel(0, -800);
      await page.waitForTimeout(30);
    }
    await more.first().waitFor();
  });
});
