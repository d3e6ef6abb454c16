import { readFileSync } from 'node:fs';
import { InvalidPricesError } from '../../../src/prices/price-problems.js';
import { readOrganizationPrices, readPriceFile } from '../../../src/prices/price-reader.js';
import { readPriceList } from '../../../src/prices/price-files.js';
import { fileWith, layerWith, model } from '../../support/given-prices.js';

const problemsOf = (read: () => unknown): string[] => {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof InvalidPricesError)) throw error;
    return error.problems.map(({ place, message }) => `${place}: ${message}`);
  }
};
const ofPrice = (price: object) => problemsOf(() => readPriceFile(fileWith([model('m', price)]), 'operator'));

describe('the built-in list', () => {
  const list = readPriceList(null);

  it('has 129 models, each with a price at some time', () => {
    expect(list.modelIds()).toHaveLength(129);
    expect(list.modelIds().filter((id) => list.appliedAt(id, new Date('2026-11-15')) === null)).toEqual([]);
  });

  it('holds the smallest rate exactly: 0.003625 dollars per million tokens', () => {
    const price = list.appliedAt('deepseek-v4-pro', new Date('2026-08-16T15:59:00Z'));
    expect(price?.price.rates).toEqual({
      input: 435_000n,
      output: 870_000n,
      cacheRead: 3_625n,
      cacheWrite: null,
      cacheWrite1h: null,
    });
  });

  it('knows prices of the future, and promotional ones', () => {
    const at = (day: string) => list.appliedAt('gemini-4-argon', new Date(day))?.price;
    expect(at('2026-11-30')).toMatchObject({ isPromotional: true, rates: { input: 2_000_000n } });
    expect(at('2026-12-01')).toMatchObject({ isPromotional: false, rates: { input: 4_000_000n } });
  });
});

describe('a price file is refused, naming the place,', () => {
  it.each<[string, unknown, string]>([
    ['that is no object', [], 'the file: must be an object'],
    ['of another format', { format: 2, currency: 'USD', models: [] }, 'format: must be 1'],
    ['in another currency', { format: 1, currency: 'EUR', models: [] }, 'currency: must be "USD"'],
    ['without models', { format: 1, currency: 'USD' }, 'models: must be a list'],
    ['with an unknown field', fileWith([], { rates: [] }), 'the file.rates: is not known; allowed are format, made'],
    ['with a model without an id', fileWith([{ provider: 'x', prices: [] }]), 'models.0.id: must be a text'],
    ['with an unknown field of a model', fileWith([model('m', [], { price: 1 })]), 'models.0.price: is not known'],
    [
      'with one name twice',
      fileWith([model('m', []), model('n', [], { aliases: ['M'] })]),
      'models.1 (n): has the name "M"',
    ],
  ])('%s', (_, file, problem) => {
    expect(problemsOf(() => readPriceFile(file, 'operator'))[0]).toContain(problem);
  });

  it.each<[string, object, string]>([
    ['without any rate', { since: null }, 'prices.0: must have a price: input, output'],
    ['with a number', { input: 1 }, 'prices.0.input: must be decimal text'],
    ['with an exponent', { input: '1e3' }, 'prices.0.input: must be decimal text'],
    ['with a sign', { input: '-1' }, 'prices.0.input: must be decimal text'],
    ['with seven decimals', { input: '0.0000001' }, 'prices.0.input: must be decimal text'],
    ['with null', { input: null }, 'prices.0.input: must be decimal text'],
    ['from no day', { input: '1', since: '2026-02-30' }, 'prices.0.since: must be a day'],
    ['from a second', { input: '1', since: '2026-02-01T00:00:01Z' }, 'prices.0.since: must be a day'],
    ['until its begin', { input: '1', since: '2026-02-01', until: '2026-02-01' }, 'prices.0.until: must be later'],
    ['with a tier without a limit', { input: '1', tiers: [{ input: '2' }] }, 'tiers.0.above: must be a whole number'],
    ['with both limits', { input: '1', tiers: [{ above: 1, from: 2 }] }, 'tiers.0: must have above or from'],
    ['with falling tiers', { input: '1', tiers: [{ above: 2 }, { from: 3 }] }, 'tiers: must be in rising order'],
    [
      'with a wrong multiplier',
      { input: '1', tiers: [{ above: 2, multipliers: { input: 'x' } }] },
      'multipliers.input',
    ],
    ['with a window past midnight', { input: '1', windows: [{ utc: ['22:00-02:00'], factor: '2' }] }, 'utc.0: must be'],
    ['with an empty window', { input: '1', windows: [{ utc: ['02:00-02:00'], factor: '2' }] }, 'utc.0: must be'],
    ['with a window past 24:00', { input: '1', windows: [{ utc: ['02:00-24:30'], factor: '2' }] }, 'utc.0: must be'],
    ['with a window without a factor', { input: '1', windows: [{ utc: ['02:00-03:00'] }] }, 'factor: is missing'],
    ['with an unknown weekday', { input: '1', windows: [{ days: ['Mon'], utc: [], factor: '2' }] }, 'days: must list'],
    [
      'with windows that overlap',
      { input: '1', windows: [{ utc: ['01:00-03:00', '02:00-04:00'], factor: '2' }] },
      'windows: must not overlap',
    ],
  ])('with a price %s', (_, price, problem) => {
    expect(ofPrice(price).join('\n')).toContain(problem);
  });

  it('with prices that overlap in time', () => {
    const prices = [
      { until: '2026-03-02', input: '1' },
      { since: '2026-03-01', input: '2' },
    ];
    expect(problemsOf(() => layerWith([model('m', prices)]))).toEqual([
      'models.0 (m).prices.1: overlaps another one of the same name in time; give until to the earlier one',
    ]);
  });

  it('with all problems at once, of which the message shows five', () => {
    const file = fileWith(Array.from({ length: 7 }, (_, i) => model(`m${i}`, { input: 1 })));
    expect(() => readPriceFile(file, 'operator')).toThrow(/and 9 more$/);
  });
});

it('a price that was withdrawn never applies', () => {
  const prices = [{ input: '1' }, { since: '2026-03-01', input: '2', withdrawn: true }];
  expect(layerWith([model('m', prices)]).models[0]?.prices).toHaveLength(1);
});

it('limits that are reached and limits that are passed become the same', () => {
  const [price] =
    layerWith([model('m', { input: '1', tiers: [{ from: 272_000 }, { above: 300_000 }] })]).models[0]?.prices ?? [];
  expect(price?.tiers.map(({ above }) => above)).toEqual([271_999, 300_000]);
});

it('a tier states what differs; multipliers apply to the base; what has no price gets none', () => {
  const tiers = [{ above: 10, output: '9', multipliers: { input: '1.5', cacheWrite: '2' } }];
  const [price] =
    layerWith([model('m', { input: '0.000003', output: '2', cacheRead: '1', tiers })]).models[0]?.prices ?? [];
  expect(price?.tiers[0]?.rates).toEqual({
    input: 4n, // 4.5 pico-dollars, half to even
    output: 9_000_000n,
    cacheRead: 1_000_000n,
    cacheWrite: null,
    cacheWrite1h: null,
  });
});

describe('prices of an organization are refused, naming the place,', () => {
  it.each<[string, unknown[], string]>([
    ['without since', [{ model: 'm', input: '1' }], 'prices.0.since: is missing'],
    ['without a model', [{ since: '2026-01-01', input: '1' }], 'prices.0.model: must be a text'],
    [
      'with a factor and a price',
      [{ provider: 'x', factor: '1', since: '2026-01-01', input: '1' }],
      'prices.0.input: is not known; allowed are provider, factor, since, until',
    ],
    ['with a factor without a provider', [{ factor: '1', since: '2026-01-01' }], 'prices.0.provider: must be a text'],
    [
      'with one model twice at a time',
      [
        { model: 'm', since: '2026-01-01', input: '1' },
        { model: 'M', since: '2026-02-01', input: '1' },
      ],
      'prices.1: overlaps',
    ],
    [
      'with two factors at a time',
      [
        { provider: 'x', since: '2026-01-01', factor: '1' },
        { provider: 'X', since: '2026-02-01', factor: '1' },
      ],
      'prices.1: overlaps',
    ],
  ])('%s', (_, rows, problem) => {
    expect(problemsOf(() => readOrganizationPrices(rows)).join('\n')).toContain(problem);
  });
});

describe('docs/prices.md', () => {
  const page = readFileSync('docs/prices.md', 'utf8');

  it('shows prices that an organization can send', () => {
    const body = JSON.parse(/-d '(\{.*?\})'/s.exec(page)?.[1] ?? '') as { prices: object[] };
    expect(readOrganizationPrices(body.prices)).toMatchObject({ factors: { length: 2 }, models: { length: 1 } });
  });

  it('shows a file that an operator can use', () => {
    const file: unknown = JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? '');
    expect(readPriceFile(file, 'operator').models[0]?.aliases).toHaveLength(2);
  });
});
