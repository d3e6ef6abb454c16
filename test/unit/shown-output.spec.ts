import { differenceOf } from '../support/shown-output.js';

const ID = '01a1e0ca-d700-72ab-953f-30fd7c863405';
const OTHER_ID = '01a1e0ca-d662-7226-be08-7a85aaef52d9';

describe('the comparison of an answer with what a page shows', () => {
  it.each([
    ['the same', '{"a":1}', '{"a":1}'],
    ['other ids, instants and keys', `{"id":"${ID}","at":1794772757495}`, `{"id":"${OTHER_ID}","at":1794772757999}`],
    ['more fields where it is shortened', '{"a":1,…}', '{"a":1,"b":2}'],
    ['anything where all is left out', '{"a":{…},"b":[…]}', '{"a":{"x":1},"b":[1,2]}'],
    ['more items where it is shortened', '[{"a":1},…]', '[{"a":1},{"b":2}]'],
    ['a placeholder', '{"cursor":"<cursor>"}', '{"cursor":"abc"}'],
    ['lines in between', 'a\n...\nb', 'a\nx\nb'],
  ])('accepts %s', (_what, shown, printed) => {
    expect(differenceOf(shown, printed, 'values')).toBeNull();
  });

  it.each([
    ['another value', '{"a":1}', '{"a":2}', '.a is 2'],
    ['another type', '{"a":1}', '{"a":"1"}', '.a is "1"'],
    ['a missing field', '{"a":1,…}', '{"b":1}', ' has no a'],
    ['a field too many', '{"a":{"b":1}}', '{"a":{"b":1,"c":2}}', '.a also has c'],
    ['another number of items', '{"a":[1]}', '{"a":[]}', '.a has 0 items'],
    ['no JSON', '{"a":1}', 'oops', 'is not JSON: oops'],
    ['a missing line', 'a\nb', 'b\na', 'no line "b" in:\nb\na'],
  ])('finds %s', (_what, shown, printed, difference) => {
    expect(differenceOf(shown, printed, 'values')).toBe(difference);
  });

  it('leaves out values, but not types, where only the shape counts', () => {
    expect(differenceOf('{"a":1}', '{"a":2}', 'shape')).toBeNull();
    expect(differenceOf('{"a":1}', '{"a":null}', 'shape')).toBe('.a is null');
  });
});
