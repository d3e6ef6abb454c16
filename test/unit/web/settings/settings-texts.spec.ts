import { expiresAt } from '../../../../src/web/pages/settings/api-keys/expiry.js';
import { filterOf, readAuditSearch } from '../../../../src/web/pages/settings/audit/search.js';
import { browserName } from '../../../../src/web/pages/settings/my-sessions/browser-name.js';
import { changesOf, inForce, problemsByRow, unpricedOf } from '../../../../src/web/pages/settings/prices/price-rows.js';

it.each([
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36',
    'Chrome 156 on Linux',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36 Edg/150.0.1',
    'Edge 150 on Windows',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox 140 on macOS'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari 18 on iOS',
  ],
  ['curl/8.0', 'curl/8.0'],
  ['', 'Unknown browser'],
])('%j is shown as %j', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});

it('a key ends after so many days, at the end of a chosen day, or never', () => {
  const now = Date.parse('2026-11-15T10:00:00Z');
  expect(expiresAt('30', '', now)).toBe('2026-12-15T10:00:00.000Z');
  expect(expiresAt('day', '2026-12-31', now)).toBe('2027-01-01T00:00:00.000Z');
  expect(expiresAt('never', '', now)).toBeUndefined();
});

describe('the filter of the audit log', () => {
  it('asks for whole days, the last one included', () => {
    expect(filterOf(readAuditSearch({ since: '2026-11-01', until: '2026-11-30', actor: 'ada@example.com' }))).toEqual({
      ...{ actor: 'ada@example.com', from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' },
    });
  });

  it('takes a number for an id, and leaves out what is none of its business', () => {
    expect(filterOf(readAuditSearch({ target: 7, action: ['x'], since: 'soon', other: 'y' }))).toEqual({ target: '7' });
  });
});

describe('prices', () => {
  const change = (model: string, numbers: object) => ({
    ...{ month: '2026-11', model, calls: 1, tokens: 10, approximate: false, difference: '0' },
    ...{ oldCost: null, newCost: null, newlyPricedTokens: 0, unpricedTokens: 0, ...numbers },
  });
  const preview = {
    ...{ currency: 'USD', estimated: true },
    total: { oldCost: null, newCost: null, difference: '0', newlyPricedTokens: 0, unpricedTokens: 0 },
    changes: [
      change('a', { unpricedTokens: 5 }),
      change('b', { unpricedTokens: 20 }),
      change('a', { unpricedTokens: 10 }),
      change('c', { oldCost: '1', newCost: '2' }),
      change('d', { newCost: '0', newlyPricedTokens: 4 }),
    ],
  };

  it('names models without one, with all of their tokens', () => {
    expect(unpricedOf(preview)).toEqual([
      { model: 'b', tokens: 20 },
      { model: 'a', tokens: 15 },
    ]);
  });

  it('shows as changes only what changes', () => {
    expect(changesOf(preview).map(({ model }) => model)).toEqual(['c', 'd']);
  });

  it('shows what is wrong at its row', () => {
    const problems = [
      { field: 'prices.1.since', message: 'must be a day' },
      { field: 'prices.1.tiers.0', message: 'is wrong' },
      { field: 'prices', message: 'too many' },
    ];
    expect(Object.fromEntries(problemsByRow(problems))).toEqual({
      1: 'since must be a day; tiers.0 is wrong',
      '-1': 'prices too many',
    });
  });

  it('says from when until when', () => {
    expect([
      inForce({ since: '2026-01-01' }),
      inForce({ since: '2026-01-01', until: '2026-02-01' }),
      inForce({}),
    ]).toEqual([...['2026-01-01', '2026-01-01 – 2026-02-01', 'always']]);
  });
});
