import { isSame, type Json, jsonDiff } from '../../../../src/web/pages/settings/json-diff.js';

const lines = (before: Json | undefined, after: Json | undefined) =>
  jsonDiff(before, after).map((one) => [one.path, one.before, one.after]);

describe('the difference of two JSON values', () => {
  it('is nothing when only the order of keys differs', () => {
    expect(lines({ a: 1, b: { c: [1, 2], d: null } }, { b: { d: null, c: [1, 2] }, a: 1 })).toEqual([]);
  });

  it('names the place of each value that changed, came or went', () => {
    const before = { level: 'low', policy: { fast: true, gone: 1 } };
    const after = { level: 'high', policy: { fast: true, added: [] } };
    expect(lines(before, after)).toEqual([
      ['level', 'low', 'high'],
      ['policy.gone', 1, undefined],
      ['policy.added', undefined, []],
    ]);
  });

  it('tells null, absent, false, 0 and the empty text apart', () => {
    const values: Json[] = [null, false, 0, ''];
    for (const value of values) {
      expect(lines({}, { a: value })).toEqual([['a', undefined, value]]);
      for (const other of values.filter((one) => one !== value)) {
        expect(lines({ a: value }, { a: other })).toEqual([['a', value, other]]);
      }
    }
  });

  it('shows which entries a list of plain values lost and got, wherever they stood', () => {
    expect(lines({ deny: ['rm', 'dd', 'rm'] }, { deny: ['curl', 'dd', 'rm'] })).toEqual([
      ['deny[]', 'rm', undefined],
      ['deny[]', undefined, 'curl'],
    ]);
  });

  it('shows both lists when only their order differs', () => {
    expect(lines(['a', 'b'], ['b', 'a'])).toEqual([['', ['a', 'b'], ['b', 'a']]]);
  });

  it('compares lists of objects by place', () => {
    const before: Json = { models: [{ id: 'a', url: 'x' }, { id: 'b' }] };
    const after = { models: [{ id: 'a', url: 'y' }] };
    expect(lines(before, after)).toEqual([
      ['models[0].url', 'x', 'y'],
      ['models[1]', { id: 'b' }, undefined],
    ]);
  });

  it('shows a value as a whole when its kind changed', () => {
    expect(lines({ a: [1] }, { a: { b: 1 } })).toEqual([['a', [1], { b: 1 }]]);
    expect(lines(undefined, { a: 1 })).toEqual([['', undefined, { a: 1 }]]);
  });

  it('takes keys that have a meaning for objects like all others', () => {
    const own = JSON.parse('{"__proto__": 1, "constructor": 2}') as Json;
    expect(lines({}, own)).toEqual([
      ['__proto__', undefined, 1],
      ['constructor', undefined, 2],
    ]);
  });
});

it.each<[Json, Json, boolean]>([
  [[1, 2], [2, 1], false],
  [{ a: undefined as unknown as Json }, {}, true],
  [{ a: null }, {}, false],
  [[], {}, false],
  ['1', 1, false],
])('%j and %j are the same: %j', (a, b, same) => {
  expect(isSame(a, b)).toBe(same);
});
