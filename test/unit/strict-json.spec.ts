import fc from 'fast-check';
import { InvalidRequestError } from '../../src/common/errors/domain-error.js';
import { parseStrictJson, readStrictJson, readStrictJsonList } from '../../src/common/validation/strict-json.js';
import { anyText } from '../support/any-text.js';
import { cpuMs } from '../support/cpu-time.js';

const parse = (text: string) => parseStrictJson(Buffer.from(text));

describe('strict JSON', () => {
  it.each([
    ['an object', '{"a":1,"b":[true,false,null],"c":{"d":"e"}}', { a: 1, b: [true, false, null], c: { d: 'e' } }],
    ['white space of every kind', ' {\t"a" \r\n: [ 1 , 2 ] } ', { a: [1, 2] }],
    ['text beyond the basic plane', '"\u{1F600} \\ud83d\\ude00"', '\u{1F600} \u{1F600}'],
    [
      'escapes in keys and values',
      '{"a\\"b\\\\":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9"}',
      { 'a"b\\': '"\\/\b\f\n\r\t\u00e9' },
    ],
    ['brackets and digits inside strings', '["[[{{1e999", "}]"]', ['[[{{1e999', '}]']],
    ['the same key in different objects', '[{"a":1},{"a":2,"b":{"a":3}}]', [{ a: 1 }, { a: 2, b: { a: 3 } }]],
    ['the same string as key and as value', '{"a":"b","b":"a","c":["a","a"]}', { a: 'b', b: 'a', c: ['a', 'a'] }],
    ['the largest safe integers', '[9007199254740991,-9007199254740991]', [9007199254740991, -9007199254740991]],
    ['decimals in several spellings', '[0.1,1.50,1E2,1e-7,0.0,12.5e+1]', [0.1, 1.5, 100, 1e-7, 0, 125]],
    ['the smallest number', '5e-324', 5e-324],
    ['keys that only look dangerous', '{"proto":1,"prototype":2,"_proto_":3}', { proto: 1, prototype: 2, _proto_: 3 }],
  ])('accepts %s', (_, text, value) => {
    expect(parse(text)).toEqual(value);
  });

  it.each([
    ['nothing', ''],
    ['white space only', ' \n '],
    ['a truncated object', '{"a":1'],
    ['two values', '{} {}'],
    ['a trailing comma', '[1,]'],
    ['a comment', '{} // no'],
    ['single quotes', "{'a':1}"],
    ['NaN', 'NaN'],
    ['Infinity', '[Infinity]'],
    ['a leading zero', '[01]'],
    ['a leading plus', '[+1]'],
    ['a raw line break in a string', '"a\nb"'],
    ['a raw NUL in a string', '"a\0b"'],
    ['a byte order mark', '\ufeff{}'],
  ])('refuses %s as not valid JSON', (_, text) => {
    expect(() => parse(text)).toThrow(new InvalidRequestError('The body is not valid JSON.'));
  });

  it.each([
    ['a truncated sequence', [0x22, 0xc3, 0x22]],
    ['an overlong NUL', [0x22, 0xc0, 0x80, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a byte that never occurs', [0x22, 0xff, 0x22]],
    ['a code point above the last', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['UTF-16 with a byte order mark', [0xff, 0xfe, 0x7b, 0, 0x7d, 0]],
  ])('refuses %s as not valid UTF-8', (_, bytes) => {
    expect(() => parseStrictJson(Uint8Array.from(bytes))).toThrow('The body is not valid UTF-8.');
  });

  it.each([
    ['a NUL in a value', '{"a":"x\\u0000y"}'],
    ['a NUL in a key', '{"x\\u0000y":1}'],
    ['a high surrogate alone', '"\\ud83d"'],
    ['a low surrogate alone', '"a\\ude00b"'],
    ['surrogates in the wrong order', '"\\ude00\\ud83d"'],
    ['half a pair in a key', '{"\\uD800":1}'],
    ['half a pair deep inside', '[[{"a":["ok","\\udbff"]}]]'],
  ])('refuses %s', (_, text) => {
    expect(() => parse(text)).toThrow('The body has a string with a NUL character or half a surrogate pair.');
  });

  it.each([
    ['9007199254740992'],
    ['9007199254740993'],
    ['-9007199254740993'],
    ['12345678901234567890'],
    ['1e400'],
    ['-1e400'],
    ['1e21'],
    ['1e-400'],
    ['0.1000000000000000055'],
    ['9.9999999999999999'],
    ['123456789.123456789'],
  ])('refuses %s, which a double cannot hold', (literal) => {
    expect(() => parse(`{"a":[${literal}]}`)).toThrow(`The number ${literal} cannot be represented exactly.`);
  });

  it.each([
    ['in one object', '{"a":1,"b":2,"a":1}', 'a'],
    ['written differently', '{"a":1,"\\u0061":2}', 'a'],
    ['after a nested object with it', '{"x":{"a":1},"a":2,"a":3}', 'a'],
    ['when it is empty', '{"":1,"":2}', ''],
  ])('names a key that is given more than once %s', (_, text, field) => {
    const errors = [{ field, message: 'is given more than once' }];
    expect(problemOf(text)).toMatchObject({ code: 'invalid_request', errors });
  });

  it.each([
    ['{"__proto__":{"polluted":true}}', '__proto__'],
    ['{"a":[{"__proto__":null}]}', '__proto__'],
    ['{"\\u005f_proto__":1}', '__proto__'],
    ['{"constructor":{"prototype":{"polluted":true}}}', 'constructor'],
  ])('refuses %s, whose key touches prototypes', (text, field) => {
    expect(problemOf(text)).toMatchObject({ errors: [{ field, message: 'is not allowed as a key' }] });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('takes the names of dangerous keys as values', () => {
    expect(parse('["__proto__","constructor"]')).toEqual(['__proto__', 'constructor']);
  });

  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('accepts 64 levels of %s and refuses 65', (_, open, close) => {
    const nested = (depth: number) => open.repeat(depth) + '0' + close.repeat(depth);
    expect(() => parse(nested(64))).not.toThrow();
    expect(() => parse(nested(65))).toThrow('The body is nested more than 64 levels deep.');
  });

  it.each([40_000, 100_000, 500_000])('refuses %d levels without overflowing its stack', (depth) => {
    expect(() => parse('['.repeat(depth) + ']'.repeat(depth))).toThrow(InvalidRequestError);
  });

  it('parses what JSON.stringify makes of any value with exact numbers', () => {
    fc.assert(
      fc.property(ordinaryValues(), (value) => {
        const text = JSON.stringify(value);
        expect(parse(text)).toEqual(JSON.parse(text));
        expect(parse(JSON.stringify(value, null, 2))).toEqual(JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });

  it('never throws anything but an InvalidRequestError, whatever the bytes', () => {
    const fragments = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '\\',
      '\\u',
      'd83d',
      '0',
      '-',
      'e',
      '.',
      '\0',
      ' ',
    );
    const almostJson = fc.array(fragments, { maxLength: 30 }).map((parts) => Buffer.from(parts.join('')));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 60 }), almostJson), (bytes) => {
        const thrown = caught(() => parseStrictJson(bytes));
        expect(thrown === null || thrown instanceof InvalidRequestError).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it('never lets through what JSON.parse would have changed', () => {
    const mantissa = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
    fc.assert(
      fc.property(mantissa, (integer) => {
        if (caught(() => parse(`${integer}`)) === null) expect(BigInt(Number(integer))).toBe(integer);
      }),
    );
  });

  it('takes as many values as it may, and looks at nothing of more', () => {
    const values = (text: string, max: number) => caught(() => parseStrictJson(Buffer.from(text), 'It', max));
    const text = '{"a":[1,"x,[{",{"b":null}],"c":"\\"[,\\\\"}'; // the object, a, 1, x, the object in it, b and c
    expect(values(text, 7)).toBeNull();
    expect(values(text, 6)).toMatchObject({ detail: 'It has more than 6 JSON values.' });
    expect(values('[[[[[and no JSON', 3)).toMatchObject({ detail: 'It has more than 3 JSON values.' });
  });

  it('reads a long text as it reads a short one', async () => {
    const long = (item: string) => Buffer.from(`[${`${item},`.repeat(20_000)}"end"]`);
    expect(await readStrictJson(long('"a\\"b"'))).toHaveLength(20_001);
    await expect(readStrictJson(long('{"a":1,"a":2}'))).rejects.toThrow('a: is given more than once');
    await expect(readStrictJson(long('[[],[],[],[]]'))).rejects.toThrow('The body has more than 100000 JSON values.');
    await expect(readStrictJson(Buffer.concat([long('0'), Buffer.from([0xff])]))).rejects.toThrow('not valid UTF-8');
  });

  it.each([
    ['a number with zeros in its middle', `[1.${'0'.repeat(1_000_000)}1]`],
    ['a number with digits without end', `[1${'0'.repeat(1_000_000)}]`],
    ['a string of escaped quotes', `["${'\\"'.repeat(1_000_000)}", 1e400]`],
    ['a string of backslashes', `["${'\\\\'.repeat(1_000_000)}", 1e400]`],
    ['strings of escaped quotes', `[${'"\\"\\"",'.repeat(30_000)} 1e400]`],
    ['keys with escapes', `[${'{"\\n":1},'.repeat(10_000)} 1e400]`],
    ['half surrogate pairs that are whole', `["${'\\ud83d\\ude00'.repeat(80_000)}", 1e400]`],
    ['white space behind strings', `{"a":"b"${' '.repeat(1_000_000)},"n":1e400}`],
  ])('refuses %s in no time', (_, text) => {
    expect(cpuMs(() => expect(() => parse(text)).toThrow('cannot be represented exactly'))).toBeLessThan(1_000);
  });
});

describe('strict JSON with a list', () => {
  const read = (text: string, maxItems = 1_000) =>
    readStrictJsonList(Buffer.from(text), { maxItems, tooMany: 'Too many items.' });
  const flawsOf = async (text: string) => Object.fromEntries((await read(text)).flaws);

  it('tells what is wrong with items by their index, and nothing about the others', async () => {
    const items = [
      '{"a":1}',
      '{"a":1,"a":2}',
      '"x,[{"',
      '"\\u0000"',
      '[[],{},[1,2]]',
      '[1,{"b":[1e400]}]',
      '1e400',
      'null',
    ];
    expect(await flawsOf(`{ "list" : [ ${items.join(' , ')} ] }`)).toEqual({
      1: 'a: is given more than once',
      3: 'The event has a string with a NUL character or half a surrogate pair.',
      5: 'The number 1e400 cannot be represented exactly.',
      6: 'The number 1e400 cannot be represented exactly.',
    });
  });

  it('tells of each item only what is wrong first', async () => {
    expect(await flawsOf('{"list":[{"__proto__":"\\ud800","b":1e400}]}')).toEqual({
      0: '__proto__: is not allowed as a key',
    });
  });

  it('finds an item flawless that follows one of any depth', async () => {
    const deep = '['.repeat(1_000) + ']'.repeat(1_000);
    expect(Object.keys(await flawsOf(`{"list":[${deep},{"a":{"b":[1]}},${deep}]}`))).toEqual(['0', '2']);
  });

  it('counts 64 levels from the outermost object', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(Object.keys(await flawsOf(`{"list":[${nested(62)},${nested(63)}]}`))).toEqual(['1']);
  });

  it('takes 1,000 keys in an item and not one more', async () => {
    const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}}`;
    expect(await flawsOf(`{"list":[${keys(1_000)},${keys(1_001)}]}`)).toEqual({
      1: 'The event has an object with more than 1000 keys.',
    });
  });

  it('cuts a long key short', async () => {
    const key = JSON.stringify('k'.repeat(1_000));
    expect(await flawsOf(`{"list":[{${key}:1,${key}:2}]}`)).toEqual({
      0: `${'k'.repeat(100)}: is given more than once`,
    });
  });

  it.each([
    ['no JSON', '{"list":[1,]}'],
    ['a repeated list', '{"list":[],"list":[]}'],
    ['a number beside the list', '{"list":[],"n":1e400}'],
    ['a key that touches prototypes', '{"__proto__":[]}'],
    ['half a surrogate pair beside the list', '{"a":"\\ud800"}'],
  ])('refuses %s as a whole', async (_, text) => {
    await expect(read(text)).rejects.toThrow(InvalidRequestError);
  });

  it('counts the items before it makes anything of them', async () => {
    const items = (count: number) => `{"list":[${'{},'.repeat(count - 1)}{"a":[1,2]}]}`;
    expect((await read(items(10), 10)).flaws.size).toBe(0);
    await expect(read(items(11), 10)).rejects.toThrow('Too many items.');
    await expect(read(`${items(11)} and what is no JSON`, 10)).rejects.toThrow('Too many items.');
  });

  it('judges each item as if it were alone', async () => {
    const item = fc.oneof(
      fc.json({ maxDepth: 3 }),
      fc.constantFrom('{"a":1,"a":1}', '"\\ud800"', '1e400', '{"toString":1}', '"\\\\\\"],[{"'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 8 }), async (items) => {
        const alone = items.flatMap((text, i) => (caught(() => parse(text)) === null ? [] : [`${i}`]));
        expect(Object.keys(await flawsOf(`{"list":[${items.join(',')}]}`))).toEqual(alone);
      }),
      { numRuns: 300 },
    );
  });
});

/** Values as clients have them: well-formed strings without NUL, exact numbers, no keys that touch prototypes. */
function ordinaryValues(): fc.Arbitrary<unknown> {
  const text = anyText({ maxLength: 12 }).map((value) => value.replaceAll('\0', ''));
  const safe = fc.oneof(
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n) || Number.isSafeInteger(n)),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 5 }, fc.boolean(), fc.constant(null), safe, text, tie('list'), tie('object')),
    list: fc.array(tie('tree'), { maxLength: 5 }),
    object: fc.dictionary(
      text.filter((key) => !(key in {})),
      tie('tree'),
      { maxKeys: 5 },
    ),
  }));
  return tree;
}

function problemOf(text: string): unknown {
  return caught(() => parse(text));
}

function caught(work: () => unknown): unknown {
  try {
    work();
    return null;
  } catch (error) {
    return error;
  }
}
