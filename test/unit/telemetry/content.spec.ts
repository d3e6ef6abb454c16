import { contentOf } from '../../../src/modules/telemetry/content.js';

describe('the content of a value', () => {
  it.each([
    ['fields in another order', { a: 1, b: { c: 'x', d: true } }, { b: { d: true, c: 'x' }, a: 1 }],
    ['a map without a prototype', { a: 1 }, Object.assign(Object.create(null), { a: 1 })],
  ])('is the same: %s', (_, one, other) => {
    expect(contentOf(one)).toBe(contentOf(other));
  });

  it.each([
    ['a number and its text', { a: 1 }, { a: '1' }],
    ['a truth and its text', { a: true }, { a: 'true' }],
    ['nothing and its text', { a: null }, { a: 'null' }],
    ['nothing and an empty text', { a: null }, { a: '' }],
    ['a list and its only item', { a: ['x'] }, { a: 'x' }],
    ['a list and its items as one', { a: ['x', 'y'] }, { a: ['xy'] }],
    ['items in another order', { a: ['x', 'y'] }, { a: ['y', 'x'] }],
    ['numbers side by side', [1, 23], [12, 3]],
    ['text that looks like the next field', { a: 'x1"b1"y' }, { a: 'x', b: 'y' }],
    ['text that ends a map', { a: { b: 'x}' } }, { a: { b: 'x' } }],
    ['a name that contains a value', { 'a1"x': 'y' }, { a: 'xy' }],
    ['a field on another level', { a: { b: 'x' }, c: 'y' }, { a: { b: 'x', c: 'y' } }],
  ])('differs: %s', (_, one, other) => {
    expect(contentOf(one)).not.toBe(contentOf(other));
  });
});
