import { compare, countOf, points, stateOf } from '../../../src/web/pages/readiness/scores.js';
import { isFound } from '../../../src/web/pages/readiness/search.js';
import { safeAddress } from '../../../src/web/ui/safe-link.js';

const count = (numerator: number, denominator: number) => ({ numerator, denominator });

describe('two reports', () => {
  it('differ by share, not by number', () => {
    const changes = compare(
      { a: count(1, 2), b: count(1, 1), c: count(0, 1), d: count(1, 2) },
      { a: count(2, 4), b: count(1, 2), c: count(1, 1), e: count(0, 1) },
    );
    const names = Object.fromEntries(
      Object.entries(changes).map(([kind, list]) => [kind, list.map((one: { criterion: string }) => one.criterion)]),
    );
    expect(names).toEqual({ improved: ['c'], worsened: ['b'], added: ['e'], removed: ['d'] });
  });

  it('are spelled in words', () => {
    expect([count(2, 2), count(1, 2), count(0, 2)].map(stateOf)).toEqual(['met', 'partly', 'missing']);
    expect([countOf(count(1, 1)), countOf(count(1, 3)), countOf(undefined)]).toEqual([
      'met',
      '1 of 3',
      'not evaluated',
    ]);
    expect([points(0.026), points(-0.5), points(null)]).toEqual(['+2.6 points', '-50 points', '–']);
  });
});

describe('a link to elsewhere', () => {
  it('leads only to web pages and mail', () => {
    expect(safeAddress('https://github.com/acme/shop')).toBe('https://github.com/acme/shop');
    for (const text of [
      'javascript:alert(1)',
      ' JavaScript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'git@host:a/b',
      'x',
    ]) {
      expect(safeAddress(text)).toBeNull();
    }
  });
});

describe('a search', () => {
  it('finds every word, in any order and case', () => {
    expect([isFound('github.com/Acme/shop', 'shop acme'), isFound('shop', 'shops'), isFound('shop', '')]).toEqual([
      ...[true, false, true],
    ]);
  });
});
