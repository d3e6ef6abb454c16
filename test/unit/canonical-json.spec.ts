import { canonicalJson } from '../../src/common/canonical-json.js';

describe('canonical JSON', () => {
  it('is the same whatever the order of keys, at every depth', () => {
    expect(canonicalJson({ b: [{ y: 1, x: null }], a: 'text' })).toBe('{"a":"text","b":[{"x":null,"y":1}]}');
    expect(canonicalJson({ a: 'text', b: [{ x: null, y: 1 }] })).toBe('{"a":"text","b":[{"x":null,"y":1}]}');
  });

  it('keeps the order of lists', () => {
    expect(canonicalJson([2, 1])).not.toBe(canonicalJson([1, 2]));
  });

  it('writes maps like objects', () => {
    const map = new Map<string, unknown>([
      ['b', 1],
      ['a', new Map([['c', true]])],
    ]);
    expect(canonicalJson({ map })).toBe(canonicalJson({ map: { a: { c: true }, b: 1 } }));
  });
});
