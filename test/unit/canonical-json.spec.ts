import { canonicalJson } from '../../src/common/canonical-json.js';

describe('canonical JSON', () => {
  it('is the same for any order of members, at any depth', () => {
    expect(canonicalJson({ b: [{ y: 1, x: null }], a: 'z' })).toBe('{"a":"z","b":[{"x":null,"y":1}]}');
    expect(canonicalJson({ a: 'z', b: [{ x: null, y: 1 }] })).toBe('{"a":"z","b":[{"x":null,"y":1}]}');
  });

  it('keeps the order of lists', () => {
    expect(canonicalJson([2, 1])).toBe('[2,1]');
  });

  it('takes a Map for an object', () => {
    expect(canonicalJson(new Map(Object.entries({ b: 1, a: 2 })))).toBe('{"a":2,"b":1}');
  });
});
