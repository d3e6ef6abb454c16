import fc from 'fast-check';
import { JsonTextError, parseJsonText, placeInJson } from '../../../src/agent/hooks/json-text.js';

function mistakeIn(text: string): string {
  try {
    parseJsonText(text);
  } catch (error) {
    if (error instanceof JsonTextError) return error.message;
    throw error;
  }
  return 'none';
}

describe('JSON written by hand', () => {
  it.each([
    ['a comma too many', '{\n  "a": 1,\n}', 'line 2, column 9: there is a comma too many before }'],
    ['a comma too many in a list', '[1,\n 2 ,]', 'line 2, column 4: there is a comma too many before ]'],
    ['a forgotten comma', '{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: a comma or } is expected'],
    ['a forgotten colon', '{"a" 1}', 'line 1, column 6: a colon is expected after the key'],
    ['a key without quotes', '{\n\ta: 1}', 'line 2, column 2: a key in double quotes is expected'],
    ['single quotes', "{'a': 1}", 'line 1, column 2: a key in double quotes is expected'],
    ['a forgotten value', '{"a": ,"b": 1}', 'line 1, column 7: a value is expected'],
    ['a word', '{"a": [true, yes]}', 'line 1, column 14: "yes" is not a value'],
    ['a number that is none', '[01]', 'line 1, column 2: "01" is not a value'],
    ['a comment', '[\n// why\n1]', 'line 2, column 1: JSON has no comments'],
    ['an open string', '{\n"a": "b}', 'line 2, column 6: the string that begins here has no end'],
    ['an unknown escape', '["C:\\Users"]', 'line 1, column 2: the string that begins here has an unknown escape'],
    [
      'a raw line break in a string',
      '["a\nb"]',
      'line 1, column 4: a line break, tab or control character stands in a string; escape it',
    ],
    ['a second document', '{}\n{}', 'line 2, column 1: nothing may follow the end of the document'],
    ['a key that stands twice', '{"a": 1,\n "a": 2}', 'line 2, column 2: the key "a" stands twice in the same object'],
    ['an early end', '{"a": [1\n', 'line 2, column 1: the file ends too early: a comma or ] is expected'],
    ['nothing at all', '', 'line 1, column 1: the file ends too early: a value is expected'],
    ['very deep nesting', '['.repeat(100_000), 'line 1, column 102: values are nested deeper than 100 levels'],
  ])('is refused with line, column and reason: %s', (_, text, message) => {
    expect(mistakeIn(text)).toBe(message);
  });

  it('is accepted or refused exactly as JSON.parse does, whatever was broken in it', () => {
    const broken = fc
      .tuple(
        fc.json({ maxDepth: 4 }),
        fc.nat(),
        fc.constantFrom('', ',', '"', '\\', '}', ']', '1', ' ', 'e', '\n', '\u00a0'),
      )
      .map(([text, at, piece]) => {
        const offset = at % (text.length + 1);
        return text.slice(0, offset) + piece + text.slice(offset + (at % 2));
      });
    fc.assert(
      fc.property(broken, (text) => {
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(mistakeIn(text)).not.toBe('none');
          return;
        }
        const mistake = mistakeIn(text);
        if (!mistake.includes('stands twice')) {
          expect(mistake).toBe('none');
          expect(parseJsonText(text)).toEqual(expected);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('is read when a string in it is a megabyte long', () => {
    expect(parseJsonText(JSON.stringify({ a: 'x'.repeat(1_000_000) }))).toHaveProperty('a.length', 1_000_000);
  });

  it('tells where a value stands, and for one that is missing where it should have been', () => {
    const text = '{\n  "a": [\n    1,\n    {"b": 2}\n  ],\n  "c": {}\n}';
    expect(placeInJson(text, [])).toEqual({ line: 1, column: 1 });
    expect(placeInJson(text, ['a', 0])).toEqual({ line: 3, column: 5 });
    expect(placeInJson(text, ['a', 1, 'b'])).toEqual({ line: 4, column: 11 });
    expect(placeInJson(text, ['a', 1, 'missing', 'too'])).toEqual({ line: 4, column: 5 });
    expect(placeInJson(text, ['c'])).toEqual({ line: 6, column: 8 });
  });
});
