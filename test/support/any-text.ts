import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

const character = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map((code) => String.fromCodePoint(code < SURROGATES.first ? code : code + SURROGATES.count));

/** Any text that UTF-8 can encode. Like the unit `binary` of fast-check, which takes half a second to create. */
export function anyText(constraints: { maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ unit: character, ...constraints });
}
