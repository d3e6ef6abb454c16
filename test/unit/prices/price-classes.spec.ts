import fc from 'fast-check';
import { UtcDay } from '../../../src/common/time/utc-day.js';
import { costOf, formatDollars, type TokenSums } from '../../../src/prices/cost.js';
import { readPriceList } from '../../../src/prices/price-files.js';
import type { ClassKey, PriceList, RateSpan } from '../../../src/prices/price-list.js';
import { listOf, model } from '../../support/given-prices.js';
import { utcDay } from '../../support/utc-day.js';
import { naivePrice, type NaiveRow } from '../../support/naive-price.js';

const SATURDAY = utcDay('2026-11-14');
const MONDAY = utcDay('2026-11-16');
const BIG = 2_147_483_647;

/** The class under which a call is stored. */
function keyOf(list: PriceList, id: string, day: UtcDay, input: number, minute: number): ClassKey {
  const classes = list.classesOf(id, day);
  if (classes.length === 0) return { above: 0, minute: 0 };
  const found = classes.filter(
    (c) => (input > c.above || c.above === 0) && input <= c.upTo && c.fromMinute <= minute && minute < c.toMinute,
  );
  expect(found).toHaveLength(1);
  return { above: found[0]?.above ?? NaN, minute: found[0]?.fromMinute ?? NaN };
}

function rateOf(spans: RateSpan[], day: UtcDay, key: ClassKey): RateSpan | undefined {
  const found = spans.filter(
    (s) => s.above === key.above && s.minute === key.minute && s.since <= day.toString() && day.toString() < s.until,
  );
  expect(found.length).toBeLessThanOrEqual(1);
  return found[0];
}

describe('the classes of a day', () => {
  it('are none when all calls have one price', () => {
    expect(readPriceList(null).classesOf('claude-opus-5', MONDAY)).toEqual([]);
    expect(readPriceList(null).classesOf('no such model', MONDAY)).toEqual([]);
  });

  it('are the tiers of the request', () => {
    expect(readPriceList(null).classesOf('qwen3-max', MONDAY)).toEqual([
      { above: 0, upTo: 32_000, fromMinute: 0, toMinute: 1440 },
      { above: 32_000, upTo: 128_000, fromMinute: 0, toMinute: 1440 },
      { above: 128_000, upTo: BIG, fromMinute: 0, toMinute: 1440 },
    ]);
  });

  it('are the time windows of its weekday', () => {
    const list = readPriceList(null);
    expect(list.classesOf('deepseek-flash', SATURDAY)).toEqual([]);
    expect(list.classesOf('deepseek-flash', MONDAY).map(({ fromMinute }) => fromMinute)).toEqual([
      0, 60, 240, 360, 600,
    ]);
  });

  it('change at the minute at which a price does', () => {
    // A Sunday, on which the new price has no windows.
    expect(readPriceList(null).classesOf('deepseek-v4-pro', utcDay('2026-08-16'))).toEqual([
      { above: 0, upTo: BIG, fromMinute: 0, toMinute: 960 },
      { above: 0, upTo: BIG, fromMinute: 960, toMinute: 1440 },
    ]);
  });

  it('are dated, like the tiers', () => {
    const list = readPriceList(null);
    expect(list.classesOf('claude-opus-4-6', utcDay('2026-03-12'))).toHaveLength(2);
    expect(list.classesOf('claude-opus-4-6', utcDay('2026-03-13'))).toEqual([]);
  });
});

describe('the rules of a day', () => {
  const tiered = { input: '1', tiers: [{ above: 100, input: '2' }] };
  const rulesOf = (models: object[], own: object[] = [], day = MONDAY) => listOf(models, own).classRulesOf(day);

  it('are empty without classes', () => {
    expect(rulesOf([model('m', { input: '1' })])).toBe('');
  });

  it('do not depend on rates, nor on models without classes', () => {
    const other = { input: '5', tiers: [{ above: 100, output: '7' }] };
    expect(rulesOf([model('m', tiered)])).toBe(rulesOf([model('n', { input: '1' }), model('m', other)]));
  });

  it('do not depend on a factor of the organization', () => {
    const own = [{ provider: 'anthropic', factor: '0.5', since: '2026-01-01' }];
    expect(rulesOf([model('m', tiered)], own)).toBe(rulesOf([model('m', tiered)]));
  });

  it.each<[string, object[], object[]]>([
    ['a limit', [model('m', { input: '1', tiers: [{ above: 101 }] })], []],
    ['an alias', [model('m', tiered, { aliases: ['n'] })], []],
    ['a window', [model('m', { ...tiered, windows: [{ utc: ['01:00-02:00'], factor: '2' }] })], []],
    ['tiers of the organization', [model('m', tiered)], [{ model: 'm', since: '2026-11-16', ...tiered, tiers: [] }]],
    ['a channel that has prices', [model('m', tiered)], [{ provider: 'vertex', since: '2026-01-01', factor: '1' }]],
  ])('depend on %s', (_, models, own) => {
    expect(rulesOf(models, own)).not.toBe(rulesOf([model('m', tiered)]));
  });

  it('depend on what applies to that day only', () => {
    const own = [{ model: 'm', since: '2026-11-16', input: '1' }];
    expect(rulesOf([model('m', tiered)], own, utcDay('2026-11-15'))).toBe(
      rulesOf([model('m', tiered)], [], utcDay('2026-11-15')),
    );
    expect(rulesOf([model('m', tiered)], own)).toBe('');
  });
});

describe('spans of rates', () => {
  it('are one for each class while nothing changes', () => {
    const spans = readPriceList(null).spansOf('claude-sonnet-4-5', utcDay('2026-01-01'), utcDay('2026-12-31'));
    expect(spans.map(({ above, since, until, reasons }) => [above, since, until, ...reasons])).toEqual([
      [-1, '2026-01-01', '2027-01-01', 'size_of_call_unknown'],
      [0, '2026-01-01', '2027-01-01'],
      [200_000, '2026-01-01', '2027-01-01'],
    ]);
  });

  it('leave out days without a price', () => {
    const list = listOf([model('m', { since: '2026-11-03', until: '2026-11-05', input: '1' })]);
    expect(
      list.spansOf('m', utcDay('2026-11-01'), utcDay('2026-11-30')).map(({ since, until }) => [since, until]),
    ).toEqual([
      ['2026-11-03', '2026-11-05'],
      ['2026-11-03', '2026-11-05'],
    ]);
    expect(list.spansOf('n', utcDay('2026-11-01'), utcDay('2026-11-30'))).toEqual([]);
  });

  it('follow the weekdays of windows', () => {
    const spans = readPriceList(null).spansOf('deepseek-flash', utcDay('2026-11-02'), utcDay('2026-11-15'));
    const peak = spans.filter(({ above, minute }) => above === 0 && minute === 60);
    expect(peak.map(({ since, until, rates }) => [since, until, rates.input])).toEqual([
      ['2026-11-02', '2026-11-07', 300_000n],
      ['2026-11-09', '2026-11-14', 300_000n],
    ]);
  });

  it('round a product of factors once, half to even', () => {
    const price = { input: '0.000005', windows: [{ utc: ['00:00-24:00'], factor: '0.5' }] };
    const list = listOf([model('m', price)], [{ provider: 'anthropic', factor: '0.2', since: '2026-01-01' }]);
    // 5 x 0.5 x 0.2 is 0.5; rounding 2.5 first would give 0.4.
    expect(list.spansOf('m', MONDAY, MONDAY)[0]?.rates.input).toBe(0n);
  });

  const stored = (price: object, key: ClassKey) => {
    const spans = listOf([model('m', price)]).spansOf('m', MONDAY, MONDAY, [key]);
    const span = rateOf(spans, MONDAY, key);
    return [span?.rates.input, ...(span?.reasons ?? [])];
  };
  const tiers = [
    { above: 100, input: '2' },
    { above: 300, input: '3' },
  ];
  const windows = [{ utc: ['01:00-02:00'], factor: '2' }];

  it.each<[string, object, ClassKey, unknown[]]>([
    ['a limit between two of the list', { input: '1', tiers }, { above: 200, minute: 0 }, [2_000_000n, 'tier_unknown']],
    ['a limit below all of the list', { input: '1', tiers }, { above: 50, minute: 0 }, [1_000_000n, 'tier_unknown']],
    ['a limit above all of the list', { input: '1', tiers }, { above: 500, minute: 0 }, [3_000_000n]],
    ['a limit where the list has none', { input: '1' }, { above: 500, minute: 0 }, [1_000_000n]],
    ['a window where the list has none', { input: '1' }, { above: 0, minute: 60 }, [1_000_000n]],
    ['another window', { input: '1', windows }, { above: 0, minute: 90 }, [2_000_000n, 'window_unknown']],
    ['an unknown size', { input: '1', tiers }, { above: -1, minute: 0 }, [1_000_000n, 'size_of_call_unknown']],
    ['an unknown size that does not matter', { input: '1' }, { above: -1, minute: 0 }, [1_000_000n]],
  ])('give the nearest rate to a stored class with %s', (_, price, key, expected) => {
    expect(stored(price, key)).toEqual(expected);
  });
});

describe('for random prices', () => {
  const decimal = fc
    .integer({ min: 0, max: 9_999_999 })
    .map((n) => `${Math.floor(n / 1e6)}.${String(n % 1e6).padStart(6, '0')}`);
  const rates = fc.record(
    { input: decimal, output: decimal, cacheRead: decimal, cacheWrite: decimal },
    { requiredKeys: ['input'] },
  );
  const tiers = fc
    .uniqueArray(fc.record({ limit: fc.integer({ min: 1, max: 60 }), rates }), {
      maxLength: 3,
      selector: ({ limit }) => limit,
    })
    .map((list) => list.sort((a, b) => a.limit - b.limit).map(({ limit, rates: own }) => ({ above: limit, ...own })));
  const windows = fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { maxLength: 3 }).chain((hours) =>
    fc.record({ days: fc.subarray(['sun', 'mon', 'sat'], { minLength: 1 }), factor: decimal }).map((more) =>
      hours.length === 0
        ? []
        : [
            {
              ...more,
              utc: hours.map((hour) => `${String(hour).padStart(2, '0')}:00-${String(hour).padStart(2, '0')}:30`),
            },
          ],
    ),
  );
  const price = fc.record({ rates, tiers, windows }).map(({ rates: base, ...more }) => ({ ...base, ...more }));
  /** Prices one after the other, from minutes of three days. */
  const rows = fc
    .tuple(
      fc.uniqueArray(fc.integer({ min: 0, max: 3 * 1440 }), { maxLength: 4 }),
      fc.array(price, { minLength: 5, maxLength: 5 }),
    )
    .map(([minutes, prices]) => {
      const cuts = minutes
        .sort((a, b) => a - b)
        .map((m) => new Date(SATURDAY.startsAt().getTime() + m * 60_000).toISOString());
      return cuts.map((since, i): NaiveRow => ({
        ...prices[i],
        since,
        ...(cuts[i + 1] ? { until: cuts[i + 1] } : {}),
      }));
    });
  const call = fc.record({
    at: fc.integer({ min: 0, max: 3 * 1440 - 1 }),
    fresh: fc.integer({ min: 0, max: 40 }),
    cacheRead: fc.integer({ min: 0, max: 20 }),
    cacheWrite: fc.integer({ min: 0, max: 20 }),
    output: fc.integer({ min: 0, max: 20 }),
  });

  it('every call is in one class, and the cost of the classes is the cost of the calls', () => {
    fc.assert(
      fc.property(rows, fc.option(decimal, { nil: null }), fc.array(call, { maxLength: 20 }), (file, factor, calls) => {
        const own = factor === null ? [] : [{ provider: 'anthropic', factor, since: '2026-01-01' }];
        const list = listOf([model('m', file)], own);
        const spans = list.spansOf('m', SATURDAY, MONDAY);
        let [classed, naive, unpriced, naiveUnpriced] = [0n, 0n, 0n, 0n];
        for (const { at, fresh, ...counts } of calls) {
          const input = fresh + counts.cacheRead + counts.cacheWrite;
          const day = SATURDAY.plus(Math.floor(at / 1440));
          const key = keyOf(list, 'm', day, input, at % 1440);
          const tokens = { input, ...counts, cacheWrite1h: 0 };
          const cost = costOf(sums(tokens), rateOf(spans, day, key)?.rates ?? null);
          const expected = naivePrice(file, factor, new Date(SATURDAY.startsAt().getTime() + at * 60_000), tokens);
          classed += cost.picoDollars;
          unpriced += cost.unpricedTokens;
          naive += expected.picoDollars;
          naiveUnpriced += expected.unpricedTokens;
        }
        expect([classed, unpriced]).toEqual([naive, naiveUnpriced]);
      }),
      { numRuns: 100 },
    );
  });

  it('the classes of a day tile all sizes and minutes', () => {
    fc.assert(
      fc.property(rows, (file) => {
        const list = listOf([model('m', file)]);
        for (const day of [SATURDAY, SATURDAY.plus(1), MONDAY]) {
          const classes = list.classesOf('m', day);
          const area = classes.reduce((sum, c) => sum + (c.upTo - c.above) * (c.toMinute - c.fromMinute), 0);
          if (classes.length > 0) expect(area).toBe(BIG * 1440);
          for (const minute of [0, 1439, ...classes.map(({ fromMinute }) => fromMinute)]) {
            for (const input of [0, 1, BIG, ...classes.flatMap(({ above }) => [above, above + 1])]) {
              keyOf(list, 'm', day, input, minute);
            }
          }
        }
      }),
      { numRuns: 15 },
    );
  });
});

it('money is rounded once, half to even, to six decimals', () => {
  expect([0n, 500_000n, 1_500_000n, 1_500_001n, 12_345_678_900_000n, -2_500_001n, -1n].map(formatDollars)).toEqual([
    ...['0.000000', '0.000000', '0.000002', '0.000002', '12.345679', '-0.000003', '0.000000'],
  ]);
});

it('tokens without a rate are counted apart, never as free', () => {
  const tokens = sums({ input: 100, output: 10, cacheRead: 20, cacheWrite: 30, cacheWrite1h: 5 });
  const rates = { input: 2n, output: null, cacheRead: 1n, cacheWrite: 3n, cacheWrite1h: null };
  expect(costOf(tokens, rates)).toEqual({ picoDollars: 50n * 2n + 20n + 25n * 3n, unpricedTokens: 15n });
  expect(costOf(tokens, null)).toEqual({ picoDollars: 0n, unpricedTokens: 110n });
});

function sums(counts: Record<keyof TokenSums, number>): TokenSums {
  return {
    input: BigInt(counts.input),
    output: BigInt(counts.output),
    cacheRead: BigInt(counts.cacheRead),
    cacheWrite: BigInt(counts.cacheWrite),
    cacheWrite1h: BigInt(counts.cacheWrite1h),
  };
}

it('a call costs what Claude Code says that it does', () => {
  // As in test/fixtures/otlp/claude-code-logs.json: cost_usd_micros 5625.
  const tokens = sums({ input: 2400, output: 42, cacheRead: 900, cacheWrite: 300, cacheWrite1h: 0 });
  const rates = readPriceList(null).spansOf('claude-sonnet-4-5', MONDAY, MONDAY)[0]?.rates ?? null;
  expect(formatDollars(costOf(tokens, rates).picoDollars)).toBe('0.005625');
});
