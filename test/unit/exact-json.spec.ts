import fc from 'fast-check';
import { addExact, parseExact, stringifyExact, toExactInteger } from '../../src/common/exact-json.js';

const integer = fc.oneof(
  fc.maxSafeInteger(),
  fc
    .bigInt({ min: -(2n ** 80n), max: 2n ** 80n })
    .map(String)
    .map(toExactInteger),
);
const text = fc.oneof(
  fc.string(),
  fc.constantFrom(':9007199254740993,', '"9007199254740993"', '\\', '\\u00009007199254740993'),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    integer,
    text.filter((string) => !string.includes('\0')),
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(
    text.filter((key) => key !== '__proto__' && !key.includes('\0')),
    tie('any'),
    { maxKeys: 4 },
  ),
})).any;

describe('exact JSON', () => {
  it('keeps whole numbers of any size, and leaves text alone', () => {
    expect(stringifyExact({ a: 2n ** 53n + 1n, b: ['9007199254740993'], c: 1 })).toBe(
      '{"a":9007199254740993,"b":["9007199254740993"],"c":1}',
    );
    expect(parseExact('[9007199254740993,-9007199254740993,9007199254740991,":9007199254740993,",1e30,1.5]')).toEqual([
      9007199254740993n,
      -9007199254740993n,
      9007199254740991,
      ':9007199254740993,',
      1e30,
      1.5,
    ]);
    expect([addExact(1, 2), addExact(2 ** 53 - 1, 2), addExact(2n ** 60n, 1)]).toEqual([
      3,
      2n ** 53n + 1n,
      2n ** 60n + 1n,
    ]);
  });

  it('reads what it writes', () => {
    fc.assert(
      fc.property(value, (any) => {
        // A fraction of more than fifteen digits before its point is a whole number in the text.
        fc.pre(!/\d{16}/.test(JSON.stringify(any, (_, each: unknown) => (typeof each === 'bigint' ? '' : each))));
        expect(parseExact(stringifyExact(any))).toEqual(any);
      }),
      { numRuns: 300 },
    );
  });

  it('fails for what is no JSON', () => {
    const circle: Record<string, unknown> = {};
    circle.itself = circle;
    expect(() => stringifyExact(circle)).toThrow(TypeError);
    expect(() => parseExact('[9007199254740993')).toThrow(SyntaxError);
  });
});
