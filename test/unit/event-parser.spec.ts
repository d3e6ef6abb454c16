import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { EVENT_KIND, type EventType } from '../../src/modules/ingest/event-codes.js';
import { AppConfig } from '../../src/config/app-config.js';
import { BUILT_IN_PRICE_BOOK, readPriceBook } from '../../src/config/price-book.js';
import { EventRejected, parseEvent, sessionKey } from '../../src/modules/ingest/event-parser.js';
import { languageOf } from '../../src/modules/ingest/languages.js';
import { ModelPrices } from '../../src/modules/ingest/model-prices.js';
import { cleanExtension, cleanName, cleanToolName } from '../../src/modules/ingest/usage-names.js';
import { anEvent, INGEST } from '../support/given-events.js';

const prices = new ModelPrices(BUILT_IN_PRICE_BOOK);
const parse = (raw: unknown) => parseEvent(raw, prices);

describe('an event is read', () => {
  it.each([
    ['2026-11-14T09:30:00Z', '2026-11-14T09:30:00.000Z'],
    ['2026-11-14T09:30:00.5+05:30', '2026-11-14T04:00:00.500Z'],
    ['2026-11-15T00:30:00-00:30', '2026-11-15T01:00:00.000Z'],
    ['2026-11-14T23:59:59.999Z', '2026-11-14T23:59:59.999Z'],
  ])('with its instant %s in UTC', (at, utc) => {
    expect(parse(anEvent('user_message', { at })).at).toBe(utc);
  });

  it.each([
    ['1 character', 'x', true],
    ['200 characters', '👩'.repeat(200), true],
    ['201 characters', 'x'.repeat(201), false],
    ['201 characters of two units', '👩'.repeat(201), false],
    ['none', '', false],
  ])('with a sessionId of %s: %#', (_what, sessionId, isFine) => {
    const read = () => parse(anEvent('user_message', { sessionId }));
    if (isFine) expect(read().sessionKey).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    else expect(read).toThrow(new EventRejected('sessionId must be a string of 1 to 200 characters'));
  });

  it('with the same key for the same session and another one for any other', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (a, b) => {
        expect(sessionKey(a) === sessionKey(b)).toBe(a === b);
      }),
    );
  });

  it('or rejected, never anything else, whatever it is', () => {
    const field = fc.constantFrom('id', 'type', 'at', 'sessionId', 'userId', 'userEmail', 'client', 'tool', 'x');
    const almost = fc
      .tuple(field, fc.jsonValue({ maxDepth: 2 }))
      .map(([name, value]) => ({ ...anEvent('tool_call'), [name]: value }));
    fc.assert(
      fc.property(fc.oneof(almost, fc.jsonValue()), (raw) => {
        try {
          expect(parse(raw)).toMatchObject({ kind: expect.any(Number) });
        } catch (error) {
          expect(error).toBeInstanceOf(EventRejected);
          expect((error as Error).message.length).toBeLessThan(300);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('the API document', () => {
  const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    paths: Record<string, { post: { requestBody: { content: Record<string, { schema: object; example: unknown }> } } }>;
  };
  const content = document.paths[INGEST]?.post.requestBody.content ?? {};
  const ajv = new Ajv2020({ strict: false });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  const isDescribed = ajv.compile(content['application/json']?.schema ?? {});
  const isAccepted = (event: unknown) => {
    try {
      parse(event);
      return true;
    } catch {
      return false;
    }
  };
  const types = Object.keys(EVENT_KIND) as EventType[];

  it.each(types)('describes %s as it is taken', (type) => {
    const fields = Object.keys(anEvent(type)).filter((field) => field !== 'type');
    const variants = [
      anEvent(type),
      anEvent(type, { sessionId: 's', client: 'web', userEmail: 'a@example.com' }),
      anEvent(type, { unknown: 1 }),
      ...fields.map((field) => anEvent(type, { [field]: undefined })),
      ...fields.map((field) => anEvent(type, { [field]: null })),
    ];
    for (const event of variants) expect([event, isDescribed({ events: [event] })]).toEqual([event, isAccepted(event)]);
  });

  it('shows examples that are taken, as a list and as lines', () => {
    const { events } = content['application/json']?.example as { events: unknown[] };
    const lines = (content['application/x-ndjson']?.example as string)
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines).toEqual(events);
    expect(events.map(isAccepted)).toEqual([true, true]);
  });
});

describe('names', () => {
  it.each([
    ['review', 'review'],
    ['  re view\t', 're view'],
    ['\u00a0review\u2003', 'review'],
    ['re\u0000vi\u0085ew\u001b', 'review'],
    ['\u0007 review', 'review'],
    ['x'.repeat(201), 'x'.repeat(200)],
    ['x'.repeat(200), 'x'.repeat(200)],
    ['👩'.repeat(201), '👩'.repeat(200)],
    ['👩'.repeat(150), '👩'.repeat(150)],
    [`${'x'.repeat(199)}  y`, 'x'.repeat(199)],
    [' \n', ''],
  ])('%j become %j', (name, clean) => {
    expect(cleanName(name)).toBe(clean);
  });

  it.each([
    ['Read', 'Read'],
    ['mcp__git_hub:search/v1.2@x -y', 'mcp__git_hub:search/v1.2@x -y'],
    ['Größe', 'Größe'],
    ['検索', '検索'],
    ['_private', '_private'],
    ['3d', '3d'],
    [' Re\nad ', 'Read'],
    ['-rf', 'unknown'],
    ['.hidden', 'unknown'],
    ['a;b', 'unknown'],
    ['{"tool":"Read"}', 'unknown'],
    ['a\u200bb', 'unknown'],
    ['👩', 'unknown'],
    ['', 'unknown'],
    [' ', 'unknown'],
    ['x'.repeat(10_000), 'x'.repeat(200)],
  ])('of tools: %j is counted as %j', (name, counted) => {
    expect(cleanToolName(name)).toBe(counted);
  });

  it.each([
    ['ts', '.ts', 'TypeScript'],
    ['.TS', '.ts', 'TypeScript'],
    [' ..Py ', '.py', 'Python'],
    ['c++', '.c++', 'C++'],
    ['h', '.h', 'C'],
    ['rs', '.rs', 'Rust'],
    ['yml', '.yml', 'YAML'],
    ['', '(none)', 'Other'],
    ['.', '(none)', 'Other'],
    ['(none)', '(none)', 'Other'],
    ['\u0000', '(none)', 'Other'],
    ['xyz', '.xyz', 'Other'],
    ['constructor', '.constructor', 'Other'],
  ])('of extensions: %j is %j, and its language is %j', (sent, extension, language) => {
    expect([cleanExtension(sent), languageOf(cleanExtension(sent))]).toEqual([extension, language]);
  });

  it('of hooks are kept apart part by part', () => {
    const hook = (event: string, matcher: string) => parse(anEvent('hook_run', { event, matcher })).name?.name;
    expect(hook('a","b', 'c')).not.toBe(hook('a', 'b","c'));
    expect(hook(' Stop\n', ' ')).toBe('["Stop","","npm run lint"]');
  });
});

describe('the price book', () => {
  const call = { input: 1000, output: 50, cacheRead: 600, cacheWrite: 100 };

  it('counts cached input less and writing it more', () => {
    expect(prices.billable('any', call)).toBe(300 + 60 + 125 + 50);
  });

  it('rounds halves up, exactly as in decimal arithmetic', () => {
    const tokens = fc.nat({ max: 300_000_000 });
    fc.assert(
      fc.property(tokens, tokens, tokens, tokens, (fresh, output, cacheRead, cacheWrite) => {
        const hundredths = BigInt(fresh + output) * 100n + BigInt(cacheRead) * 10n + BigInt(cacheWrite) * 125n;
        const exact = Number((hundredths + 50n) / 100n);
        expect(prices.billable('any', { input: fresh + cacheRead + cacheWrite, output, cacheRead, cacheWrite })).toBe(
          exact,
        );
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    [{ input: 5, output: 0, cacheRead: 5, cacheWrite: 0 }, 1],
    [{ input: 4, output: 0, cacheRead: 4, cacheWrite: 0 }, 0],
    [{ input: 2, output: 0, cacheRead: 0, cacheWrite: 2 }, 3],
    [{ input: 15, output: 0, cacheRead: 15, cacheWrite: 0 }, 2],
    [{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, 0],
  ])('makes %j cost %d', (tokens, billable) => {
    expect(prices.billable('any', tokens)).toBe(billable);
  });

  it('knows models by their id alone, and thinking ones by its end', () => {
    expect(['m', 'm-thinking', 'thinking', 'm-thinking-2'].map((id) => prices.tierOf(id))).toEqual([
      'standard',
      'thinking',
      'standard',
      'standard',
    ]);
  });

  it('takes multiplier, weights and tier from the book where it has them', () => {
    const book = new ModelPrices({
      version: 'v2',
      models: new Map([
        ['big', { multiplier: 2.5, tier: 'thinking' as const }],
        ['flat-thinking', { cacheReadWeight: 0, cacheWriteWeight: 0, multiplier: 0, tier: 'standard' as const }],
        ['cheap-cache', { cacheReadWeight: 0.05 }],
      ]),
    });
    expect(['big', 'flat-thinking', 'cheap-cache', 'other'].map((id) => book.billable(id, call))).toEqual([
      1338, 0, 505, 535,
    ]);
    expect(['big', 'flat-thinking', 'cheap-cache'].map((id) => book.tierOf(id))).toEqual([
      'thinking',
      'standard',
      'standard',
    ]);
    const read = parseEvent(anEvent('model_call', { modelId: 'big' }), book);
    expect(read).toMatchObject({ billableTokens: 275, tier: 2, detail: { name: 'v2' } });
  });

  describe('in a file', () => {
    let folder: string;
    beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'prices-'))));
    afterAll(() => rmSync(folder, { recursive: true }));
    const fileWith = (text: string) => {
      const file = join(folder, 'book.json');
      writeFileSync(file, text);
      return file;
    };

    it('is read once the configuration names it', () => {
      const book = { version: '2026-11', models: { a: { multiplier: 2, tier: 'thinking' }, b: {} } };
      const { priceBook } = AppConfig.fromEnv({ PRICE_BOOK: fileWith(JSON.stringify(book)) }).analytics;
      expect([priceBook.version, Object.fromEntries(priceBook.models)]).toEqual(['2026-11', book.models]);
    });

    it.each([
      ['{"version":', 'JSON'],
      ['[]', 'the book must be an object'],
      ['{"version":"1","models":{},"prices":{}}', 'the book has an unknown field "prices"'],
      ['{"models":{}}', '"version" must be a string of 1 to 100 characters'],
      ['{"version":"","models":{}}', '"version" must be a string of 1 to 100 characters'],
      [`{"version":"${'x'.repeat(101)}","models":{}}`, '"version" must be a string of 1 to 100 characters'],
      ['{"version":"1"}', '"models" must be an object'],
      ['{"version":"1","models":{"a":2}}', 'model "a" must be an object'],
      ['{"version":"1","models":{"a":{"price":2}}}', 'model "a" has an unknown field "price"'],
      ['{"version":"1","models":{"a":{"tier":"fast"}}}', '"tier" of model "a" must be standard or thinking'],
      ['{"version":"1","models":{"a":{"multiplier":-1}}}', '"multiplier" of model "a" must be a number from 0 to 1000'],
      ['{"version":"1","models":{"a":{"multiplier":"2"}}}', '"multiplier" of model "a" must be a number'],
      ['{"version":"1","models":{"a":{"cacheReadWeight":1001}}}', '"cacheReadWeight" of model "a" must be a number'],
      ['{"version":"1","models":{"a":{"cacheWriteWeight":null}}}', '"cacheWriteWeight" of model "a" must be a number'],
    ])('is refused as %s', (text, error) => {
      expect(() => readPriceBook(fileWith(text))).toThrow(error);
      expect(() => AppConfig.fromEnv({ PRICE_BOOK: fileWith(text) })).toThrow('PRICE_BOOK');
    });

    it('is refused when it is missing', () => {
      expect(() => AppConfig.fromEnv({ PRICE_BOOK: join(folder, 'none.json') })).toThrow(/PRICE_BOOK.*ENOENT/s);
    });
  });
});
